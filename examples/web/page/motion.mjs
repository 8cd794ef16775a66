// A motion for VRM characters, whose files do not contain animations: arms swing and bend, the body twists, knees bend.

const TURN = 2 * Math.PI;

// Each swing: bone, axis, mean and amplitude in radians, frequency in Hz, phase in periods.
/** @type {[string, "x" | "y" | "z", number, number, number, number][]} */
const SWINGS = [
  ["spine", "y", 0, 0.35, 0.4, 0], ["chest", "y", 0, 0.25, 0.4, 0], ["spine", "x", 0.1, 0.15, 0.2, 0],
  ["leftUpperArm", "z", -0.8, 0.5, 0.4, 0], ["rightUpperArm", "z", 0.8, 0.5, 0.4, 0],
  ["leftLowerArm", "y", -0.8, 0.7, 0.4, 0.2], ["rightLowerArm", "y", 0.8, 0.7, 0.4, 0.7],
  ["leftUpperLeg", "x", -0.25, 0.25, 0.4, 0], ["rightUpperLeg", "x", -0.25, 0.25, 0.4, 0.5],
  ["leftLowerLeg", "x", 0.45, 0.4, 0.4, 0], ["rightLowerLeg", "x", 0.45, 0.4, 0.4, 0.5],
];

/** Period of the motion in seconds. */
export const MOTION_LENGTH = 5;

/**
 * @param {import('@pixiv/three-vrm').VRM} vrm
 * @param {number} time seconds
 */
export function swing(vrm, time) {
  // characters of VRM 0 look in the opposite direction
  const side = vrm.meta.metaVersion === "0" ? -1 : 1;
  for (const [bone, axis, mean, amplitude, rate, phase] of SWINGS) {
    const node = vrm.humanoid.getNormalizedBoneNode(/** @type {any} */ (bone));
    if (node) {
      node.rotation[axis] = (axis === "y" ? 1 : side) * (mean + amplitude * Math.sin(TURN * (rate * time + phase)));
    }
  }
}
