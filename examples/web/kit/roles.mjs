// The likely role of a part of a character, from the names that artists and exporters give: ruckle.mesh.roles in JavaScript.

import {
  ARMOURED, BONE_ROLES, BONE_WORDS, CREATURES, FALSE_ENDS, LATIN_WORDS, LIMBS, LONG_WORD, OTHER_PARTS, ROLES, VENDORS,
} from "./role_words.mjs";

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const VENDOR = new RegExp(VENDORS.join("|"), "gi");
/** @type {Record<string, string[]>} */
const WORDS = { ...ROLES, ...CREATURES };

/** @param {string} name */
function wordsOf(name) {
  return (name.normalize("NFKD").replace(VENDOR, " ").match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** @param {string} word @param {string} role */
function isWord(word, role) {
  return WORDS[role].includes(word) || (LATIN_WORDS[role] ?? []).includes(word);
}

/** @param {string} word @param {string} role */
function means(word, role) {
  return isWord(word, role) || (!FALSE_ENDS.includes(word) &&
    WORDS[role].some((wanted) => wanted.length >= LONG_WORD && (word.startsWith(wanted) || word.endsWith(wanted))));
}

// Whole words only: "beard" is not a bear. But a "gdbot" is a bot, and "mannequiny" a mannequin.
/** @param {string} word @param {string} role */
function isCreature(word, role) {
  return [word, word.replace(/s$/, "")].some((one) => WORDS[role].includes(one)) ||
    (role === "robot" && (word.endsWith("bot") || word.startsWith("mannequin")));
}

/**
 * The role of the first name that tells one, the most important of several; null if no name does.
 * @param {string[]} names
 * @param {string[]} roles
 */
export function roleOf(names, roles = Object.keys(ROLES)) {
  for (const name of names) {
    const words = wordsOf(name), whole = words.join("");
    const found = roles.find((role) => {
      const matches = role in CREATURES ? isCreature : means;
      return isWord(whole, role) || words.some((word) => matches(word, role)) ||
        (OTHER_PARTS[role] ?? []).some((part) => name.toLowerCase().includes(part));
    });
    if (found) {
      return found;
    }
  }
  // the tunic of a knight is cloth
  return roles.includes("armour") && names.some((name) => wordsOf(name).some((word) => ARMOURED.includes(word))) ? "armour" : null;
}

/**
 * A robot or an animal, by the names of its bones and of its file; null for people.
 * @param {string[]} names
 */
export function creatureOf(names) {
  return roleOf(names, Object.keys(CREATURES));
}

/**
 * The stiff role of each bone, null for the others. A bone without a telling name has the role of the bone above it.
 * @param {string[]} names
 * @param {number[]} parents the bone above each, -1 for roots
 */
export function boneRoles(names, parents) {
  const hasHead = names.some((name) => wordsOf(name).includes("head"));
  const roles = names.map((name) => {
    // the head of a standard rig whose spine has seven bones
    if (!hasHead && name.endsWith("spine.006")) {
      return "head";
    }
    const word = wordsOf(name).find((one) => one in BONE_WORDS);
    return roleOf([name], [...BONE_ROLES, "cloth", "overgarment"]) ?? (word ? BONE_WORDS[word] : null);
  });
  names.forEach((name, bone) => {
    for (let above = parents[bone], steps = 0; roles[bone] === null && above >= 0 && steps < names.length; above = parents[above], ++steps) {
      roles[bone] = BONE_ROLES.includes(roles[above] ?? "") ? roles[above] : null;
    }
  });
  return roles.map((role) => (BONE_ROLES.includes(role ?? "") ? role : null));
}

/** @param {string[]} names */
export function hasLimbs(names) {
  return names.some((name) => wordsOf(name).some((word) => LIMBS.includes(word)));
}

/** @param {string | null} role */
export function isStiff(role) {
  return role !== null && role !== "cloth" && role !== "overgarment";
}
