// Garments without three.js: poses in, texels for shaders out. Runs in the page or in a worker.

import { TABLE_WIDTH, Waves, Wrinkler } from "./core.mjs";

/**
 * A mesh with its skin and the options of its layers. Any number of garments share it.
 * @typedef {object} Description
 * @property {Int32Array} faces (T, 3) welded
 * @property {Float32Array} rest (V, 3) the cloth without compression, world units
 * @property {Float32Array} bind (V, 3) positions that skinning starts from
 * @property {Uint16Array} joints (V, 4)
 * @property {Float32Array} weights (V, 4)
 * @property {Float32Array[]} morphs (V, 3) each: offsets of morph targets
 * @property {Record<string, any> | null} waves options of this layer, lengths in world units; null without it
 * @property {Record<string, any> | null} paths
 */

/**
 * @typedef {object} Pose
 * @property {number} garment
 * @property {Float32Array} matrices (J, 16) from bind pose to the world, column by column
 * @property {ArrayLike<number>} morphs weights of the morph targets
 * @property {Float32Array | null} positions (V, 3) in the world, in place of the skin
 */

/**
 * @typedef {object} Frame
 * @property {number} garment
 * @property {Uint32Array} texels whole rows of TABLE_WIDTH texels
 * @property {number} rows
 * @property {number} firstWave first texel of the waves
 * @property {number} wrinkles count of wrinkle paths
 */

/**
 * @typedef {{do: "kind", kind: number, description: Description} | {do: "garment", garment: number, kind: number}
 *   | {do: "step", dt: number, poses: Pose[]} | {do: "reset" | "discard", garment: number}
 *   | {do: "discard kind", kind: number}} Order
 */

const FIRST_STEP = 1 / 60;

// Memory of a description, and waves that garments clone.
class Kind {
  /** @type {Waves | null} */
  pattern = null;

  /** @param {import('./core.mjs').Core} core @param {Description} description */
  constructor(core, description) {
    this.core = core;
    this.description = description;
    const { faces, rest, waves, bind, joints, weights } = description;
    this.pattern = waves && new Waves(core, faces, rest, waves);
    this.joints = core.copy(joints);
    this.weights = core.copy(weights);
    this.bind = core.copy(bind);
  }

  destroy() {
    this.pattern?.destroy();
    [this.joints, this.weights, this.bind].forEach((address) => this.core.free(address));
  }
}

class Garment {
  #kind;
  #core;
  #waves;
  #paths;
  #positions;
  #morphed;
  #matrices = 0;
  #matrixCount = 0;

  /** @param {Kind} kind */
  constructor(kind) {
    const { core, pattern, description: { faces, rest, morphs, waves, paths } } = kind;
    this.#kind = kind;
    this.#core = core;
    this.#waves = waves && pattern && new Waves(core, faces, rest, waves, pattern);
    this.#paths = paths && new Wrinkler(core, faces, rest.length / 3, paths);
    this.#paths?.setRest(rest);
    this.#positions = core.allocate(4 * rest.length);
    this.#morphed = morphs.length ? core.allocate(4 * rest.length) : 0;
  }

  destroy() {
    this.#waves?.destroy();
    this.#paths?.destroy();
    [this.#positions, this.#morphed, this.#matrices].forEach((address) => this.#core.free(address));
  }

  reset() {
    this.#waves?.reset();
    this.#paths?.reset();
  }

  /**
   * @param {Pose} pose
   * @param {number} dt seconds
   * @returns {Frame}
   */
  step(pose, dt) {
    const core = this.#core;
    this.#place(pose);
    this.#waves?.stepAt(this.#positions, dt);
    if (this.#paths) {
      this.#paths.step(core.floats(this.#positions, this.#kind.description.rest.length), dt);
      const { rows, texels, firstWave } = this.#paths.table(this.#waves);
      return { garment: pose.garment, rows, texels: texels.slice(), firstWave, wrinkles: this.#paths.count };
    }
    const found = this.#waves ? this.#waves.texels() : new Uint32Array(4);
    const rows = Math.ceil(found.length / 4 / TABLE_WIDTH), texels = new Uint32Array(4 * TABLE_WIDTH * rows);
    texels.set(found);
    return { garment: pose.garment, rows, texels, firstWave: 0, wrinkles: 0 };
  }

  /** @param {Pose} pose */
  #place({ matrices, morphs, positions }) {
    const core = this.#core, { description, bind, joints, weights } = this.#kind, count = description.rest.length;
    if (positions) {
      core.floats(this.#positions, count).set(positions);
      return;
    }
    if (this.#matrixCount < matrices.length) {
      core.free(this.#matrices);
      this.#matrixCount = matrices.length;
      this.#matrices = core.allocate(4 * matrices.length);
    }
    core.floats(this.#matrices, matrices.length).set(matrices);
    let from = bind;
    description.morphs.forEach((offsets, target) => {
      const weight = morphs[target] ?? 0;
      if (weight) {
        const morphed = core.floats(this.#morphed, count);
        if (from === bind) {
          from = this.#morphed;
          morphed.set(description.bind);
        }
        for (let i = 0; i < count; ++i) {
          morphed[i] += weight * offsets[i];
        }
      }
    });
    core.call("web_skin", from, joints, weights, this.#matrices, count / 3, this.#positions);
  }
}

/** Kinds and garments by number. */
export class Workshop {
  #core;
  /** @type {Map<number, Kind>} */
  #kinds = new Map();
  /** @type {Map<number, Garment>} */
  #garments = new Map();

  /** @param {import('./core.mjs').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * Does what an order asks. A worker and a page call the same function.
   * @param {Order} order
   * @returns {{reply: any, transfer: ArrayBuffer[]}}
   */
  handle(order) {
    switch (order.do) {
      case "kind": {
        const kind = new Kind(this.#core, order.description);
        this.#kinds.set(order.kind, kind);
        const reply = kind.pattern?.restTexels() ?? null;
        return { reply, transfer: reply ? [reply.texels.buffer] : [] };
      }
      case "garment":
        this.#garments.set(order.garment, new Garment(this.#found(this.#kinds, order.kind)));
        break;
      case "step":
        return this.#step(order.poses, order.dt);
      case "reset":
        this.#found(this.#garments, order.garment).reset();
        break;
      case "discard":
        this.#found(this.#garments, order.garment).destroy();
        this.#garments.delete(order.garment);
        break;
      case "discard kind":
        this.#found(this.#kinds, order.kind).destroy();
        this.#kinds.delete(order.kind);
    }
    return { reply: null, transfer: [] };
  }

  /**
   * A garment whose pose is refused, such as one with infinite positions, keeps its last frame.
   * @param {Pose[]} poses
   * @param {number} dt
   */
  #step(poses, dt) {
    const started = performance.now(), frames = [], failures = [];
    for (const pose of poses) {
      try {
        frames.push(this.#found(this.#garments, pose.garment).step(pose, dt > 0 ? dt : FIRST_STEP));
      } catch (error) {
        failures.push({ garment: pose.garment, message: /** @type {Error} */ (error).message });
      }
    }
    const reply = { frames, failures, time: performance.now() - started };
    return { reply, transfer: frames.map((frame) => /** @type {ArrayBuffer} */ (frame.texels.buffer)) };
  }

  /**
   * @template T
   * @param {Map<number, T>} all
   * @param {number} number
   */
  #found(all, number) {
    const found = all.get(number);
    if (!found) {
      throw new Error(`no garment or kind has the number ${number}`);
    }
    return found;
  }
}
