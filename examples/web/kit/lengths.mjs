// Converts lengths in percent of a height, or in multiples of r_min, to mesh units.

import { PATH_OPTIONS, WAVE_OPTIONS } from "./options.mjs";

const TABLES = { paths: PATH_OPTIONS, waves: WAVE_OPTIONS };

// Default of r_min, relative to the height.
const LEAST_RADIUS = "0.5%";

/**
 * Returns a length in mesh units from a number, a text such as "0.5%" (of the height), or a text such as "9 r_min".
 * Throws an error if the length is not above 0.
 * @param {string} name name of the option, for the error
 * @param {number | string} length
 * @param {number} height
 * @param {number} radius r_min in mesh units
 */
export function lengthOf(name, length, height, radius) {
  const found = typeof length === "string" ? /^\s*([\d.eE+-]+)\s*(%|r_min)\s*$/.exec(length) : null;
  const value = found ? Number(found[1]) * (found[2] === "%" ? height / 100 : radius) : length;
  if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value)) {
    throw new Error(`${name}: expected a length above 0, or a text such as "0.5%" or "9 r_min", got ${JSON.stringify(length)}`);
  }
  return value;
}

/**
 * Returns the options of a layer with lengths in mesh units; null if `given` is false. `r_min` is always set.
 * @param {"paths" | "waves"} layer
 * @param {Record<string, any> | boolean} given options, or true for default options
 * @param {number} height height to which percentages refer, mesh units; 0 is replaced by 1 for `r_min`
 */
export function chosenOptions(layer, given, height) {
  if (given === false) {
    return null;
  }
  /** @type {Record<string, any>} */
  const options = given === true ? {} : { ...given };
  const radius = lengthOf("r_min", options.r_min ?? LEAST_RADIUS, height || 1, 0);
  options.r_min = radius;
  for (const [name, value] of Object.entries(options)) {
    if (TABLES[layer][name]?.length && name !== "r_min") {
      options[name] = lengthOf(name, value, height, radius);
    }
  }
  return options;
}
