// Clips that repeat: the page plays them on without a cut. The rules are those of python/ruckle/loop.py.

// Share of the height by which the last pose may differ from the first.
const SAME_POSE = 1e-3;
// Cosine between steps of all points that go the same way, and the longest step from the last pose to the first, in steps next to it.
const SAME_WAY = 0.7, LONGEST_STEP = 1.2;
// Seconds of a step.
const STEP = 1 / 30;

/**
 * True if a clip ends as it begins, or one step before.
 * @param {(time: number) => number[]} poseAt points (P, 3) of the pose at a time in seconds, world units
 * @param {number} length seconds
 * @param {number} height of the character, world units
 */
export function repeats(poseAt, length, height) {
  if (length < 3 * STEP) {
    return false;
  }
  const [first, second, before, last] = [0, STEP, length - STEP, length - 1e-6].map((time) => poseAt(time));
  const wrap = stepOf(last, first), least = SAME_POSE * height;
  if (sizeOf(wrap) <= least) {
    return true;
  }
  const steps = [stepOf(first, second), stepOf(before, last)];
  return steps.every((step) => cosineOf(wrap, step) > SAME_WAY) && sizeOf(wrap) <= LONGEST_STEP * Math.max(...steps.map(sizeOf));
}

/**
 * Points (P, 3) that show the pose of wrinkled meshes: their vertices, or four points that each joint moves.
 * @param {{matrices: Float32Array, positions: Float32Array | null}[]} poses
 * @param {number} height of the character, world units
 */
export function pointsOf(poses, height) {
  return poses.flatMap(({ matrices, positions }) => {
    if (positions) {
      return [...positions];
    }
    /** @type {number[]} */
    const points = [];
    for (let joint = 0; joint < matrices.length; joint += 16) {
      const [x, y, z] = matrices.subarray(joint + 12, joint + 15);
      points.push(x, y, z);
      for (let axis = joint; axis < joint + 12; axis += 4) {
        points.push(x + height * matrices[axis], y + height * matrices[axis + 1], z + height * matrices[axis + 2]);
      }
    }
    return points;
  });
}

// How points move between two poses, relative to their mean: the pose of a walk repeats at another place.
/** @param {number[]} pose @param {number[]} later */
function stepOf(pose, later) {
  const moved = later.map((value, i) => value - pose[i]), mean = [0, 0, 0];
  moved.forEach((value, i) => (mean[i % 3] += (3 * value) / moved.length));
  return moved.map((value, i) => value - mean[i % 3]);
}

/** @param {number[]} step */
function sizeOf(step) {
  let most = 0;
  for (let i = 0; i < step.length; i += 3) {
    most = Math.max(most, Math.hypot(step[i], step[i + 1], step[i + 2]));
  }
  return most;
}

/** @param {number[]} step @param {number[]} other */
function cosineOf(step, other) {
  /** @param {number[]} a @param {number[]} b */
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(step, other) / Math.max(Math.sqrt(dot(step, step) * dot(other, other)), Number.MIN_VALUE);
}
