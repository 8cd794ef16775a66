// Finds clips that repeat, which the page plays without a reset of the wrinkles. The rules are those of python/ruckle/loop.py.

// Largest difference between the first and the last pose, relative to the height.
const SAME_POSE = 1e-3;
// Smallest cosine between the step from last to first pose and the steps before and after it, and the largest ratio of their lengths.
const SAME_WAY = 0.7, LONGEST_STEP = 1.2;
// Time between two poses that are compared, seconds.
const STEP = 1 / 30;
// Longest take in which a shorter period is searched, seconds: reading a pose takes up to a millisecond.
const LONGEST_TAKE = 40;

/**
 * Returns the time after which a motion repeats, in seconds; 0 if it does not repeat. A longer take may show the same motion at least twice.
 * Otherwise the whole clip repeats if its last pose equals its first pose, or is one step before it.
 * @param {(time: number) => number[]} poseAt returns points (P, 3) of the pose at a time in seconds, world units
 * @param {number} length seconds
 * @param {number} height of the character, world units
 */
export function periodOf(poseAt, length, height) {
  if (length < 3 * STEP) {
    return 0;
  }
  return innerPeriod(poseAt, length, SAME_POSE * height) || (isClosed(poseAt, length, height) ? length : 0);
}

// Returns the shortest time after which all poses of a take repeat; 0 if there is none. The take contains this time at least twice.
/** @param {(time: number) => number[]} poseAt @param {number} length @param {number} least largest difference of equal poses */
function innerPeriod(poseAt, length, least) {
  const count = Math.floor((length - 1e-6) / STEP + 1e-4) + 1;
  if (length > LONGEST_TAKE || count < 5) {
    return 0;
  }
  const poses = Array.from({ length: count }, (_, k) => poseAt(Math.min(k * STEP, length - 1e-6)));
  const areEqual = (/** @type {number} */ one, /** @type {number} */ other) => sizeOf(stepOf(poses[one], poses[other])) <= least;
  for (let period = 2; 2 * period < count + 1; ++period) {
    if (!areEqual(0, period) || !areEqual(count - 1 - period, count - 1)) {
      continue;
    }
    const moves = poses.slice(1, period).some((_, k) => !areEqual(0, k + 1));
    if (moves && poses.slice(0, count - period).every((_, k) => areEqual(k, k + period))) {
      return period * STEP;
    }
  }
  return 0;
}

/** @param {(time: number) => number[]} poseAt @param {number} length @param {number} height */
function isClosed(poseAt, length, height) {
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
