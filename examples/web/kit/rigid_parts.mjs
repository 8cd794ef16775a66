// Finds robots from their shape: bodies of separate rigid parts. JavaScript version of ruckle.mesh.rigid_parts.

import { RULES } from "./role_words.mjs";

const { LEAST_SHARE, LEAST_BONES, WHOLE, SMALL } = RULES;

/**
 * Returns true if most of the surface consists of separate rigid parts that many bones move.
 * @param {object} surface
 * @param {Float64Array} surface.areas (T) of the triangles, 0 for triangles that do not count
 * @param {Int32Array} surface.corners (T, 3) vertices of the triangles; vertices at one position have one number
 * @param {Int32Array} surface.leaders (T, 3) the bone that alone moves each corner, -1 if several bones move it
 */
export function isJointed({ areas, corners, leaders }) {
  const rigid = areas.map((_, face) => Number(leaders[3 * face] >= 0 && leaders[3 * face] === leaders[3 * face + 1] &&
    leaders[3 * face] === leaders[3 * face + 2]));
  const total = sum(areas), least = LEAST_SHARE * total;
  // parts are searched only if they can be sufficient
  if (!(least > 0) || sum(areas.map((area, face) => area * rigid[face])) < least) {
    return false;
  }
  const part = connectedParts(corners), whole = new Map(), stiff = new Map();
  areas.forEach((area, face) => {
    whole.set(part[face], (whole.get(part[face]) ?? 0) + area);
    stiff.set(part[face], (stiff.get(part[face]) ?? 0) + area * rigid[face]);
  });
  const isRigid = (/** @type {number} */ one) => stiff.get(one) > Math.max(WHOLE * whole.get(one), SMALL * total);
  const bones = new Set();
  let area = 0;
  for (const one of whole.keys()) {
    area += isRigid(one) ? whole.get(one) : 0;
  }
  areas.forEach((size, face) => size > 0 && rigid[face] && isRigid(part[face]) && bones.add(leaders[3 * face]));
  return area >= least && bones.size >= LEAST_BONES;
}

/** @param {Int32Array} corners (T, 3) @returns {Int32Array} (T) the lowest vertex of the connected part of each triangle */
function connectedParts(corners) {
  const above = new Map();
  const rootOf = (/** @type {number} */ vertex) => {
    let root = vertex;
    while ((above.get(root) ?? root) !== root) {
      root = above.get(root);
    }
    for (let next = vertex; next !== root;) {
      const step = above.get(next);
      above.set(next, root);
      next = step;
    }
    return root;
  };
  for (let i = 0; i < corners.length; i += 3) {
    const roots = [rootOf(corners[i]), rootOf(corners[i + 1]), rootOf(corners[i + 2])], low = Math.min(...roots);
    roots.forEach((root) => above.set(root, low));
  }
  return Int32Array.from({ length: corners.length / 3 }, (_, face) => rootOf(corners[3 * face]));
}

/** @param {Float64Array} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
