// Guesses the role of a part of a character, such as cloth or hair, from its names. JavaScript version of ruckle.mesh.roles.

import {
  ARMOURED, BONE_ROLES, BONE_WORDS, CREATURES, FALSE_ENDS, LATIN_WORDS, LONG_WORD, OTHER_PARTS, ROLES, RULES, VENDORS,
} from "./role_words.mjs";

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const VENDOR = new RegExp(VENDORS.join("|"), "gi");
/** @type {Record<string, string[]>} */
const WORDS = { ...ROLES, ...CREATURES };

/** @param {string} name */
export function wordsOf(name) {
  return (name.normalize("NFKD").replace(VENDOR, " ").match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** @param {string} word @param {string} role */
function isWord(word, role) {
  return WORDS[role].includes(word) || (LATIN_WORDS[role] ?? []).includes(word);
}

// Returns true if a word is a word of the role, or if it begins or ends with a long English word of the role.
/** @param {string} word @param {string} role */
function means(word, role) {
  return isWord(word, role) || (!FALSE_ENDS.includes(word) &&
    WORDS[role].some((wanted) => wanted.length >= LONG_WORD && (word.startsWith(wanted) || word.endsWith(wanted))));
}

// Returns true if a whole word names a creature ("beard" is not a bear). Robots also match "...bot" and "mannequin...", as in "gdbot".
/** @param {string} word @param {string} role */
function isCreature(word, role) {
  return [word, word.replace(/s$/, "")].some((one) => WORDS[role].includes(one)) ||
    (role === "robot" && (word.endsWith("bot") || word.startsWith("mannequin")));
}

/**
 * Returns the role of the first name that contains a word of a role. If this name contains words of several roles, the result is the
 * first of `roles`. If no name contains such a word, the result is "armour" for names of characters in armour, such as "knight", if
 * `roles` contains it, and otherwise null.
 * @param {string[]} names
 * @param {string[]} roles
 */
export function roleOf(names, roles = Object.keys(ROLES)) {
  for (const name of names) {
    const words = wordsOf(name), whole = words.join("");
    const found = roles.find((role) => {
      const matches = role in CREATURES ? isCreature : means;
      return isWord(whole, role) || words.some((word, i) => matches(word, role) || (i > 0 && isWord(words[i - 1] + word, role))) ||
        (OTHER_PARTS[role] ?? []).some((part) => name.toLowerCase().includes(part));
    });
    if (found) {
      return found;
    }
  }
  // people in armour are tested after all other roles, because parts such as the tunic of a knight are cloth
  return roles.includes("armour") && names.some((name) => wordsOf(name).some((word) => ARMOURED.includes(word))) ? "armour" : null;
}

/**
 * Returns the role of each bone of a stiff part, such as head or hand; null for other bones. A bone whose name does not contain a role
 * has the role of its nearest ancestor with such a role. Bones with a name of cloth have null.
 * @param {string[]} names
 * @param {number[]} parents index of the parent of each bone, -1 for roots
 */
export function boneRoles(names, parents) {
  const hasHead = names.some((name) => wordsOf(name).includes("head"));
  const roles = names.map((name) => {
    // in Blender's Rigify, the seventh bone of the spine is the head
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
  return names.some((name) => wordsOf(name).some((word) => RULES.LIMBS.includes(word)));
}

/**
 * Returns the indices of the parts that wrinkle: cloth (or unknown parts, if there is no cloth) and overgarments.
 * @param {(string | null)[]} roles of the parts that deform
 */
export function clothAmong(roles) {
  const wanted = roles.includes("cloth") ? "cloth" : null;
  return roles.flatMap((role, i) => (role === wanted || role === "overgarment" ? [i] : []));
}

/** @param {string | null} role */
export function isStiff(role) {
  return role !== null && role !== "cloth" && role !== "overgarment";
}
