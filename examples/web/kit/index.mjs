// The package `ruckle`: adds wrinkles to characters of three.js.
//
//     const ruckle = await Ruckle.load();
//     await ruckle.add(gltf.scene);      finds the cloth
//     ruckle.update(seconds);            after the mixer, before the renderer

import { Mesh } from "three";
import { findCloth } from "./find_cloth.mjs";
import { shaderMaterials } from "./material.mjs";
import { hostInPage, hostInWorker } from "./host.mjs";
import { WASM, WORKER } from "./binaries.mjs";
import { RULES } from "./role_words.mjs";
import { heightOf, WrinkledMesh } from "./wrinkled_mesh.mjs";

export { findCloth } from "./find_cloth.mjs";
export { annotate } from "./parts.mjs";
export { PATH_OPTIONS, WAVE_OPTIONS } from "./options.mjs";
export { WrinkledMesh } from "./wrinkled_mesh.mjs";

/**
 * @typedef {import('./wrinkled_mesh.mjs').MeshOptions} MeshOptions
 * @typedef {import('./options.mjs').WaveOptions} WaveOptions
 * @typedef {import('./options.mjs').PathOptions} PathOptions
 */

/** All wrinkled meshes of a page, and the core that computes them. */
export class Ruckle {
  /** @type {WrinkledMesh[]} */
  meshes = [];
  /** Time in milliseconds in which the core computed the last frame of all meshes. */
  time = 0;

  #host;
  #materials;
  #kinds = new WeakMap();
  #heights = new WeakMap();
  #busy = false;
  #waited = 0;
  #warned = new Set();

  /** @param {import('./host.mjs').Host} host @param {import('./material.mjs').Materials} [materials] */
  constructor(host, materials = shaderMaterials) {
    this.#host = host;
    this.#materials = materials;
  }

  /**
   * Starts the core.
   * @param {object} [options]
   * @param {boolean} [options.worker] true: compute in a worker and show the wrinkles of the previous frame. false: compute in this thread
   * @param {BufferSource | WebAssembly.Module} [options.wasm] the core, such as a fetched ruckle.wasm; by default the core inside the package
   * @param {import('./material.mjs').Materials} [options.materials] `nodes` of ruckle/webgpu for WebGPURenderer
   */
  static async load({ worker = true, wasm, materials } = {}) {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm ?? await inflated(WASM));
    if (!worker) {
      return new Ruckle(await hostInPage(module), materials);
    }
    const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const started = new Worker(url);
    const ruckle = new Ruckle(hostInWorker(module, started), materials);
    // the URL of the script is released later, because the worker may still load it
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    return ruckle;
  }

  /**
   * Adds wrinkles to a mesh, or to the cloth of a character. Returns the wrinkled meshes; an empty array if no part looks like cloth.
   * @param {import('three').Object3D} object a mesh, or a group such as the scene of a glTF file or of a VRM
   * @param {MeshOptions} [options]
   */
  async add(object, options = {}) {
    root(object).updateMatrixWorld();
    const found = object instanceof Mesh ? [{ mesh: object, mask: null }] : findCloth(object).filter((part) => part.isCloth);
    const made = found.map(({ mesh, mask }) => new WrinkledMesh(mesh, { mask, ...options }, this.#host, this.#kinds, this.#materials));
    const height = options.height ?? (object instanceof Mesh && !made[0].height ? undefined : this.#heightOf(object));
    await Promise.all(made.map((mesh) => mesh.set(height ? { height } : {})));
    this.meshes.push(...made);
    return made;
  }

  /**
   * Removes the wrinkles of a mesh, and restores its geometry and material.
   * @param {WrinkledMesh} mesh
   */
  remove(mesh) {
    this.meshes = this.meshes.filter((one) => one !== mesh);
    mesh.dispose();
  }

  /**
   * Steps all meshes to their current pose. Call this after animations have moved the bones, and before the renderer.
   * While a worker computes a frame, calls only add up `dt` for the next frame.
   * @param {number} dt seconds since the last call
   */
  update(dt) {
    this.#waited += dt;
    if (this.#busy || !this.meshes.length) {
      return;
    }
    new Set(this.meshes.map(({ mesh }) => root(mesh))).forEach((top) => top.updateMatrixWorld());
    const order = { do: /** @type {const} */ ("step"), dt: this.#waited, poses: this.meshes.map((mesh) => mesh.pose()) };
    this.#waited = 0;
    if (this.#host.call) {
      this.#show(this.#host.call(order));
      return;
    }
    this.#busy = true;
    this.#host.send(order).then((reply) => this.#show(reply), (error) => this.#warn(error.message))
      .finally(() => (this.#busy = false));
  }

  /** Ends the core, and restores geometry and material of all meshes. */
  dispose() {
    this.meshes.forEach((mesh) => mesh.dispose());
    this.meshes = [];
    this.#host.close();
  }

  /** @param {{frames: import('./workshop.mjs').Frame[], failures: {garment: number, message: string}[], time: number}} reply */
  #show({ frames, failures, time }) {
    const byNumber = new Map(this.meshes.map((mesh) => [mesh.garment, mesh]));
    frames.forEach((frame) => byNumber.get(frame.garment)?.show(frame));
    failures.forEach(({ garment, message }) => {
      const mesh = byNumber.get(garment)?.mesh;
      if (mesh) {
        this.#warn(`${mesh.name || "a mesh"}: ${message}`);
      }
    });
    this.time = time;
  }

  /** @param {string} message */
  #warn(message) {
    if (!this.#warned.has(message)) {
      this.#warned.add(message);
      console.warn(`ruckle: ${message}`);
    }
  }

  // Returns the height of the character: the vertical extent of its skinned meshes, or of all meshes if none has a skin, in the pose of
  // the first call for its geometry. 0 without meshes.
  /** @param {import('three').Object3D} object */
  #heightOf(object) {
    /** @type {Mesh[]} */
    const meshes = [];
    object.traverse((part) => part instanceof Mesh && meshes.push(part));
    const skinned = meshes.filter((mesh) => "skeleton" in mesh), counted = skinned.length ? skinned : meshes;
    const key = counted[0]?.geometry;
    if (key && !this.#heights.has(key)) {
      this.#heights.set(key, extentOf(counted));
    }
    return key ? this.#heights.get(key) : 0;
  }
}

/** @param {import('three').Object3D} object */
function root(object) {
  let top = object;
  while (top.parent) {
    top = top.parent;
  }
  return top;
}

// Returns the vertical extent of meshes in world space; if they lie, their largest extent. Of each mesh, it measures all vertices or some thousands.
/** @param {Mesh[]} meshes */
function extentOf(meshes) {
  const heights = meshes.flatMap((mesh) => {
    const { position } = mesh.geometry.attributes, stride = Math.max(1, Math.floor(position.count / 2000));
    const points = [], point = mesh.position.clone();
    for (let vertex = 0; vertex < position.count; vertex += stride) {
      points.push(...mesh.getVertexPosition(vertex, point).applyMatrix4(mesh.matrixWorld).toArray());
    }
    return points;
  });
  return heightOf(Float32Array.from(heights), RULES.LYING);
}

/** @param {string} text base64 of deflated bytes */
function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
