// Finds the head, hands and feet of a skeleton without meaningful names from its shape. JavaScript version of ruckle.mesh.rig_shape.

import { RULES } from "./role_words.mjs";

const { CHEST, ANKLE, MIDDLE, HAND, UNEVEN, LEAST_FINGERS, LEAST_SIDE, LEAST_JOINTS, LEAST_LEAVES } = RULES;

/**
 * Returns "head", "hand" or "foot" for these bones of a person, and null for all other bones.
 * @param {number[]} parents index of the parent of each bone, -1 for roots
 * @param {number[][]} joints (B, 3) start of each bone at rest, in any unit. Y or Z may point up. The person may be lying
 * @returns {(string | null)[]}
 */
export function rolesByShape(parents, joints) {
  if (joints.length >= LEAST_JOINTS) {
    for (const [axis, sign] of [[1, 1], [2, 1], [2, -1]]) {
      const found = new Person(parents, joints.map((joint) => joint.map((value) => sign * value)), axis).roles();
      if (found.some(Boolean)) {
        return found;
      }
    }
  }
  return joints.map(() => null);
}

/**
 * Returns the item with the smallest key; the first of several.
 * @param {number[]} items @param {(item: number) => number} key
 */
function least(items, key) {
  return items.reduce((best, item) => (key(item) < key(best) ? item : best));
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// A skeleton with its up axis and its side axis, which is the longer one of the other two axes.
class Person {
  /** @param {number[]} parents @param {number[][]} joints @param {number} up */
  constructor(parents, joints, up) {
    this.parents = parents;
    /** @type {number[][]} */
    this.children = parents.map(() => []);
    parents.forEach((above, bone) => above >= 0 && this.children[above].push(bone));
    const extents = [0, 1, 2].map((axis) => Math.max(...joints.map((joint) => joint[axis])) - Math.min(...joints.map((joint) => joint[axis])));
    const wide = least([0, 1, 2].filter((axis) => axis !== up), (axis) => -extents[axis]);
    // in units of the height: `tall` is the height above the lowest joint, `side` the offset from the median joint
    const unit = Math.max(extents[up], Number.MIN_VALUE), low = Math.min(...joints.map((joint) => joint[up])) / unit;
    this.joints = joints.map((joint) => joint.map((value) => value / unit));
    this.tall = this.joints.map((joint) => joint[up] - low);
    const middle = median(this.joints.map((joint) => joint[wide]));
    this.side = this.joints.map((joint) => joint[wide] - middle);
  }

  // Returns the role of each bone. All roles are null if the skeleton is not a person.
  /** @returns {(string | null)[]} */
  roles() {
    const { tall, side, children, parents } = this;
    /** @type {(string | null)[]} */
    const found = parents.map(() => null);
    const leaves = parents.map((_, bone) => bone).filter((bone) => !children[bone].length && parents[bone] >= 0);
    if (leaves.length < LEAST_LEAVES) {
      return found;
    }
    const left = least(leaves, (bone) => side[bone]), right = least(leaves, (bone) => -side[bone]);
    // subtract the sideways offset, because the end of a cape or of hair can be higher than the head
    const top = least(leaves, (bone) => Math.abs(side[bone]) - tall[bone]);
    const chest = this.#meeting(left, right), isEven = Math.abs(side[left] + side[right]) < UNEVEN;
    if (chest === undefined || !isEven || tall[chest] < CHEST || Math.abs(side[chest]) > MIDDLE) {
      return found;
    }
    const neck = this.#below(chest, top), lower = leaves.filter((leaf) => !this.#above(leaf).includes(chest));
    const feet = this.#lowest(lower).map((leaf) => this.#foot(leaf));
    if (neck === undefined || feet.length < 2 || Math.abs(side[top]) > MIDDLE) {
      return found;
    }
    const chain = this.#above(top), nodding = children[neck];
    const head = nodding.length ? nodding.find((bone) => chain.includes(bone)) ?? nodding[0] : neck;
    /** @type {[string, number[]][]} */
    const groups = [["head", [head]], ["hand", [this.#hand(left), this.#hand(right)]], ["foot", feet]];
    for (const [role, roots] of groups) {
      roots.flatMap((root) => this.#subtree(root)).forEach((bone) => (found[bone] = role));
    }
    return found;
  }

  // Returns a bone and all its ancestors.
  /** @param {number} bone */
  #above(bone) {
    const path = [];
    while (bone >= 0 && path.length <= this.parents.length) {
      path.push(bone);
      bone = this.parents[bone];
    }
    return path;
  }

  /** @param {number} bone @param {number} other */
  #meeting(bone, other) {
    const common = this.#above(other);
    return this.#above(bone).find((one) => common.includes(one));
  }

  // Returns the child of a bone on the chain to a leaf (a bone without children).
  /** @param {number} bone @param {number} leaf */
  #below(bone, leaf) {
    const path = this.#above(leaf);
    return path.includes(bone) && bone !== leaf ? path[path.indexOf(bone) - 1] : undefined;
  }

  /** @param {number} root */
  #subtree(root) {
    const found = [root];
    for (const bone of found) {
      found.push(...this.children[bone]);
    }
    return found;
  }

  // Returns the lowest leaf of the left and of the right side, without leaves above the ankle height.
  /** @param {number[]} leaves */
  #lowest(leaves) {
    const sides = [-1, 1].map((sign) => leaves.filter((leaf) => this.side[leaf] * sign > 0)).filter((side) => side.length);
    return sides.map((side) => least(side, (leaf) => this.tall[leaf])).filter((leaf) => this.tall[leaf] < ANKLE);
  }

  /** @param {number} leaf */
  #foot(leaf) {
    // a root on the ground, in the middle, is not a foot
    const sideways = this.#above(leaf).filter((bone) => this.tall[bone] < ANKLE && Math.abs(this.side[bone]) > LEAST_SIDE);
    return sideways.length ? least(sideways, (bone) => -this.tall[bone]) : leaf;
  }

  // Returns the bone from which the fingers start; if the rig does not have fingers, returns the leaf.
  /** @param {number} leaf */
  #hand(leaf) {
    const end = this.joints[leaf];
    const near = this.#above(leaf).filter((bone) => Math.hypot(...this.joints[bone].map((value, axis) => value - end[axis])) < HAND);
    return near.filter((bone) => this.children[bone].length >= LEAST_FINGERS).pop() ?? leaf;
  }
}
