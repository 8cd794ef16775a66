// Finds the parts of cloth that wrinkle: a factor for each vertex, 0 at skin, heads, hands, boots, armour, robots and animals. JavaScript
// version of the automatic mask of ruckle.io.masks.

import { Matrix4, SkinnedMesh, Vector3 } from "three";
import { bonesOf, cornersOf, influencesOf, isMetal, leadersOf, materialOf, nameOf, triangleCount } from "./parts.mjs";
import { isJointed } from "./rigid_parts.mjs";
import { rolesByShape } from "./rig_shape.mjs";
import { boneRoles, isStiff, roleOf, wordsOf } from "./roles.mjs";
import { CREATURES, RULES } from "./role_words.mjs";

/** @typedef {import('three').Mesh} Mesh @typedef {import('./parts.mjs').Target} Target */

/**
 * The vertices of one mesh, or of several meshes that share them.
 * @typedef {object} Sheet
 * @property {Target} target
 * @property {Mesh[]} meshes
 * @property {number} count
 * @property {Int32Array | null} joints (N, 4) numbers of bones; null without a skin
 * @property {Float64Array | null} weights (N, 4)
 * @property {(string | null)[]} roles (N) roles of the vertices
 */

/**
 * Named vertices.
 * @typedef {object} Group
 * @property {string} name
 * @property {boolean} isMetal
 * @property {Map<Sheet, Uint8Array | null>} members 1 at the vertices of the group; null if it has all vertices
 */

/** @typedef {{names: string[], parents: number[], joints: number[][] | null}} Bones */

/**
 * Returns the mask (N) of each mesh, and the kind of creature if the whole character is one.
 * @param {Target[]} targets meshes that may wrinkle
 * @param {string} hint another name that may mean a robot or an animal, such as the name of the file
 */
export function automaticMasks(targets, hint) {
  const bones = bonesIn(targets.flatMap(({ meshes }) => meshes)), sheets = sheetsOf(targets, bones), kinds = groupsOf(sheets);
  const torso = bones.names.map((name) => wordsOf(name).some((word) => RULES.TORSO.includes(word)));
  const roles = kinds.map((groups) => groups.map((group) => roleOfGroup(group, torso)));
  kinds.forEach((groups, kind) => groups.forEach(({ members }, number) => {
    const role = roles[kind][number];
    members.forEach((mask, sheet) => role && sheet.roles.forEach((_, v) => (!mask || mask[v]) && (sheet.roles[v] = role)));
  }));
  if (roles.flat().includes("cloth")) {
    kinds.forEach(markBodies);
  }
  const stiff = stiffBones(bones);
  markSkin(kinds[1].filter((_, number) => !roles[1][number]), kinds[1].length, stiff);
  const values = valuesOf(sheets, stiff.map(Boolean)), isDressed = sheets.some((sheet) => sheet.roles.includes("cloth"));
  const creature = isDressed ? null : creatureOf(sheets, kinds, bones, hint) ?? (isRobot(sheets, values) ? "robot" : null);
  /** @type {Map<Mesh, Float32Array>} */
  const masks = new Map();
  sheets.forEach((sheet, i) => sheet.meshes.forEach((mesh) => masks.set(mesh, creature ? values[i].map(() => 0) : values[i])));
  return { masks, creature };
}

// Returns the bones of all meshes. They have parents and places only if all meshes have the same skeleton.
/** @param {Mesh[]} meshes @returns {Bones} */
function bonesIn(meshes) {
  const skins = meshes.map(bonesOf), first = skins[0] ?? [];
  const isOne = skins.every((bones) => bones.length === first.length && bones.every((bone, i) => bone === first[i]));
  const names = [...new Set(skins.flat().map((bone) => (bone ? nameOf(bone) : "")))];
  if (!isOne || names.length < first.length) {
    return { names, parents: names.map(() => -1), joints: null };
  }
  const parents = first.map((bone) => {
    let above = bone?.parent ?? null;
    while (above && !first.includes(/** @type {any} */ (above))) {
      above = above.parent;
    }
    return above ? first.indexOf(/** @type {any} */ (above)) : -1;
  });
  const skinned = meshes.find((mesh) => mesh instanceof SkinnedMesh);
  const inverses = skinned instanceof SkinnedMesh ? skinned.skeleton.boneInverses : [];
  return { names, parents, joints: inverses.map((inverse) => new Vector3().setFromMatrixPosition(new Matrix4().copy(inverse).invert()).toArray()) };
}

/** @param {Target[]} targets @param {Bones} bones @returns {Sheet[]} */
function sheetsOf(targets, bones) {
  const numbers = new Map(bones.names.map((name, number) => [name, number]));
  return targets.flatMap((target) => {
    /** @type {Map<object, Mesh[]>} */
    const shared = new Map();
    target.meshes.forEach((mesh) => {
      const { position } = mesh.geometry.attributes;
      shared.set(position, [...(shared.get(position) ?? []), mesh]);
    });
    return [...shared.values()].map((meshes) => {
      const influences = influencesOf(meshes[0]), own = bonesOf(meshes[0]), { count } = meshes[0].geometry.attributes.position;
      const table = own.map((bone) => numbers.get(bone ? nameOf(bone) : "") ?? 0);
      return { target, meshes, count, joints: influences && influences.joints.map((joint) => table[joint] ?? 0),
        weights: influences && influences.weights, roles: new Array(count).fill(null) };
    });
  });
}

// Returns the groups by names of meshes, and the groups by names of materials. If a vertex is in several groups of a kind, the role of
// the last one counts.
/** @param {Sheet[]} sheets @returns {[Group[], Group[]]} */
function groupsOf(sheets) {
  /** @type {Map<string, Group>[]} */
  const kinds = [new Map(), new Map()];
  const groupOf = (/** @type {number} */ kind, /** @type {string} */ name, key = name) => {
    const group = kinds[kind].get(key) ?? { name, isMetal: false, members: new Map() };
    kinds[kind].set(key, group);
    return group;
  };
  for (const sheet of sheets) {
    (sheet.target.names.length ? sheet.target.names : ["mesh"]).forEach((name) => groupOf(0, name).members.set(sheet, null));
    for (const mesh of sheet.meshes) {
      const material = materialOf(mesh), group = groupOf(1, material.name, material.name || material.uuid), corner = cornersOf(mesh);
      const mask = group.members.get(sheet) ?? new Uint8Array(sheet.count);
      group.isMetal ||= isMetal(material);
      for (let i = 0; i < 3 * triangleCount(mesh); ++i) {
        mask[corner(i)] = 1;
      }
      group.members.set(sheet, mask);
    }
  }
  return [[...kinds[0].values()], [...kinds[1].values()]];
}

/** @param {Group} group @param {boolean[]} torso true for bones of the torso */
function roleOfGroup({ name, isMetal: metal, members }, torso) {
  let role = roleOf([name]);
  if (role && RULES.BODY_ROLES.includes(role)) {
    let sum = 0, count = 0;
    members.forEach((mask, sheet) => {
      const weights = boneWeights(sheet, torso);
      weights.forEach((weight, v) => {
        sum += !mask || mask[v] ? weight : 0;
        count += !mask || mask[v] ? 1 : 0;
      });
    });
    // torso bones also move it, so that it is a whole body
    role = count && sum / count > RULES.WHOLE_BODY ? null : role;
  }
  return role ?? (metal ? "armour" : null);
}

// Returns the total weight (N) of the marked bones at each vertex.
/** @param {Sheet} sheet @param {boolean[]} marked */
function boneWeights({ count, joints, weights }, marked) {
  const found = new Float64Array(count);
  joints?.forEach((joint, i) => (found[i >> 2] += marked[joint] ? /** @type {Float64Array} */ (weights)[i] : 0));
  return found;
}

// Gives the role "skin" to the vertices without a role in groups that are called "body". A group that contains cloth is
// left out: if a body has its own trousers, the rest is probably a shirt. Call this only if the character has clothes.
/** @param {Group[]} groups */
function markBodies(groups) {
  for (const { name, members } of groups) {
    const inside = [...members].flatMap(([sheet, mask]) => sheet.roles.filter((_, v) => !mask || mask[v]));
    if (name.toLowerCase().includes("body") && roleOf([name]) === null && !inside.includes("cloth")) {
      members.forEach((mask, sheet) => sheet.roles.forEach((role, v) => (!mask || mask[v]) && role === null && (sheet.roles[v] = "skin")));
    }
  }
}

// Gives the role "skin" to the vertices without a role whose material covers heads and hands, and little else.
/** @param {Group[]} materials materials without a role @param {number} count number of all materials @param {(string | null)[]} bones roles */
function markSkin(materials, count, bones) {
  const marked = ["head", "hand"].map((kind) => bones.map((role) => role === kind));
  for (const { members } of count > 1 ? materials : []) {
    const sums = [0, 0], open = [...members].map(([sheet, mask]) => sheet.roles.map((role, v) => role === null && (!mask || !!mask[v])));
    [...members.keys()].forEach((sheet, i) => marked.forEach((bone, kind) =>
      boneWeights(sheet, bone).forEach((weight, v) => (sums[kind] += open[i][v] ? weight : 0))));
    const inside = open.flat().filter(Boolean).length, shares = sums.map((sum) => sum / inside);
    if (shares[0] + shares[1] >= RULES.BARE && Math.min(...shares) > RULES.BOTH) {
      [...members.keys()].forEach((sheet, i) => open[i].forEach((own, v) => own && (sheet.roles[v] = "skin")));
    }
  }
}

// Returns the role of each bone that keeps its shape, such as "hand"; null for other bones.
/** @param {Bones} bones */
function stiffBones({ names, parents, joints }) {
  const roles = boneRoles(names, parents);
  // if the names do not reveal any role, the shape of the skeleton reveals head, hands and feet
  return joints && !roles.some(Boolean) ? rolesByShape(parents, joints) : roles;
}

/** @param {Sheet[]} sheets @param {boolean[]} stiff @returns {Float32Array[]} */
function valuesOf(sheets, stiff) {
  return sheets.map((sheet) => {
    const weights = boneWeights(sheet, stiff), { STIFF_FROM, STIFF_TO } = RULES;
    // cloth may hang over hands and heads, so bones mask only parts whose own name gives no role
    return Float32Array.from(sheet.roles, (role, v) =>
      (role ? Number(!isStiff(role)) : Math.min(1, Math.max(0, (STIFF_TO - weights[v]) / (STIFF_TO - STIFF_FROM)))));
  });
}

/** @param {Sheet[]} sheets @param {Group[][]} kinds @param {Bones} bones @param {string} hint */
function creatureOf(sheets, kinds, { names }, hint) {
  const used = new Set(sheets.flatMap(({ joints, weights }) => [...(joints ?? [])].filter((_, i) => weights && weights[i] > 0)));
  return roleOf([hint, ...kinds.flat().map(({ name }) => name)], Object.keys(CREATURES)) ??
    roleOf(names.filter((_, bone) => used.has(bone)), ["animal"]);
}

// Returns true if the body without masked parts consists of rigid parts.
/** @param {Sheet[]} sheets @param {Float32Array[]} values */
function isRobot(sheets, values) {
  const total = sheets.flatMap(({ meshes }) => meshes).reduce((sum, mesh) => sum + triangleCount(mesh), 0);
  const areas = new Float64Array(total), corners = new Int32Array(3 * total), leaders = new Int32Array(3 * total);
  const numbers = new Map(), [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
  let face = 0;
  sheets.forEach(({ target, meshes, joints, weights, count }, s) => {
    const alone = joints && weights ? leadersOf(joints, weights, RULES.RIGID) : new Int32Array(count).fill(-1);
    for (const mesh of meshes) {
      const corner = cornersOf(mesh), { position } = mesh.geometry.attributes;
      for (let i = 0; i < 3 * triangleCount(mesh); i += 3, ++face) {
        const own = [corner(i), corner(i + 1), corner(i + 2)];
        own.forEach((vertex, k) => {
          // vertices at the same position are joined, so that seams do not divide a part
          const key = `${target.object.id} ${position.getX(vertex)} ${position.getY(vertex)} ${position.getZ(vertex)}`;
          numbers.set(key, numbers.get(key) ?? numbers.size);
          corners[3 * face + k] = numbers.get(key);
          leaders[3 * face + k] = alone[vertex];
          mesh.getVertexPosition(vertex, [a, b, c][k]).applyMatrix4(mesh.matrixWorld);
        });
        const isCounted = own.reduce((sum, vertex) => sum + values[s][vertex], 0) / 3 > 0.5;
        areas[face] = isCounted ? b.sub(a).cross(c.sub(a)).length() / 2 : 0;
      }
    }
  });
  return sheets.some(({ joints }) => joints) && isJointed({ areas, corners, leaders });
}
