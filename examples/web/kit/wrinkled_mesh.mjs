// Adds wrinkles to one mesh of three.js, which may have a skin and morph targets.

import {
  Bone, BufferGeometry, DataTexture, FloatType, Matrix4, Mesh, NearestFilter, RGBAFormat, RGBAIntegerFormat, SkinnedMesh, UnsignedIntType,
  Vector4,
} from "three";
import { REST_WIDTH, TABLE_WIDTH } from "./core.mjs";
import { gathered, joined, morphsOf, moved, moveTo, placed, scaleOf, setMask, skinOf } from "./cloth.mjs";
import { chosenOptions } from "./lengths.mjs";
import { RULES } from "./role_words.mjs";

/**
 * @typedef {object} MeshOptions
 * @property {import('./options.mjs').WaveOptions | false} [waves] options of wrinkle waves, or false for no waves; default: waves with default options
 * @property {import('./options.mjs').PathOptions | boolean} [paths] options of wrinkle paths, or true for default options; default: no paths
 * @property {number} [height] height of the character in world units, to which percentages refer; default: vertical extent of the object
 *   that was given to `Ruckle.add`, or of its skinned meshes if it has any
 * @property {Float32Array | null} [mask] (N) factor on the wrinkles in [0, 1] for each vertex of the geometry; default: the mask of
 *   `findCloth` for a group, 1 for a single mesh
 * @property {number} [parts] parts per side of a triangle; a value above 1 also raises vertices, so that outlines show folds; default: 1
 */

/** Data that garments with the same geometry and options share. */
/** @typedef {{number: number, geometry: BufferGeometry, rest: DataTexture, profile: Vector4}} Kind */
/** A kind, its promise, and the number of meshes that use it. */
/** @typedef {{key: string, users: number, made: Promise<Kind>}} Shared */

// Original geometry and material of a mesh, by its drawn geometry.
/** @type {WeakMap<BufferGeometry, {geometry: BufferGeometry, material: import('three').Material | import('three').Material[]}>} */
const originals = new WeakMap();

const IDENTITY = new Matrix4();
const EMPTY = texture(new Uint32Array(4 * TABLE_WIDTH), TABLE_WIDTH, 1);

/**
 * @param {Float32Array | Uint32Array} texels
 * @param {number} width
 * @param {number} rows
 */
function texture(texels, width, rows) {
  const isWhole = texels instanceof Uint32Array;
  const made = new DataTexture(/** @type {any} */ (texels), width, rows, isWhole ? RGBAIntegerFormat : RGBAFormat,
    isWhole ? UnsignedIntType : FloatType);
  made.minFilter = made.magFilter = NearestFilter;
  made.needsUpdate = true;
  return made;
}

export class WrinkledMesh {
  /** @type {Mesh} */
  mesh;
  /** Number of wrinkle paths in the last frame. */
  wrinkleCount = 0;

  #strength = 1;
  #kinds;
  #materials;
  #host;
  #original;
  #cloth;
  #description;
  /** @type {Shared | null} */
  #shared = null;
  #garment = -1;
  #uniforms;
  /** @type {MeshOptions} */
  #options;
  #matrices = new Float32Array(16);
  /** @type {Float32Array | null} */
  #positions = null;
  /** @type {Float32Array | null} */
  #mask;
  /** @type {BufferGeometry | null} */
  #ownGeometry = null;

  /**
   * Called by `Ruckle.add`.
   * @param {Mesh} mesh
   * @param {MeshOptions} options
   * @param {import('./host.mjs').Host} host
   * @param {WeakMap<BufferGeometry, Map<string, Shared>>} kinds
   * @param {import('./material.mjs').Materials} materials
   */
  constructor(mesh, options, host, kinds, materials) {
    this.mesh = mesh;
    this.#host = host;
    this.#kinds = kinds;
    this.#materials = materials;
    this.#options = options;
    // a clone of a wrinkled mesh has the drawn geometry: start from the original geometry and material
    const { geometry, material } = (this.#original = originals.get(mesh.geometry) ?? { geometry: mesh.geometry, material: mesh.material });
    mesh.geometry = geometry;
    mesh.material = material;
    const cloth = (this.#cloth = joined(geometry)), skin = skinOf(geometry, cloth.sources);
    const bind = moved(gathered(geometry.attributes.position, cloth.sources), bindMatrixOf(mesh));
    // the scale is rounded to three digits, so that clones in other poses share a kind
    const scale = Number(scaleOf(this.#pose(), skin.joints, skin.weights).toPrecision(3));
    const { mask } = options;
    this.#mask = mask ? Float32Array.from(cloth.sources, (vertex) => mask[vertex]) : null;
    const rest = bind.map((value) => scale * value), morphs = morphsOf(geometry, cloth.sources);
    this.#description = { faces: cloth.faces, bind, rest, mask: this.#mask, ...skin, morphs };
    this.#uniforms = materials.uniforms({
      cloth_table: { value: EMPTY },
      wave_table: { value: /** @type {DataTexture | null} */ (null) },
      waves: { value: [0, 0, cloth.faces.length / 3] },
      wave_profile: { value: new Vector4() },
      wave_share: { value: 0 },
      ruckle_raise: { value: 0 },
      ruckle_strength: { value: 0 },
      ruckle_line: { value: 0 },
      ruckle_limits: { value: -1 },
    });
  }

  /** Number of joined vertices. */
  get vertexCount() {
    return this.#cloth.sources.length;
  }

  get triangleCount() {
    return this.#cloth.faces.length / 3;
  }

  /** Height of the mesh in its rest pose, world units. */
  get height() {
    return heightOf(this.#description.rest);
  }

  get options() {
    return this.#options;
  }

  /** Number of the garment in the host. */
  get garment() {
    return this.#garment;
  }

  /** Factor on all heights; 0 hides the wrinkles. */
  get strength() {
    return this.#strength;
  }

  set strength(factor) {
    this.#strength = factor;
    this.#uniforms.ruckle_strength.value = this.isShown ? factor : 0;
  }

  /** True if the core has computed a frame with the current options. */
  isShown = false;

  /** Position of the dividing line, in pixels from the left. The mesh is drawn without wrinkles left of this line. */
  set line(/** @type {number} */ pixels) {
    this.#uniforms.ruckle_line.value = pixels;
  }

  /**
   * Makes the garment in the core and the drawn geometry. Call it again to change options; options that are not given do not change.
   * @param {MeshOptions} [options]
   */
  async set(options = {}) {
    const chosen = { ...this.#options, ...options };
    const height = chosen.height ?? this.height;
    const layers = { waves: chosenOptions("waves", chosen.waves ?? {}, height), paths: chosenOptions("paths", chosen.paths ?? false, height) };
    const parts = chosen.parts ?? 1;
    const shared = this.#join({ ...layers, parts }), garment = this.#host.nextNumber();
    let kind;
    try {
      kind = await shared.made;
      await this.#host.send({ do: "garment", garment, kind: kind.number });
    } catch (error) {
      this.#quit(shared);
      throw error;
    }
    this.#leave();
    this.#options = chosen;
    this.#shared = shared;
    this.#garment = garment;
    this.#uniforms.wave_table.value = kind.rest;
    this.#uniforms.wave_profile.value = kind.profile;
    this.#uniforms.ruckle_raise.value = parts > 1 ? 1 : 0;
    this.isShown = false;
    this.strength = this.#strength;
    this.#draw(kind, { waves: layers.waves !== null, paths: layers.paths !== null });
  }

  /** Returns to the state before the first frame, for example after a cut of the animation. */
  reset() {
    return this.#host.send({ do: "reset", garment: this.#garment });
  }

  /** Restores geometry and material of the mesh. */
  dispose() {
    this.#leave();
    if (this.#uniforms.cloth_table.value !== EMPTY) {
      this.#uniforms.cloth_table.value.dispose();
    }
    this.mesh.geometry = this.#original.geometry;
    this.mesh.material = this.#original.material;
  }

  /** Returns the current pose for the host. */
  pose() {
    return { garment: this.#garment, wearer: this.#wearer(), matrices: this.#pose(), morphs: this.mesh.morphTargetInfluences ?? [], positions: this.#positions };
  }

  /**
   * Uploads the texels of a frame.
   * @param {import('./workshop.mjs').Frame} frame
   */
  show({ texels, rows, firstWave, firstLimit, wrinkles }) {
    const table = this.#uniforms.cloth_table, image = table.value.image;
    if (table.value !== EMPTY && image.height === rows) {
      image.data = /** @type {any} */ (texels);
      table.value.needsUpdate = true;
    } else {
      if (table.value !== EMPTY) {
        table.value.dispose();
      }
      table.value = texture(texels, TABLE_WIDTH, rows);
    }
    this.#uniforms.waves.value[0] = firstWave;
    this.#uniforms.ruckle_limits.value = firstLimit;
    this.wrinkleCount = wrinkles;
    this.isShown = true;
    this.strength = this.#strength;
  }

  /** Mask (V) of the joined vertices; all 1 if no mask was set. */
  get mask() {
    return this.#mask ?? new Float32Array(this.vertexCount).fill(1);
  }

  /**
   * Returns the three joined vertices of the coarse triangle under a triangle of the drawn geometry, such as a raycaster's result.
   * @param {number} face
   */
  verticesOf(face) {
    const parts = this.#options.parts ?? 1, coarse = Math.floor(face / parts ** 2);
    return this.#cloth.faces.subarray(3 * coarse, 3 * coarse + 3);
  }

  /** Positions (V, 3) of the joined vertices in bind pose, world units. */
  get restPositions() {
    return this.#description.rest;
  }

  /**
   * Sets the factor on the wrinkles at each joined vertex.
   * @param {Float32Array} mask (V) in [0, 1]
   */
  setMask(mask) {
    this.#mask = mask;
    setMask(this.#own(), this.#cloth, mask);
    this.#host.send({ do: "mask", garment: this.#garment, mask });
  }

  /**
   * Sets the positions of a mesh without a skin, for example from a vertex cache, and computes its normals.
   * @param {ArrayLike<number>} positions (N, 3) of the vertices of the geometry, in the space of the mesh
   */
  setPositions(positions) {
    const { sources } = this.#cloth, own = new Float32Array(3 * sources.length);
    sources.forEach((vertex, i) => [0, 1, 2].forEach((axis) => (own[3 * i + axis] = positions[3 * vertex + axis])));
    moveTo(this.#own(), this.#cloth, own);
    this.#positions = moved(own, this.mesh.matrixWorld);
  }

  // Returns a copy of the drawn geometry for this mesh only. The first call makes the copy.
  #own() {
    if (!this.#ownGeometry) {
      this.#ownGeometry = this.mesh.geometry.clone();
      this.mesh.geometry = this.#ownGeometry;
      originals.set(this.#ownGeometry, this.#original);
    }
    return this.#ownGeometry;
  }

  // Returns the kind for this geometry, mask, scale and options, or makes it. Meshes of a kind share the core's memory, the texture of
  // the rest pose and the drawn geometry.
  /** @param {{waves: any, paths: any, parts: number}} layers @returns {Shared} */
  #join(layers) {
    const { geometry } = this.#original, key = JSON.stringify([layers, this.#mask ? [...this.#mask] : 0, this.#description.rest[0]]);
    const known = this.#kinds.get(geometry) ?? new Map(), shared = known.get(key) ?? { key, users: 0, made: this.#makeKind(layers) };
    this.#kinds.set(geometry, known.set(key, shared));
    shared.users += 1;
    return shared;
  }

  // Counts one user less. Frees the kind if nothing uses it.
  /** @param {Shared} shared */
  #quit(shared) {
    shared.users -= 1;
    if (shared.users === 0) {
      this.#kinds.get(this.#original.geometry)?.delete(shared.key);
      // if the core rejected the kind, there is nothing to free
      shared.made.then((kind) => {
        this.#host.send({ do: "discard kind", kind: kind.number });
        kind.geometry.dispose();
        kind.rest.dispose();
      }, () => {});
    }
  }

  /** @param {{waves: any, paths: any, parts: number}} layers */
  async #makeKind({ waves, paths, parts }) {
    const number = this.#host.nextNumber();
    const reply = await this.#host.send({ do: "kind", kind: number, description: { ...this.#description, mask: this.#mask, waves, paths } });
    const found = reply ?? { texels: vertexNumbers(this.#cloth.faces), profile: [0, 0, 0, 0] };
    const rows = Math.ceil(found.texels.length / 4 / REST_WIDTH), texels = new Float32Array(4 * REST_WIDTH * rows);
    texels.set(found.texels);
    const profile = new Vector4().fromArray(found.profile);
    return { number, geometry: placed(this.#original.geometry, this.#cloth, this.#mask, parts), profile,
      rest: texture(texels, REST_WIDTH, rows) };
  }

  /** @param {Kind} kind @param {{waves: boolean, paths: boolean}} layers */
  #draw(kind, layers) {
    const { material } = this.#original;
    const copy = (/** @type {import('three').Material} */ one) =>
      (/** @type {any} */ (one).isOutline ? one : this.#materials.wrinkled(one, this.#uniforms, layers));
    this.mesh.material = Array.isArray(material) ? material.map(copy) : copy(material);
    this.mesh.geometry = kind.geometry;
    originals.set(kind.geometry, this.#original);
  }

  #leave() {
    this.#ownGeometry?.dispose();
    this.#ownGeometry = null;
    if (this.#shared) {
      [this.mesh.material].flat().forEach((material) => material.userData.isWrinkled && material.dispose());
      this.#host.send({ do: "discard", garment: this.#garment });
      this.#quit(this.#shared);
      this.#shared = null;
    }
  }

  // Returns a number that all meshes of one skeleton have; 0 without a skin.
  #wearer() {
    let top = this.mesh instanceof SkinnedMesh ? this.mesh.skeleton.bones[0] : null;
    while (top?.parent instanceof Bone) {
      top = top.parent;
    }
    return top ? (top.parent ?? top).id + 1 : 0;
  }

  // Returns the joint matrices (J, 16) from bind pose to world space.
  #pose() {
    const { mesh } = this;
    if (mesh instanceof SkinnedMesh) {
      mesh.skeleton.update();
      return /** @type {Float32Array} */ (mesh.skeleton.boneMatrices);
    }
    mesh.matrixWorld.toArray(this.#matrices);
    return this.#matrices;
  }
}

/** @param {Mesh} mesh */
function bindMatrixOf(mesh) {
  return mesh instanceof SkinnedMesh ? mesh.bindMatrix : IDENTITY;
}

// Returns the vertical extent of points. If it is below the share `least` of their largest extent, returns the largest: the vertical extent
// of flat cloth may be rounding noise, and a character may lie.
/** @param {Float32Array} positions (V, 3) */
export function heightOf(positions, least = RULES.FLAT) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], positions[i]);
    high[i % 3] = Math.max(high[i % 3], positions[i]);
  }
  const extents = high.map((value, axis) => Math.max(0, value - low[axis])), largest = Math.max(...extents);
  return extents[1] > least * largest ? extents[1] : largest;
}

// Returns texels with the three vertices of each triangle: the first part of the rest texture, for meshes without waves.
/** @param {Int32Array} faces */
function vertexNumbers(faces) {
  const texels = new Float32Array((4 * faces.length) / 3);
  for (let f = 0; f < faces.length; f += 3) {
    texels.set(faces.subarray(f, f + 3), (4 * f) / 3);
  }
  return texels;
}
