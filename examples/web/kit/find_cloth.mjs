// Finds the cloth of a character, by the names of meshes, materials and bones, and by the deformation of the meshes.

import { Mesh, SkinnedMesh } from "three";
import { boneRoles, creatureOf, hasLimbs, isStiff, roleOf } from "./roles.mjs";

// A mesh bends if at least this share of its vertices follows several joints. A rigid part such as a door has fewer.
const LEAST_BENDING = 0.02;

// A vertex follows several joints if its largest skin weight is below this number.
const RIGID_WEIGHT = 0.98;

// Total weight of stiff bones (head, hands, feet) at which the mask of a vertex begins to fall below 1, and at which it is 0.
const STIFF_FROM = 0.25, STIFF_TO = 0.75;

// Largest number of triangles of a cloth. Finer meshes already contain modelled wrinkles, and would be slow.
const MOST_TRIANGLES = 30000;

/**
 * @typedef {object} Part
 * @property {Mesh} mesh
 * @property {string} name of the mesh and of its material
 * @property {boolean} isCloth
 * @property {string} reason
 * @property {number} rank larger if the part is more likely cloth
 * @property {Float32Array | null} mask (N) for each vertex of the geometry, 0 on hands, feet and heads; null if all is cloth. Parts with a
 *   name of cloth have no mask, because cloth may hang over hands and heads
 */

/**
 * Returns the meshes of a character, sorted from most to least likely cloth.
 * @param {import('three').Object3D} object
 * @returns {Part[]}
 */
export function findCloth(object) {
  /** @type {Mesh[]} */
  const meshes = [];
  object.traverse((part) => part instanceof Mesh && part.geometry.attributes.position && meshes.push(part));
  const names = new Set([object.userData.name ?? object.name, ...meshes.flatMap(bonesOf).map((bone) => bone?.name ?? "")]);
  const creature = creatureOf([...names]);
  const parts = meshes.map((mesh) => judged(mesh, object, creature));
  // these parts are clothes: those in one group with a part named as skin, and those named as limbs if any part is named as skin
  const bare = new Set(meshes.filter((mesh) => roleOf(namesOf(mesh, object)) === "skin").map((mesh) => mesh.parent));
  const isClothing = (/** @type {Part} */ { mesh }) => (mesh.parent !== object && bare.has(mesh.parent)) ||
    (bare.size > 0 && hasLimbs(namesOf(mesh, object)));
  // if a part is named as cloth, parts without a name of cloth are not cloth; an overgarment such as a cape does not decide this
  if (parts.some((part) => part.rank >= 3 && part.isCloth)) {
    parts.filter((part) => part.isCloth && part.rank < 2 && !isClothing(part)).forEach((part) => {
      part.isCloth = false;
      part.reason = "other parts are named as cloth";
    });
  }
  return parts.sort((a, b) => b.rank - a.rank);
}

/**
 * Decides whether a mesh is cloth. A name of cloth or of a stiff part decides first; then parts of creatures are refused. All cloth must
 * bend, and must not have too many triangles.
 * @param {Mesh} mesh
 * @param {import('three').Object3D} object
 * @param {string | null} creature kind of creature, null for people
 * @returns {Part}
 */
function judged(mesh, object, creature) {
  const names = namesOf(mesh, object), role = roleOf(names), bending = bendingShare(mesh), { index, attributes } = mesh.geometry;
  const triangles = (index ? index.count : attributes.position.count) / 3;
  const name = [...new Set([mesh.name, [mesh.material].flat()[0].name].filter(Boolean))].join(" · ") || "a mesh without name";
  /** @param {string} reason @returns {Part} */
  const refused = (reason) => ({ mesh, name, isCloth: false, reason, rank: bending - 2, mask: null });
  if (role === "cloth" || role === "overgarment") {
    if (triangles > MOST_TRIANGLES) {
      return refused(`has ${Math.round(triangles)} triangles, more than ${MOST_TRIANGLES}`);
    }
    return bending < LEAST_BENDING ? refused("does not bend")
      : { mesh, name, isCloth: true, reason: `is named as ${role}`, rank: (role === "cloth" ? 3 : 2) + bending, mask: null };
  }
  if (isStiff(role)) {
    return refused(`is named as ${role}`);
  }
  if (creature) {
    return refused(`belongs to ${/^[aeiou]/.test(creature) ? "an" : "a"} ${creature}`);
  }
  if (bending < LEAST_BENDING) {
    return refused("does not bend");
  }
  if (triangles > MOST_TRIANGLES) {
    return refused(`has ${Math.round(triangles)} triangles, more than ${MOST_TRIANGLES}`);
  }
  const mask = maskOf(mesh), open = mask ? mask.reduce((sum, value) => sum + value, 0) / mask.length : 1;
  if (open < 0.3) {
    return refused("follows hands, feet or the head");
  }
  return { mesh, name, isCloth: true, reason: "bends", rank: bending * open, mask };
}

// Returns the names of the materials, of the mesh, and of the group that contains the primitives of a mesh with several materials.
/** @param {Mesh} mesh @param {import('three').Object3D} object */
function namesOf(mesh, object) {
  const names = [...[mesh.material].flat().map((material) => material.name), mesh.name];
  return mesh.parent && mesh.parent !== object && mesh !== object ? [...names, mesh.parent.name] : names;
}

/** @param {Mesh} mesh */
function bonesOf(mesh) {
  return mesh instanceof SkinnedMesh ? mesh.skeleton.bones : [];
}

// Returns the share of the vertices that follow several joints (see RIGID_WEIGHT). Meshes without a skin: 1 if they have morph targets,
// otherwise 0.
/** @param {Mesh} mesh */
function bendingShare(mesh) {
  const { skinWeight, position } = mesh.geometry.attributes;
  if (!(mesh instanceof SkinnedMesh) || !skinWeight) {
    return mesh.geometry.morphAttributes.position?.length ? 1 : 0;
  }
  let bent = 0;
  for (let vertex = 0; vertex < position.count; ++vertex) {
    const most = Math.max(...[0, 1, 2, 3].map((k) => skinWeight.getComponent(vertex, k)));
    bent += Number(most < RIGID_WEIGHT);
  }
  return bent / position.count;
}

// Returns a mask that is 0 at vertices of the head, hands, feet, hair or weapons and rises gradually to 1 (see STIFF_FROM); null if it is
// 1 everywhere, or if the mesh does not have a skin.
/** @param {Mesh} mesh */
function maskOf(mesh) {
  const { skinIndex, skinWeight, position } = mesh.geometry.attributes, bones = bonesOf(mesh);
  if (!skinIndex || !skinWeight) {
    return null;
  }
  const numbers = new Map(bones.map((bone, number) => [/** @type {import('three').Object3D} */ (bone), number]));
  const parents = bones.map((bone) => {
    let above = bone?.parent ?? null;
    while (above && !numbers.has(above)) {
      above = above.parent;
    }
    return above ? (numbers.get(above) ?? -1) : -1;
  });
  const roles = boneRoles(bones.map((bone) => bone?.name ?? ""), parents), mask = new Float32Array(position.count);
  for (let vertex = 0; vertex < position.count; ++vertex) {
    let stiff = 0;
    for (let k = 0; k < 4; ++k) {
      stiff += roles[skinIndex.getComponent(vertex, k)] ? skinWeight.getComponent(vertex, k) : 0;
    }
    mask[vertex] = Math.min(1, Math.max(0, (STIFF_TO - stiff) / (STIFF_TO - STIFF_FROM)));
  }
  return mask.some((value) => value < 1) ? mask : null;
}
