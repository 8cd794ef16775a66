// Unpacks a sample: a garment with the positions of all frames, and its skinned wearer.

import {
  Bone, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial, Skeleton, SkinnedMesh,
} from "three";
import { moving, unpacked } from "./contents.mjs";

const CLOTH = new Color().setRGB(0.195, 0.279, 0.423);

/**
 * @typedef {object} Sample
 * @property {string} name
 * @property {Group} scene
 * @property {Mesh} garment
 * @property {number} height height of the wearer, m
 * @property {number} fps
 * @property {number} frameCount
 * @property {(frame: number) => Float32Array} positions returns the positions (V, 3) of the garment in a frame
 * @property {(frame: number) => void} pose moves the wearer to a frame
 */

/**
 * @param {string} name
 * @param {any} contents
 * @returns {Promise<Sample>}
 */
export async function sampleOf(name, contents) {
  const stored = contents.samples[name], figure = contents.figures[stored.figure];
  const frames = await moving(stored.positions), matrices = await moving(stored.matrices);
  const size = frames.length / stored.frames, scene = new Group();

  const cloth = new BufferGeometry();
  cloth.setAttribute("position", new BufferAttribute(frames.slice(0, size), 3));
  cloth.setIndex(new BufferAttribute(await unpacked(Uint16Array, stored.faces), 1));
  cloth.computeVertexNormals();
  const garment = new Mesh(cloth, new MeshStandardMaterial({ color: CLOTH, roughness: 0.85, side: DoubleSide, name: "cloth" }));
  garment.name = name.replace("_", " ");

  const bones = Array.from({ length: figure.joint_count }, () => new Bone());
  const body = new BufferGeometry();
  body.setAttribute("position", new BufferAttribute(await unpacked(Float32Array, figure.positions), 3));
  body.setAttribute("skinIndex", new BufferAttribute(await unpacked(Uint8Array, figure.joints), 4));
  body.setAttribute("skinWeight", new BufferAttribute(await unpacked(Uint16Array, figure.weights), 4, true));
  const corners = await unpacked(Uint32Array, stored.body.faces), { tints } = stored.body;
  body.setIndex(new BufferAttribute(corners, 1));
  body.computeVertexNormals();
  // materials of skin, trousers and shoes; polygon offset draws them behind the garment, which is close
  const materials = tints.map((/** @type {{start: number, color: number[]}} */ { start, color }, /** @type {number} */ i) => {
    body.addGroup(start, (tints[i + 1]?.start ?? corners.length) - start, i);
    return new MeshStandardMaterial({ color: new Color().setRGB(color[0], color[1], color[2]), roughness: 0.8, polygonOffset: true,
      polygonOffsetFactor: 4, polygonOffsetUnits: 16, name: "wearer" });
  });
  const wearer = new SkinnedMesh(body, materials);
  wearer.name = "wearer";
  bones.forEach((bone) => (bone.matrixAutoUpdate = false));
  wearer.add(...bones);
  wearer.bind(new Skeleton(bones, bones.map(() => new Matrix4())), new Matrix4());
  scene.add(garment, wearer);
  [garment, wearer].forEach((mesh) => (mesh.frustumCulled = false));

  const perFrame = 12 * bones.length;
  return {
    name, scene, garment, height: stored.height, fps: stored.fps, frameCount: stored.frames,
    positions: (frame) => frames.subarray(size * frame, size * (frame + 1)),
    pose(frame) {
      bones.forEach((bone, joint) => {
        const m = matrices.subarray(perFrame * frame + 12 * joint, perFrame * frame + 12 * joint + 12);
        bone.matrix.set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);
        bone.matrixWorldNeedsUpdate = true;
      });
    },
  };
}
