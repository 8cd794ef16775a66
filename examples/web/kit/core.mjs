// Calls the C interface ruckle_c.h of the core, a WebAssembly module, from JavaScript.

import { PATH_OPTIONS, WAVE_OPTIONS } from "./options.mjs";

/**
 * The description of one option.
 * @typedef {object} Option
 * @property {string} type float, int, uint64 or bool
 * @property {boolean} length true for a length in mesh units
 * @property {string} group heading in a list of options
 * @property {string} unit
 * @property {string} help description in one sentence
 * @property {string} derived the default in words, if it depends on other values
 * @property {number | boolean | null} default default value; null if it depends on other values
 * @property {number | null} least
 * @property {number | null} most
 * @property {{low?: number, high?: number, even_ratios?: boolean} | null} slider ends of the useful range of values
 */

/** @typedef {{offset: number, size: number}} Member */

/** Texels per row of the texture of a frame, and of the texture of the rest pose. */
export const TABLE_WIDTH = 128, REST_WIDTH = 1024;

/** Access to the functions, memory and structs of the module. */
export class Core {
  /** @type {any} */
  #exports;
  /** @type {Record<string, Record<string, Member>>} */
  #structs = {};
  #scratch;

  /** @param {any} exports */
  constructor(exports) {
    this.#exports = exports;
    this.#readStructs();
    this.#scratch = exports.malloc(1024);
  }

  /** Address of 1024 bytes for results of calls. Every struct is smaller. */
  get scratch() {
    return this.#scratch;
  }

  get version() {
    return this.text(this.#exports.ruckle_version());
  }

  /** Size of the core's memory in bytes. */
  get memorySize() {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Calls a function. If it returns a status other than 0, throws an error with the message of the core.
   * @param {string} name without `ruckle_`
   * @param {...(number | bigint)} values
   */
  check(name, ...values) {
    if (this.call(name, ...values)) {
      throw new Error(this.text(this.#exports.ruckle_error_message()));
    }
  }

  /**
   * @param {string} name without `ruckle_`
   * @param {...(number | bigint)} values
   * @returns {number}
   */
  call(name, ...values) {
    return this.#exports[`ruckle_${name}`](...values);
  }

  /** @param {number} size */
  allocate(size) {
    const address = this.#exports.malloc(size);
    if (!address && size) {
      throw new Error(`the WebAssembly core cannot allocate ${size} bytes`);
    }
    return address;
  }

  /** @param {number} address */
  free(address) {
    this.#exports.free(address);
  }

  /**
   * Copies an array into the core's memory, and returns the address. The caller frees it.
   * @param {Int32Array | Uint16Array | Float32Array} values
   */
  copy(values) {
    const address = this.allocate(values.byteLength);
    new Uint8Array(this.#exports.memory.buffer).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), address);
    return address;
  }

  /** @param {number} address @param {number} count */
  floats(address, count) {
    return new Float32Array(this.#exports.memory.buffer, address, count);
  }

  /** @param {number} address @param {number} count */
  integers(address, count) {
    return new Int32Array(this.#exports.memory.buffer, address, count);
  }

  /** @param {number} address @param {number} count */
  words(address, count) {
    return new Uint32Array(this.#exports.memory.buffer, address, count);
  }

  /** @param {number} address */
  text(address) {
    const bytes = new Uint8Array(this.#exports.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  view() {
    return new DataView(this.#exports.memory.buffer);
  }

  /**
   * Returns offset and size of a member of a struct; for the name "", those of the whole struct.
   * @param {string} struct
   * @param {string} name
   */
  member(struct, name) {
    const found = this.#structs[struct]?.[name];
    if (!found) {
      throw new Error(`the WebAssembly core does not declare ${struct}.${name}`);
    }
    return found;
  }

  /**
   * Returns a member of the struct at an address, as an unsigned integer of 32 bits.
   * @param {number} address
   * @param {string} struct
   * @param {string} name
   */
  word(address, struct, name) {
    return this.view().getUint32(address + this.member(struct, name).offset, true);
  }

  /**
   * Allocates a struct of options with defaults, changed by `values`. The caller frees it. Throws an error if a value has a wrong type,
   * or if `table` does not contain its name.
   * @param {string} struct
   * @param {string} defaults name of the function that sets defaults, without `ruckle_`
   * @param {Record<string, Option>} table
   * @param {Record<string, any>} values
   */
  options(struct, defaults, table, values) {
    const address = this.allocate(this.member(struct, "").size);
    this.call(defaults, address);
    for (const [name, value] of Object.entries(values)) {
      const option = table[name];
      if (!option || typeof value !== (option.type === "bool" ? "boolean" : "number")) {
        this.free(address);
        throw new Error(option
          ? `${name}: expected a ${option.type === "bool" ? "boolean" : "number"}, got ${JSON.stringify(value)}`
          : `${name}: no such option; expected one of ${Object.keys(table).join(", ")}`);
      }
      const view = this.view(), place = address + this.member(struct, name).offset;
      if (option.type === "float") {
        view.setFloat32(place, value, true);
      } else if (option.type === "uint64") {
        view.setBigUint64(place, BigInt(value), true);
      } else {
        view.setInt32(place, Number(value), true);
      }
    }
    return address;
  }

  // Reads the layout of all C structs from the core. A row has the addresses of three texts, then offset and size, in 32 bits each.
  #readStructs() {
    const count = this.allocate(4), first = this.call("members", count);
    for (let i = 0; i < this.view().getInt32(count, true); ++i) {
      const [struct, name, , offset, size] = this.words(first + 20 * i, 5);
      const members = this.#structs[this.text(struct)] ??= {};
      members[this.text(name)] = { offset, size };
    }
    this.free(count);
  }
}

/**
 * Starts the core. The module imports only functions of WASI (time, exit, environment variables) and a notification of
 * Emscripten.
 * @param {BufferSource | WebAssembly.Module} wasm
 */
export async function loadCore(wasm) {
  /** @type {any} */
  let exports;
  const system = {
    clock_time_get(/** @type {number} */ clock, /** @type {bigint} */ precision, /** @type {number} */ result) {
      new DataView(exports.memory.buffer).setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    proc_exit(/** @type {number} */ code) {
      throw new Error(`the WebAssembly core has exited with status ${code}`);
    },
    // there are no environment variables
    environ_sizes_get(/** @type {number} */ count, /** @type {number} */ size) {
      const view = new DataView(exports.memory.buffer);
      [count, size].forEach((address) => view.setUint32(address, 0, true));
      return 0;
    },
    environ_get: () => 0,
  };
  const memory = { emscripten_notify_memory_growth() {} };
  const compiled = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  ({ exports } = await WebAssembly.instantiate(compiled, { env: memory, wasi_snapshot_preview1: system }));
  exports._initialize();
  return new Core(exports);
}

/** Wrinkle paths of one garment. Results are views of the core's memory, which are valid until the next call. */
export class Wrinkler {
  #core;
  #wrinkler;
  #positions;
  #surfaceOptions;
  #vertexCount;
  #rest = 0;

  /**
   * @param {Core} core
   * @param {Int32Array} faces (T, 3)
   * @param {number} vertexCount
   * @param {Record<string, any>} options options in PATH_OPTIONS, lengths in mesh units
   */
  constructor(core, faces, vertexCount, options) {
    this.#core = core;
    this.#vertexCount = vertexCount;
    const given = core.copy(faces), chosen = core.options("ruckle_options", "default_options", PATH_OPTIONS, options);
    try {
      core.check("create", given, faces.length / 3, vertexCount, chosen, core.scratch);
    } finally {
      core.free(given);
      core.free(chosen);
    }
    this.#wrinkler = core.view().getUint32(core.scratch, true);
    this.#positions = core.allocate(12 * vertexCount);
    this.#surfaceOptions = core.allocate(core.member("ruckle_surface_options", "").size);
    core.call("default_surface_options", this.#surfaceOptions);
    core.view().setInt32(this.#surfaceOptions + core.member("ruckle_surface_options", "curved").offset, 1, true);
  }

  destroy() {
    this.#core.call("destroy", this.#wrinkler);
    [this.#positions, this.#surfaceOptions, this.#rest].forEach((address) => this.#core.free(address));
  }

  /**
   * Sets the rest pose, from which compression is measured.
   * @param {Float32Array} positions (V, 3), mesh units
   */
  setRest(positions) {
    this.#core.free(this.#rest);
    this.#rest = this.#core.copy(positions);
    this.#core.check("set_rest", this.#wrinkler, this.#rest, this.#vertexCount);
  }

  /**
   * Steps to the next frame.
   * @param {Float32Array} positions (V, 3), mesh units
   * @param {number} dt seconds
   */
  step(positions, dt) {
    this.#core.floats(this.#positions, 3 * this.#vertexCount).set(positions);
    this.#core.check("step", this.#wrinkler, this.#positions, this.#vertexCount, dt);
  }

  reset() {
    this.#core.call("reset", this.#wrinkler);
  }

  /** Address of the wrinkler in the core's memory. */
  get address() {
    return this.#wrinkler;
  }

  get count() {
    return this.#core.call("wrinkle_count", this.#wrinkler);
  }

  /**
   * Returns wrinkle `index`: id (in order of creation), and for each vertex of its path the edge, the position t on the edge (weight
   * of the edge's first vertex), the point (three entries of the flat array `points`), width and height in mesh units.
   * @param {number} index
   */
  wrinkle(index) {
    const core = this.#core, result = core.scratch;
    core.check("get_wrinkle", this.#wrinkler, index, result);
    const at = (/** @type {string} */ name) => core.word(result, "ruckle_wrinkle", name), n = at("point_count");
    const floats = (/** @type {string} */ name, /** @type {number} */ count) => core.floats(at(name), count);
    return {
      id: core.view().getBigInt64(result + core.member("ruckle_wrinkle", "id").offset, true),
      edges: core.integers(at("edges"), n),
      t: floats("t", n),
      points: floats("points", 3 * n),
      widths: floats("widths", n),
      heights: floats("heights", n),
    };
  }

  /**
   * Returns the fine mesh of the last step, with heights on a smooth surface through the coarse vertices. Flat arrays with
   * three entries per row: `positions` (mesh units) and unit `normals` of the vertices, vertex indices `faces` of the triangles.
   */
  displace() {
    const core = this.#core, result = core.scratch;
    core.check("displace", this.#wrinkler, this.#positions, this.#vertexCount, this.#surfaceOptions, result);
    const at = (/** @type {string} */ name) => core.word(result, "ruckle_fine_mesh", name);
    return {
      positions: core.floats(at("positions"), 3 * at("vertex_count")),
      normals: core.floats(at("normals"), 3 * at("vertex_count")),
      faces: core.integers(at("faces"), 3 * at("face_count")),
    };
  }

  /**
   * Returns the shaders' table of the last step in rows of TABLE_WIDTH texels, and the index of its first texel with waves (0 without
   * waves).
   * @param {Waves | null} waves waves that were stepped to the same positions
   */
  table(waves) {
    const core = this.#core, result = core.scratch, source = result + 512;
    waves?.writeSource(this.#positions, source);
    core.check("make_table_layers", this.#wrinkler, this.#positions, this.#vertexCount, this.#surfaceOptions, source,
      waves ? 1 : 0, result);
    const at = (/** @type {string} */ name) => core.word(result, "ruckle_table", name);
    const rows = at("row_count");
    return {
      rows,
      texels: core.words(at("texels"), 4 * TABLE_WIDTH * rows),
      firstWave: waves ? core.integers(at("source_texels"), 1)[0] : 0,
    };
  }

  /** Crowding (V, 2) of the last table, 1 / mesh units: inverse of the free space before the next layer of cloth, along
   * the normal and against it. Null for a mesh with one layer. */
  crowding() {
    const found = this.#core.call("web_crowding", this.#wrinkler);
    return found ? this.#core.floats(found, 2 * this.#vertexCount) : null;
  }
}

/** Limits of heights between the layers of several garments of one wearer. */
export class WearerRoom {
  #core;
  #room;
  #positions;
  #open;
  #garments;

  /**
   * @param {Core} core
   * @param {{faces: Int32Array, vertexCount: number}[]} garments
   */
  constructor(core, garments) {
    this.#core = core;
    let first = 0;
    this.#garments = garments.map(({ faces, vertexCount }) => {
      const own = { first, vertexCount, faces };
      first += vertexCount;
      return own;
    });
    const faces = core.copy(Int32Array.from(this.#garments.flatMap((own) => Array.from(own.faces, (vertex) => vertex + own.first))));
    this.#room = core.call("web_wearer_create", faces, this.#garments.reduce((sum, own) => sum + own.faces.length / 3, 0), first);
    core.free(faces);
    this.#positions = core.allocate(12 * first);
    this.#open = core.allocate(4 * first);
  }

  destroy() {
    this.#core.call("web_wearer_destroy", this.#room);
    [this.#positions, this.#open].forEach((address) => this.#core.free(address));
  }

  /**
   * Returns the crowding (V, 2) of each garment in its last step.
   * @param {{positions: number, mask: number, waves: Waves | null, paths: Wrinkler | null}[]} garments addresses of the positions and
   *   of the masks; a mask of 0 is 1 everywhere
   */
  measure(garments) {
    const core = this.#core;
    let firstFace = 0;
    garments.forEach(({ positions, mask, waves, paths }, i) => {
      const { first, vertexCount, faces } = this.#garments[i], all = this.#garments.reduce((sum, own) => sum + own.vertexCount, 0);
      core.floats(this.#positions, 3 * all).set(core.floats(positions, 3 * vertexCount), 3 * first);
      const open = core.floats(this.#open, all).subarray(first, first + vertexCount);
      if (mask) {
        open.set(core.floats(mask, vertexCount));
      } else {
        open.fill(1);
      }
      core.call("web_wearer_add", this.#room, firstFace, faces.length / 3, waves?.address ?? 0, positions, paths?.address ?? 0);
      firstFace += faces.length / 3;
    });
    const found = core.call("web_wearer_measure", this.#room, this.#positions, this.#open);
    return this.#garments.map(({ first, vertexCount }) => core.floats(found + 8 * first, 2 * vertexCount).slice());
  }
}

/** Wrinkle waves of one garment. */
export class Waves {
  #core;
  #waves;
  #positions;
  #texels;
  #room;
  #vertexCount;
  #faceCount;

  /**
   * @param {Core} core
   * @param {Int32Array} faces (T, 3)
   * @param {Float32Array} rest (V, 3) the cloth at rest, mesh units
   * @param {Record<string, any>} options options in WAVE_OPTIONS, lengths in mesh units
   * @param {Waves | null} [kind] waves with the same mesh, rest pose and options, to share their data
   */
  constructor(core, faces, rest, options, kind = null) {
    this.#core = core;
    this.#vertexCount = rest.length / 3;
    this.#faceCount = faces.length / 3;
    if (kind) {
      core.check("waves_clone", kind.#waves, core.scratch);
    } else {
      const chosen = core.options("ruckle_wave_options", "waves_default_options", WAVE_OPTIONS, options);
      const given = core.copy(faces), still = core.copy(rest);
      try {
        core.check("waves_create", given, this.#faceCount, still, this.#vertexCount, 0, chosen, core.scratch);
      } finally {
        [given, still, chosen].forEach((address) => core.free(address));
      }
    }
    this.#waves = core.view().getUint32(core.scratch, true);
    this.#positions = core.allocate(12 * this.#vertexCount);
    this.#texels = core.allocate(16 * this.#vertexCount);
    this.#room = core.call("web_room_create", this.#waves);
    if (kind) {
      this.reset();
    }
  }

  destroy() {
    this.#core.call("web_room_destroy", this.#room);
    this.#core.call("waves_destroy", this.#waves);
    [this.#positions, this.#texels].forEach((address) => this.#core.free(address));
  }

  /**
   * Steps to the next frame.
   * @param {Float32Array} positions (V, 3), mesh units
   * @param {number} dt seconds
   */
  step(positions, dt) {
    this.#core.floats(this.#positions, 3 * this.#vertexCount).set(positions);
    this.stepAt(this.#positions, dt);
  }

  /**
   * Steps to the next frame, whose positions are in the core's memory.
   * @param {number} address address of the positions (V, 3), mesh units
   * @param {number} dt seconds
   */
  stepAt(address, dt) {
    this.#core.check("waves_step", this.#waves, address, this.#vertexCount, dt, 0);
  }

  reset() {
    this.#core.call("waves_reset", this.#waves);
  }

  /** Address of the waves in the core's memory. */
  get address() {
    return this.#waves;
  }

  /** Returns the texels (T + V, 4) of the rest pose and the wave profile (4) for shaders/common/waves.glsl. */
  restTexels() {
    const core = this.#core, count = this.#faceCount + this.#vertexCount, texels = core.allocate(16 * count);
    core.check("waves_write_rest_texels", this.#waves, texels, core.scratch);
    const result = { texels: core.floats(texels, 4 * count).slice(), profile: core.floats(core.scratch, 4).slice() };
    core.free(texels);
    return result;
  }

  /** Returns the texels (V, 4) of the last step as a view of the core's memory. */
  texels() {
    this.#core.check("waves_write_texels", this.#waves, this.#texels);
    return this.#core.words(this.#texels, 4 * this.#vertexCount);
  }

  /**
   * Crowding (V, 2) of the last step, 1 / mesh units: inverse of the free space before the next layer of cloth, along
   * the normal and against it. Null for a mesh with one layer.
   * @param {number} positions address of the positions of the last step
   * @param {number} mask address of the factors of the heights (V), or 0 if all factors are 1
   */
  crowding(positions, mask) {
    if (!this.#room) {
      return null;
    }
    // a copy, because the next call may move the memory
    return this.#core.floats(this.#core.call("web_room_measure", this.#room, positions, mask), 2 * this.#vertexCount).slice();
  }

  /**
   * Writes a struct ruckle_height_source, through which a wrinkler adds the waves to its table.
   * @param {number} positions address of the positions of the last step
   * @param {number} source address of the result
   */
  writeSource(positions, source) {
    this.#core.check("waves_heights", this.#waves, positions, this.#vertexCount, source);
  }

  /**
   * Returns heights (N) and gradients (N, 3) at points of the last step.
   * @param {Float32Array} positions (V, 3) positions of the last step
   * @param {Int32Array} faces (N) face of each point
   * @param {Float32Array} barycentric (N, 3) barycentric coordinates in this face
   */
  sample(positions, faces, barycentric) {
    const core = this.#core, n = faces.length, given = [core.copy(positions), core.copy(faces), core.copy(barycentric)];
    const heights = core.allocate(4 * n), gradients = core.allocate(12 * n);
    this.writeSource(given[0], core.scratch);
    core.check("waves_sample", this.#waves, given[1], given[2], n, heights, gradients);
    const result = { heights: core.floats(heights, n).slice(), gradients: core.floats(gradients, 3 * n).slice() };
    [...given, heights, gradients].forEach((address) => core.free(address));
    return result;
  }
}
