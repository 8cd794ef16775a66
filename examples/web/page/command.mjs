// Writes the `ruckle render` command with the settings of the page; an empty text if no layer is chosen.

const quoted = (/** @type {string} */ text) => (/^[\w.\-/]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * @param {object} shown
 * @param {string} shown.file name of a file or sample
 * @param {string[]} shown.meshes names of the parts; empty for a sample
 * @param {string} shown.clip name of the animation; empty for the first animation
 * @param {boolean} shown.waves
 * @param {boolean} shown.paths
 * @param {number} shown.radius minimum radius (r_min) in percent of the height
 * @param {Record<string, number>} shown.waveOptions changed options of waves
 * @param {Record<string, number>} shown.pathOptions changed options of paths
 */
export function commandOf({ file, meshes, clip, waves, paths, radius, waveOptions, pathOptions }) {
  if (!waves && !paths) {
    return "";
  }
  const words = ["ruckle", "render", quoted(file)];
  meshes.forEach((mesh) => words.push("--mesh", quoted(mesh)));
  if (clip) {
    words.push("--animation", quoted(clip));
  }
  const option = (/** @type {string} */ prefix) => (/** @type {[string, number]} */ [name, value]) =>
    words.push(`--${prefix}${name.replaceAll("_", "-")}`, String(value));
  words.push("--r-min", `${radius}%`);
  if (paths) {
    words.push("--paths");
    Object.entries(pathOptions).forEach(option(""));
  }
  if (waves) {
    words.push("--waves");
    Object.entries(waveOptions).forEach(option("wave-"));
  }
  return [...words, "-o", `${file.replace(/\.\w+$/, "")}.mp4`].join(" ");
}
