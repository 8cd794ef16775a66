// Finds clips that repeat, which the page plays without a reset of the wrinkles. The rules are those of python/ruckle/loop.py.

// Largest difference between the first and the last pose, relative to the height.
const SAME_POSE = 1e-3;
// Smallest cosine between the step from last to first pose and the steps before and after it, and the largest ratio of their lengths.
const SAME_WAY = 0.7, LONGEST_STEP = 1.2;
// Time between two poses that are compared, seconds.
const STEP = 1 / 30;

/**
 * Returns true if the last pose of a clip equals its first pose, or is one step before it.
 * @param {(time: number) => number[]} poseAt returns points (P, 3) of the pose at a time in seconds, world units
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
 * Returns points (P, 3) that represent the pose of wrinkled meshes: the vertices, or for skinned meshes four points per joint.
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

// Returns displacements of points between two poses, minus their mean, because a walk repeats its pose at another place.
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
