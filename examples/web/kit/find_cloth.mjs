// Finds the cloth of a character, by the names of meshes, materials and bones, and by the deformation of the meshes. The rules are those of
// ruckle.io.gltf_cloth and ruckle.io.masks.

import { Mesh } from "three";
import { automaticMasks } from "./automatic_mask.mjs";
import { bendingShare, deforms, influenceOf, materialOf, nameOf, targetRole, targetsOf, triangleCount } from "./parts.mjs";
import { clothAmong, hasLimbs, isStiff, roleOf } from "./roles.mjs";
import { RULES } from "./role_words.mjs";

/** @typedef {import('./parts.mjs').Target} Target */

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
  object.updateWorldMatrix(true, true);
  const targets = targetsOf(object), chosen = clothTargets(targets), { masks, creature } = automaticMasks(chosen, nameOf(object));
  const parts = targets.flatMap((target) => {
    const role = targetRole(target), bending = bendingShare(target);
    return target.meshes.map((mesh) => judged({ ...target, role, bending }, mesh, masks.get(mesh), creature));
  });
  return parts.sort((a, b) => b.rank - a.rank);
}

// Returns the meshes that deform and whose name means cloth; without such names, those whose names do not mean skin, hair or similar.
// Capes, scarfs, and unnamed clothes next to bare skin are always added.
/** @param {Target[]} targets @returns {Target[]} */
function clothTargets(targets) {
  if (targets.length < 2) {
    // a single mesh needs no ranking
    return targets.filter(deforms);
  }
  const bending = targets.filter(deforms), roles = bending.map(targetRole), chosen = clothAmong(roles);
  return bending.filter((target, i) => chosen.includes(i) || (roles[i] === null && isClothed(target, targets)));
}

// Returns true if skin has a name, and this part has materials other than skin, is next to skin, or covers limbs.
/** @param {Target} target @param {Target[]} targets */
function isClothed(target, targets) {
  const isSkin = (/** @type {Mesh} */ mesh) => roleOf([materialOf(mesh).name]) === "skin";
  if (target.group && targets.some((one) => one.group === target.group && targetRole(one) === "skin")) {
    return true;
  }
  return target.meshes.some(isSkin) || (targets.some(({ meshes }) => meshes.some(isSkin)) &&
    (hasLimbs(target.names) || influenceOf(target, RULES.LIMBS) > RULES.COVERS_LIMBS));
}

/**
 * @param {Target & {role: string | null, bending: number}} target
 * @param {Mesh} mesh
 * @param {Float32Array | undefined} mask undefined if the target was not chosen
 * @param {string | null} creature
 * @returns {Part}
 */
function judged(target, mesh, mask, creature) {
  const { role, bending } = target, triangles = triangleCount(mesh);
  const name = [...new Set([mesh.name, materialOf(mesh).name].filter(Boolean))].join(" · ") || "a mesh without name";
  const open = mask ? mask.reduce((sum, value) => sum + value, 0) / mask.length : 0;
  const named = [materialOf(mesh).name, ...target.names].map((one) => roleOf([one])).find(Boolean) ?? null;
  /** @type {[boolean, string][]} */
  const reasons = [
    [!bending, "does not bend"],
    [!mask && isStiff(role), `is named as ${role}`],
    [!mask, "other parts are named as cloth"],
    [creature !== null, `belongs to ${/^[aeiou]/.test(creature ?? "") ? "an" : "a"} ${creature}`],
    [!open && isStiff(named), `is named as ${named}`],
    [!open, "follows hands, feet or the head"],
    [triangles > MOST_TRIANGLES, `has ${Math.round(triangles)} triangles, more than ${MOST_TRIANGLES}`],
  ];
  const refused = reasons.find(([holds]) => holds), isWhole = mask && mask.every((value) => value === 1);
  if (refused) {
    return { mesh, name, isCloth: false, reason: refused[1], rank: bending - 2, mask: null };
  }
  const isNamed = role === "cloth" || role === "overgarment", rank = role === "cloth" ? 3 : role === "overgarment" ? 2 : 0;
  return { mesh, name, isCloth: true, reason: isNamed ? `is named as ${role}` : "bends", rank: rank + bending * open,
    mask: isWhole || !mask ? null : mask };
}
