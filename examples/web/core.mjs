// ruckle_c.h for JavaScript: the core as WebAssembly, without generated code around it.

// Texels a row of the table.
export const TABLE_WIDTH = 128;

// The structs of C by name, as they were compiled: their sizes, and offset and size of each member.
const structs = {};

// Reads the structs from the core, so that this file need not repeat them. A row has three texts and two 32-bit numbers.
function readStructs(core) {
  const count = core.malloc(4), first = core.ruckle_members(count), view = new DataView(core.memory.buffer);
  const text = (address) => {
    const bytes = new Uint8Array(core.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  };
  for (let i = 0; i < view.getInt32(count, true); ++i) {
    const [struct, name, , offset, size] = new Uint32Array(core.memory.buffer, first + 20 * i, 5);
    const members = structs[text(struct)] ??= {};
    members[text(name)] = { offset, size };
  }
  core.free(count);
}

// Returns a member of a struct, which must exist.
function member(struct, name) {
  const found = structs[struct]?.[name];
  if (!found) {
    throw new Error(`the core has no ${struct}.${name}`);
  }
  return found;
}

// Bytes for the largest struct that a call writes; a multiple of 8, for the options after it.
function largestResult() {
  const sizes = ["ruckle_wrinkle", "ruckle_fine_mesh", "ruckle_table"].map((name) => member(name, "").size);
  return 8 * Math.ceil(Math.max(...sizes) / 8);
}

// Returns the functions of the module. It imports only the time and the exit of a system.
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
  readStructs(exports);
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
  // options  values by name, for float members of ruckle_options; the others keep their defaults
  constructor(core, faces, vertexCount, options) {
    this.#core = core;
    this.#vertexCount = vertexCount;
    this.#faceCount = faces.length / 3;
    this.#positions = core.malloc(12 * vertexCount);
    this.#result = core.malloc(largestResult() + member("ruckle_surface_options", "").size);
    const given = core.malloc(faces.byteLength), chosen = core.malloc(member("ruckle_options", "").size);
    this.#array(Int32Array, given, faces.length).set(faces);
    core.ruckle_default_options(chosen);
    for (const [name, value] of Object.entries(options)) {
      this.#view().setFloat32(chosen + member("ruckle_options", name).offset, value, true);
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
    const at = (name) => this.#word("ruckle_wrinkle", name), n = at("point_count");
    const floats = (name, count) => this.#array(Float32Array, at(name), count);
    return {
      id: this.#view().getBigInt64(this.#result + member("ruckle_wrinkle", "id").offset, true),
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
    const at = (name) => this.#word("ruckle_fine_mesh", name);
    return {
      positions: this.#array(Float32Array, at("positions"), 3 * at("vertex_count")),
      normals: this.#array(Float32Array, at("normals"), 3 * at("vertex_count")),
      faces: this.#array(Int32Array, at("faces"), 3 * at("face_count")),
    };
  }

  // The table of the last step that shaders read, whole rows of TABLE_WIDTH texels; the base is curved.
  table() {
    this.#check(
      this.#core.ruckle_make_table(this.#wrinkler, this.#positions, this.#vertexCount, this.#curved(), this.#result));
    const rows = this.#word("ruckle_table", "row_count"), texels = this.#word("ruckle_table", "texels");
    return { rows, texels: this.#array(Uint32Array, texels, 4 * TABLE_WIDTH * rows) };
  }

  // The address of options of a surface: the defaults, with a curved base.
  #curved() {
    const options = this.#result + largestResult();
    this.#core.ruckle_default_surface_options(options);
    this.#view().setInt32(options + member("ruckle_surface_options", "curved").offset, 1, true);
    return options;
  }

  // A member of 32 bits of the struct that the last call has written.
  #word(struct, name) {
    return this.#view().getUint32(this.#result + member(struct, name).offset, true);
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
