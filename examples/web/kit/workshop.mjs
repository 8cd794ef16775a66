// Computes the texels of all garments from their poses, without three.js. Runs in the page or in a worker.

import { TABLE_WIDTH, Waves, WearerRoom, Wrinkler } from "./core.mjs";

/**
 * The data of a kind of garment: a mesh with its skin and options. Several garments, such as clones, may be of one kind.
 * @typedef {object} Description
 * @property {Int32Array} faces (T, 3) indices of joined vertices
 * @property {Float32Array} rest (V, 3) rest pose, from which compression is measured, world units
 * @property {Float32Array} bind (V, 3) positions in bind pose, the input of skinning
 * @property {Uint16Array} joints (V, 4) joints of each vertex
 * @property {Float32Array} weights (V, 4) weights of these joints
 * @property {Float32Array | null} mask (V) factor on the wrinkles at each vertex, in [0, 1]; null for 1
 * @property {Float32Array[]} morphs offsets (V, 3) of each morph target
 * @property {Record<string, any> | null} waves options of waves, lengths in world units; null for no waves
 * @property {Record<string, any> | null} paths options of wrinkle paths; null for no paths
 */

/**
 * @typedef {object} Pose
 * @property {number} garment number of the garment
 * @property {number} [wearer] garments with the same number, which is not 0, are worn over each other: their folds end before the next one
 * @property {Float32Array} matrices (J, 16) column-major joint matrices from bind pose to world space
 * @property {ArrayLike<number>} morphs weights of the morph targets
 * @property {Float32Array | null} positions (V, 3) world positions, which replace skinning; null to skin
 */

/**
 * @typedef {object} Frame
 * @property {number} garment number of the garment
 * @property {Uint32Array} texels rows of TABLE_WIDTH texels
 * @property {number} rows
 * @property {number} firstWave index of the first texel with waves
 * @property {number} firstLimit index of the first texel with crowding, which ends heights before the next layer; -1 for one layer
 * @property {number} wrinkles number of wrinkle paths; 0 without paths
 */

/**
 * @typedef {{do: "kind", kind: number, description: Description} | {do: "garment", garment: number, kind: number}
 *   | {do: "step", dt: number, poses: Pose[]} | {do: "reset" | "discard", garment: number}
 *   | {do: "mask", garment: number, mask: Float32Array} | {do: "discard kind", kind: number}} Order
 */

// Duration of a step in seconds if the given time is not above 0, as in the first call of an application.
const FIRST_STEP = 1 / 60;

// The data of a description in the core's memory, and waves that the garments of this kind clone.
class Kind {
  /** @type {Waves | null} */
  pattern = null;

  /** @param {import('./core.mjs').Core} core @param {Description} description */
  constructor(core, description) {
    this.core = core;
    this.description = description;
    const { faces, rest, waves, bind, joints, weights, mask } = description;
    this.pattern = waves && new Waves(core, faces, rest, waves);
    this.joints = core.copy(joints);
    this.weights = core.copy(weights);
    this.bind = core.copy(bind);
    this.mask = mask ? core.copy(mask) : 0;
  }

  destroy() {
    this.pattern?.destroy();
    [this.joints, this.weights, this.bind, this.mask].forEach((address) => this.core.free(address));
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
  // address of the mask of this garment; 0 if it has the mask of its kind
  #ownMask = 0;
  #found = { texels: new Uint32Array(4), firstWave: 0, wrinkles: 0 };

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
    [this.#positions, this.#morphed, this.#matrices, this.#ownMask].forEach((address) => this.#core.free(address));
  }

  /** @param {Float32Array} mask (V) */
  setMask(mask) {
    this.#core.free(this.#ownMask);
    this.#ownMask = this.#core.copy(mask);
  }

  get #mask() {
    return this.#ownMask || this.#kind.mask;
  }

  reset() {
    this.#waves?.reset();
    this.#paths?.reset();
  }

  /**
   * @param {Pose} pose
   * @param {number} dt seconds
   */
  step(pose, dt) {
    const core = this.#core;
    this.#place(pose);
    this.#waves?.stepAt(this.#positions, dt);
    if (this.#paths) {
      this.#paths.step(core.floats(this.#positions, this.#kind.description.rest.length), dt);
      const { texels, firstWave } = this.#paths.table(this.#waves);
      // a copy, because the next call may move the memory
      this.#found = { texels: texels.slice(), firstWave, wrinkles: this.#paths.count };
      return;
    }
    this.#found = { texels: this.#waves ? this.#waves.texels().slice() : new Uint32Array(4), firstWave: 0, wrinkles: 0 };
  }

  /**
   * Returns the frame of the last step.
   * @param {number} garment
   * @param {Float32Array | null} [crowding] (V, 2) between all garments of the wearer; by default, between the layers of this one
   * @returns {Frame}
   */
  frame(garment, crowding) {
    const { texels, ...rest } = this.#found;
    const own = crowding ?? (this.#paths ? this.#paths.crowding() : this.#waves?.crowding(this.#positions, this.#mask)) ?? null;
    return { garment, ...tableOf(texels, own), ...rest };
  }

  /** The mesh and the heights of the last step, for `WearerRoom`. */
  get layer() {
    const { description } = this.#kind;
    return { faces: description.faces, vertexCount: description.rest.length / 3, positions: this.#positions, mask: this.#mask,
      waves: this.#waves, paths: this.#paths };
  }

  // Writes the positions of the pose into the core's memory: the given positions, or morphed and skinned ones.
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

// Returns the texels of a frame, followed by one texel per vertex with its crowding if there are several layers, padded
// to whole rows.
/** @param {Uint32Array} found @param {Float32Array | null} crowding */
function tableOf(found, crowding) {
  const count = found.length / 4, limits = crowding ? crowding.length / 2 : 0;
  const rows = Math.ceil((count + limits) / TABLE_WIDTH), texels = new Uint32Array(4 * TABLE_WIDTH * rows);
  texels.set(found);
  const numbers = new Float32Array(texels.buffer);
  for (let v = 0; v < limits; ++v) {
    numbers[4 * (count + v)] = /** @type {Float32Array} */ (crowding)[2 * v];
    numbers[4 * (count + v) + 1] = /** @type {Float32Array} */ (crowding)[2 * v + 1];
  }
  return { rows, texels, firstLimit: limits ? count : -1 };
}

/** All kinds and garments, by their numbers. */
export class Workshop {
  #core;
  /** @type {Map<number, Kind>} */
  #kinds = new Map();
  /** @type {Map<number, Garment>} */
  #garments = new Map();
  // the rooms of wearers, by the numbers of their garments
  /** @type {Map<string, {room: WearerRoom, garments: number[]}>} */
  #rooms = new Map();

  /** @param {import('./core.mjs').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * Executes an order. Both the worker and the page call this function.
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
      case "mask":
        this.#found(this.#garments, order.garment).setMask(order.mask);
        break;
      case "discard":
        for (const [key, { room, garments }] of this.#rooms) {
          if (garments.includes(order.garment)) {
            room.destroy();
            this.#rooms.delete(key);
          }
        }
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
   * Steps garments. If the core rejects a pose, for example infinite positions, the garment keeps its last frame and the reply
   * contains the error.
   * @param {Pose[]} poses
   * @param {number} dt
   */
  #step(poses, dt) {
    const started = performance.now(), failures = [];
    /** @type {Map<number | string, number[]>} */
    const wearers = new Map();
    for (const { garment, wearer, ...pose } of poses) {
      try {
        this.#found(this.#garments, garment).step({ garment, ...pose }, dt > 0 ? dt : FIRST_STEP);
        const key = wearer || `alone ${garment}`;
        wearers.set(key, [...(wearers.get(key) ?? []), garment]);
      } catch (error) {
        failures.push({ garment, message: /** @type {Error} */ (error).message });
      }
    }
    const frames = [...wearers.values()].flatMap((garments) => this.#framesOf(garments));
    const reply = { frames, failures, time: performance.now() - started };
    return { reply, transfer: frames.map((frame) => /** @type {ArrayBuffer} */ (frame.texels.buffer)) };
  }

  /** @param {number[]} numbers garments of one wearer @returns {Frame[]} */
  #framesOf(numbers) {
    const garments = numbers.map((number) => this.#found(this.#garments, number)), layers = garments.map(({ layer }) => layer);
    if (garments.length < 2) {
      return [garments[0].frame(numbers[0])];
    }
    const key = numbers.join(" "), known = this.#rooms.get(key) ?? { room: new WearerRoom(this.#core, layers), garments: numbers };
    this.#rooms.set(key, known);
    const crowding = known.room.measure(layers);
    return garments.map((garment, i) => garment.frame(numbers[i], crowding[i]));
  }

  /**
   * @template T
   * @param {Map<number, T>} all
   * @param {number} number
   */
  #found(all, number) {
    const found = all.get(number);
    if (!found) {
      throw new Error(`no garment, and no kind of garment, has the number ${number}`);
    }
    return found;
  }
}
