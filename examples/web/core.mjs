// ruckle_c.h for JavaScript: the core as WebAssembly, without generated code around it.

// Texels a row of the table.
export const TABLE_WIDTH = 128;

// Byte offsets in ruckle_options and ruckle_wrinkle, and the sizes of the results that functions write.
const OPTIONS = { r_min: 0, amplitude: 4, tau: 8, grow_tau: 12 };
const WRINKLE = { id: 0, point_count: 60, edges: 64, t: 68, points: 76, widths: 80, heights: 84 };
const OPTIONS_SIZE = 256, WRINKLE_SIZE = 88, RESULT_SIZE = 64;

// Returns the functions of the module. Of its system it asks for the time, and for a way to end.
export async function loadCore(bytes) {
  let exports;
  const system = {
    clock_time_get(clock, precision, result) {
      new DataView(exports.memory.buffer).setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    proc_exit(code) {
      throw new Error(`the core has ended with ${code}`);
    },
  };
  const memory = { emscripten_notify_memory_growth() {} };
  ({ exports } = (await WebAssembly.instantiate(bytes, { env: memory, wasi_snapshot_preview1: system })).instance);
  exports._initialize();
  return exports;
}

// One garment. Arrays that it returns are views of the core's memory, valid until the next call.
export class Wrinkler {
  #core;
  #wrinkler;
  #positions;
  #result;
  #vertexCount;
  #faceCount;

  // faces    (T, 3) Int32Array
  // options  values by name, of those in OPTIONS; the others keep their defaults
  constructor(core, faces, vertexCount, options) {
    this.#core = core;
    this.#vertexCount = vertexCount;
    this.#faceCount = faces.length / 3;
    this.#positions = core.malloc(12 * vertexCount);
    this.#result = core.malloc(WRINKLE_SIZE + RESULT_SIZE);
    const given = core.malloc(faces.byteLength), chosen = core.malloc(OPTIONS_SIZE);
    this.#array(Int32Array, given, faces.length).set(faces);
    core.ruckle_default_options(chosen);
    for (const [name, value] of Object.entries(options)) {
      this.#view().setFloat32(chosen + OPTIONS[name], value, true);
    }
    this.#check(core.ruckle_create(given, faces.length / 3, vertexCount, chosen, this.#result));
    this.#wrinkler = this.#view().getUint32(this.#result, true);
    core.free(given);
    core.free(chosen);
  }

  destroy() {
    this.#core.ruckle_destroy(this.#wrinkler);
    this.#core.free(this.#positions);
    this.#core.free(this.#result);
  }

  // Takes the next frame: positions (V, 3) Float32Array, mesh units; dt in seconds.
  step(positions, dt) {
    this.#array(Float32Array, this.#positions, 3 * this.#vertexCount).set(positions);
    this.#check(this.#core.ruckle_step(this.#wrinkler, this.#positions, this.#vertexCount, dt));
  }

  reset() {
    this.#core.ruckle_reset(this.#wrinkler);
  }

  get count() {
    return this.#core.ruckle_wrinkle_count(this.#wrinkler);
  }

  // Wrinkle `index`: its number in order of birth, edges and t of its vertices, their points, widths and heights, mesh units.
  wrinkle(index) {
    this.#check(this.#core.ruckle_get_wrinkle(this.#wrinkler, index, this.#result));
    const view = this.#view(), at = (name) => view.getUint32(this.#result + WRINKLE[name], true), n = at("point_count");
    const floats = (name, count) => this.#array(Float32Array, at(name), count);
    return {
      id: view.getBigInt64(this.#result + WRINKLE.id, true),
      edges: this.#array(Int32Array, at("edges"), n),
      t: floats("t", n),
      points: floats("points", 3 * n),
      widths: floats("widths", n),
      heights: floats("heights", n),
    };
  }

  // The edge from each corner of each triangle to the next, (T, 3).
  get faceEdges() {
    return this.#array(Int32Array, this.#core.ruckle_face_edges(this.#wrinkler), this.#faceCount * 3);
  }

  // The fine mesh of the last step, over the curved base: positions and normals (N, 3), faces (M, 3).
  displace() {
    this.#check(
      this.#core.ruckle_displace(this.#wrinkler, this.#positions, this.#vertexCount, this.#curved(), this.#result));
    const [vertices, faces, positions, normals, , , , indices] = this.#array(Uint32Array, this.#result, 9);
    return {
      positions: this.#array(Float32Array, positions, 3 * vertices),
      normals: this.#array(Float32Array, normals, 3 * vertices),
      faces: this.#array(Int32Array, indices, 3 * faces),
    };
  }

  // The table of the last step that shaders read, whole rows of TABLE_WIDTH texels; the base is curved.
  table() {
    this.#check(
      this.#core.ruckle_make_table(this.#wrinkler, this.#positions, this.#vertexCount, this.#curved(), this.#result));
    const [rows, , texels] = this.#array(Uint32Array, this.#result, 3);
    return { rows, texels: this.#array(Uint32Array, texels, 4 * TABLE_WIDTH * rows) };
  }

  // Where options of a surface lie that are the defaults but for a curved base.
  #curved() {
    const options = this.#result + RESULT_SIZE;
    this.#core.ruckle_default_surface_options(options);
    this.#view().setInt32(options + 4, 1, true);
    return options;
  }

  #view() {
    return new DataView(this.#core.memory.buffer);
  }

  #array(Type, address, count) {
    return new Type(this.#core.memory.buffer, address, count);
  }

  #check(status) {
    if (status) {
      const bytes = new Uint8Array(this.#core.memory.buffer, this.#core.ruckle_error_message());
      throw new Error(new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))));
    }
  }
}
