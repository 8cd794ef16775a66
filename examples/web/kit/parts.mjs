// The parts of a character: meshes with their names, skins and materials, as a file stores them.

import { Group, Mesh, SkinnedMesh } from "three";
import { roleOf, wordsOf } from "./roles.mjs";
import { RULES } from "./role_words.mjs";

/**
 * One mesh of a file. three.js makes one `Mesh` for each material of it.
 * @typedef {object} Target
 * @property {import('three').Object3D} object the mesh, or the group of its meshes
 * @property {Mesh[]} meshes
 * @property {string[]} names of the node and of the mesh
 * @property {import('three').Object3D | null} group the node above the mesh if it groups some of the meshes; else null
 */

/** What only the file says about an object of three.js, see `annotate`. @typedef {{mesh?: string, isMetal?: boolean, isStill?: boolean}} Notes */

/**
 * Stores in `userData` what only the file says: names of meshes whose node has another name, materials that are metal, and morph targets
 * that no animation moves. `findCloth` then has the same results as the Python package, also for clones.
 * @param {{parser: any}} gltf result of GLTFLoader
 */
export function annotate({ parser }) {
  const { meshes = [], materials = [], animations = [] } = parser.json;
  const moved = new Set(animations.flatMap((/** @type {any} */ animation) => animation.channels)
    .filter((/** @type {any} */ channel) => channel?.target?.path === "weights").map((/** @type {any} */ channel) => channel.target.node));
  for (const [object, places] of parser.associations) {
    const { meshes: mesh, materials: material, nodes: node } = places ?? {};
    if (mesh !== undefined) {
      object.userData.ruckle = { mesh: textOf(meshes[mesh]?.name), isStill: node !== undefined && !moved.has(node) };
    } else if (material !== undefined) {
      const { metallicFactor, metallicRoughnessTexture } = materials[material]?.pbrMetallicRoughness ?? {};
      object.userData.ruckle = { isMetal: metallicFactor > RULES.METAL && !metallicRoughnessTexture };
    }
  }
}

/** @param {{userData: Record<string, any>}} object @returns {Notes} */
function notesOf(object) {
  return object.userData.ruckle ?? {};
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "string" ? value : "";
}

// Loaders remove some characters from names, and keep the name of the file in `userData`, which may contain other values too.
/** @param {import('three').Object3D} object */
export function nameOf(object) {
  return textOf(object.userData.name) || object.name;
}

/** @param {import('three').Object3D} root @returns {Target[]} in the order of the scene */
export function targetsOf(root) {
  /** @type {Map<import('three').Object3D, Mesh[]>} */
  const found = new Map();
  root.traverse((part) => {
    if (part instanceof Mesh && part.geometry.attributes.position) {
      const { parent } = part, siblings = parent?.children.filter((one) => one instanceof Mesh) ?? [];
      // GLTFLoader puts the meshes of several materials into one Group; a node without a mesh becomes an Object3D
      const isPart = parent instanceof Group && parent !== root && siblings.length > 1;
      const object = isPart ? parent : part;
      found.set(object, [...(found.get(object) ?? []), part]);
    }
  });
  const above = (/** @type {import('three').Object3D} */ object) => (object === root || object.parent === root ? null : object.parent);
  const objects = [...found.keys()];
  return objects.map((object) => {
    const meshes = /** @type {Mesh[]} */ (found.get(object)), group = above(object);
    const own = notesOf(meshes[0]).mesh ?? (object === meshes[0] ? "" : meshes[0].name);
    return { object, meshes, names: [nameOf(object), own].filter(Boolean),
      group: group && objects.some((one) => above(one) !== group) ? group : null };
  });
}

/** @param {Mesh} mesh */
export function materialOf(mesh) {
  return [mesh.material].flat()[0];
}

/** @param {import('three').Material} material */
export function isMetal(material) {
  const { metalness } = /** @type {any} */ (material);
  // without notes, 1 may be the default of glTF, which exporters use for cloth
  return notesOf(material).isMetal ?? (metalness > RULES.METAL && metalness < 1);
}

/** @param {Mesh} mesh @returns {import('three').Bone[]} */
export function bonesOf(mesh) {
  return mesh instanceof SkinnedMesh ? mesh.skeleton.bones : [];
}

/**
 * Returns joints (N, 4) and weights (N, 4), which sum to 1, of the vertices of a mesh; null without a skin.
 * @param {Mesh} mesh
 */
export function influencesOf(mesh) {
  const { skinIndex, skinWeight, position } = mesh.geometry.attributes;
  if (!(mesh instanceof SkinnedMesh) || !skinIndex || !skinWeight) {
    return null;
  }
  const joints = new Int32Array(4 * position.count), weights = new Float64Array(4 * position.count);
  for (let vertex = 0, i = 0; vertex < position.count; ++vertex) {
    let sum = 0;
    for (let k = 0; k < 4; ++k, ++i) {
      weights[i] = skinWeight.getComponent(vertex, k);
      joints[i] = weights[i] ? skinIndex.getComponent(vertex, k) : 0;
      sum += weights[i];
    }
    for (let k = 4; sum && k > 0; --k) {
      weights[i - k] /= sum;
    }
    // the first joint moves a vertex without weights
    weights[i - 4] += sum ? 0 : 1;
  }
  return { joints, weights };
}

/** @param {Mesh} mesh @returns {(i: number) => number} the vertex of a corner of the triangles */
export function cornersOf(mesh) {
  const { index } = mesh.geometry;
  return index ? (i) => index.getX(i) : (i) => i;
}

/** @param {Mesh} mesh */
export function triangleCount(mesh) {
  const { index, attributes } = mesh.geometry;
  return Math.floor((index ? index.count : attributes.position.count) / 3);
}

/**
 * Returns the share of triangles that deform: their corners have different joints, or morph targets move them.
 * @param {Target} target
 */
export function bendingShare({ meshes }) {
  let bending = 0, total = 0;
  for (const mesh of meshes) {
    const corner = cornersOf(mesh), count = triangleCount(mesh), bends = bendingTest(mesh);
    total += count;
    for (let i = 0; i < 3 * count; i += 3) {
      bending += Number(bends(corner(i), corner(i + 1), corner(i + 2)));
    }
  }
  return total ? bending / total : 0;
}

/** @param {Mesh} mesh @returns {(a: number, b: number, c: number) => boolean} */
function bendingTest(mesh) {
  const targets = mesh.geometry.morphAttributes.position ?? [], influences = influencesOf(mesh);
  if (targets.length) {
    const { morphTargetsRelative, attributes: { position } } = mesh.geometry;
    const isMoved = (/** @type {number} */ vertex) => targets.some((target) => [0, 1, 2].some((axis) =>
      target.getComponent(vertex, axis) !== (morphTargetsRelative ? 0 : position.getComponent(vertex, axis))));
    return (a, b, c) => isMoved(a) || isMoved(b) || isMoved(c);
  }
  if (!influences) {
    return () => false;
  }
  const leaders = leadersOf(influences.joints, influences.weights, RULES.ALONE);
  return (a, b, c) => leaders[a] < 0 || leaders[a] !== leaders[b] || leaders[a] !== leaders[c];
}

/**
 * Returns, for each vertex, the bone that alone moves it; -1 if several bones move it.
 * @param {Int32Array} joints (N, 4)
 * @param {Float64Array} weights (N, 4)
 * @param {number} most a bone moves a vertex alone if its weight is larger
 */
export function leadersOf(joints, weights, most) {
  const found = new Int32Array(joints.length / 4);
  for (let vertex = 0; vertex < found.length; ++vertex) {
    const at = 4 * vertex;
    let first = at, weight = 0;
    for (let i = at + 1; i < at + 4; ++i) {
      first = weights[i] > weights[first] ? i : first;
    }
    for (let i = at; i < at + 4; ++i) {
      weight += joints[i] === joints[first] ? weights[i] : 0;
    }
    found[vertex] = weight > most ? joints[first] : -1;
  }
  return found;
}

/**
 * Returns true if the target can deform: it has a skin, or an animation moves its morph targets, and triangles deform.
 * @param {Target} target
 */
export function deforms(target) {
  const { meshes, object } = target;
  const isMorphed = meshes.some((mesh) => mesh.geometry.morphAttributes.position?.length) && !notesOf(object).isStill;
  return (meshes.some((mesh) => influencesOf(mesh)) || isMorphed) && bendingShare(target) > 0;
}

/**
 * Returns the mean influence of bones whose names contain one of these words.
 * @param {Target} target @param {string[]} words
 */
export function influenceOf({ meshes }, words) {
  let sum = 0, count = 0;
  // the meshes of a group may share their vertices
  for (const mesh of new Map(meshes.map((one) => [one.geometry.attributes.position, one])).values()) {
    const named = bonesOf(mesh).map((bone) => bone && wordsOf(nameOf(bone)).some((word) => words.includes(word)));
    const influences = influencesOf(mesh);
    count += mesh.geometry.attributes.position.count;
    influences?.weights.forEach((weight, i) => (sum += named[influences.joints[i]] ? weight : 0));
  }
  return count ? sum / count : 0;
}

/**
 * Returns true if torso bones also move a mesh named "head", which then is a whole body.
 * @param {Target} target @param {string | null} role
 */
function isWholeBody(target, role) {
  return RULES.BODY_ROLES.includes(role ?? "") && influenceOf(target, RULES.TORSO) > RULES.WHOLE_BODY;
}

/**
 * Returns the role of a mesh from the names of its materials, its node, itself and its group; null if it is unknown. It is cloth if any
 * part of it is cloth, and stiff only if all parts are stiff.
 * @param {Target} target
 */
export function targetRole(target) {
  const { meshes, names, group } = target;
  const roles = meshes.map((mesh) => {
    const material = materialOf(mesh);
    return roleOf([material.name, ...names, group ? nameOf(group) : ""]) ?? (isMetal(material) ? "armour" : null);
  });
  if (roles.includes("cloth")) {
    return "cloth";
  }
  if (roles.every((role) => role !== null && role !== "overgarment") && !isWholeBody(target, roles[0])) {
    return roles[0];
  }
  return roles.includes("overgarment") ? "overgarment" : null;
}
