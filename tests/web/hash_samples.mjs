// node hash_samples.mjs CORE SETTINGS: computes the hashes of `ruckle bench bits` with the core as WebAssembly.
// Prints one row per setting: the hash of its wrinkles, and the hash of its fine meshes.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadCore, Wrinkler } from "../../examples/web/kit/core.mjs";

const [, , corePath, settingsPath] = process.argv;
const core = await loadCore(readFileSync(corePath));

function array(Type, path) {
  return new Type(new Uint8Array(readFileSync(path)).buffer);
}

function hashes({ faces, positions, rest, vertexCount, dt, displaced, options }) {
  const wrinkler = new Wrinkler(core, array(Int32Array, faces), vertexCount, options);
  if (rest) {
    wrinkler.setRest(array(Float32Array, rest));
  }
  const moving = array(Float32Array, positions), size = 3 * vertexCount;
  const wrinkles = createHash("sha256"), meshes = createHash("sha256");
  for (let frame = 0; frame * size < moving.length; ++frame) {
    wrinkler.step(moving.subarray(frame * size, (frame + 1) * size), dt);
    for (let index = 0; index < wrinkler.count; ++index) {
      const { id, edges, t, points, widths, heights } = wrinkler.wrinkle(index);
      wrinkles.update(BigInt64Array.of(BigInt(frame), id));
      [edges, t, widths, heights, points].forEach((values) => wrinkles.update(values));
    }
    if (frame % displaced === 0) {
      const fine = wrinkler.displace();
      [fine.positions, fine.normals, fine.faces].forEach((values) => meshes.update(values));
    }
  }
  wrinkler.destroy();
  return [wrinkles, meshes].map((hash) => hash.digest("hex").slice(0, 16));
}

for (const setting of JSON.parse(readFileSync(settingsPath, "utf8"))) {
  console.log(...hashes(setting));
}
