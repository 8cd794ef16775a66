// The options of wrinkle paths and waves.
//
// Generated from the tables in cpp/options by `make options`: edit those files.

/**
 * @typedef {object} PathOptions the options of wrinkle paths, and the meaning of each
 * @property {number | string} [r_min] Least radius of a wrinkle, that of a half circle at the largest compression; 0 for no wrinkles, only the compression field. (mesh units, in [0, largest_length], default: 0.5 % of the height)
 * @property {number} [amplitude] Times the height that keeps the length of the cloth: below 1 for flatter folds of the same width, above for deeper ones. (in [0, 10], default: 1.0)
 * @property {number} [tau] Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones. (> 1, default: 1.4)
 * @property {number} [grow_tau] Compression above which a wrinkle goes on, once begun; tau is the thesis's rule, with shorter and more restless wrinkles. (> 1, default: half way from 1 to tau)
 * @property {number} [least_aspect] Length from which wrinkles are born; below 62 % of it they fade. 0 in the thesis. (widths, >= 0, default: 4.5)
 * @property {number} [aspect] Length from which a wrinkle has its full size; shorter ones are smaller in proportion. (widths, >= 0, default: 3.0)
 * @property {number} [seed] Chooses the random points at which wrinkles begin; the same seed gives the same wrinkles on any machine. (in [0, 2^64), default: 0)
 * @property {number} [path_alpha] How much paths follow the field, the weight alpha of thesis (5.2). (per 1/30 s, >= 0, default: 0.4)
 * @property {number} [straightness] How much paths straighten; 0 in the thesis, whose old paths become ragged. (per 1/30 s, >= 0, default: 1.5)
 * @property {number} [length_change] Largest share by which a wrinkle grows or shrinks. (per 1/30 s, in [0, 1], default: 0.15)
 * @property {number} [fade_in] Time in which a new wrinkle rises. (seconds, >= 0, default: 0.4)
 * @property {number} [fade_out] Time in which a wrinkle that has lost its compression sinks. (seconds, >= 0, default: 0.4)
 * @property {boolean} [coherent] Keep wrinkles alive from frame to frame; otherwise they are traced anew in each, at full height. (default: true)
 * @property {number} [sigma] Width of the rest label's well, in units of stretch. (> 0, default: 0.05)
 * @property {number} [alpha] Decay of the cost of a label that does not dominate. (>= 0, default: 9.0)
 * @property {number} [beta] Decay of the cost of a label that dominates. (>= 0, default: 90.0)
 * @property {number} [relaxation] Share by which the reference of a compressed triangle moves toward it. (per 1/30 s, in [0, 1], default: 0.05)
 */

/** @type {Record<string, import('./core.mjs').Option>} */
export const PATH_OPTIONS = {
  r_min: {"type": "float", "length": true, "group": "wrinkles", "unit": "mesh units", "help": "Least radius of a wrinkle, that of a half circle at the largest compression; 0 for no wrinkles, only the compression field.", "derived": "0.5 % of the height", "default": null, "least": 0.0, "most": 1e+30, "slider": {"low": 0.05, "high": 3.0, "even_ratios": true}},
  amplitude: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Times the height that keeps the length of the cloth: below 1 for flatter folds of the same width, above for deeper ones.", "derived": "", "default": 1.0, "least": 0.0, "most": 10.0, "slider": {"low": 0.0, "high": 3.0}},
  tau: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones.", "derived": "", "default": 1.4, "least": 1.0, "most": null, "slider": {"low": 1.02, "high": 2.0}},
  grow_tau: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Compression above which a wrinkle goes on, once begun; tau is the thesis's rule, with shorter and more restless wrinkles.", "derived": "half way from 1 to tau", "default": null, "least": 1.0, "most": null, "slider": {"low": 1.01, "high": 2.0}},
  least_aspect: {"type": "float", "length": false, "group": "wrinkles", "unit": "widths", "help": "Length from which wrinkles are born; below 62 % of it they fade. 0 in the thesis.", "derived": "", "default": 4.5, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 10.0}},
  aspect: {"type": "float", "length": false, "group": "wrinkles", "unit": "widths", "help": "Length from which a wrinkle has its full size; shorter ones are smaller in proportion.", "derived": "", "default": 3.0, "least": 0.0, "most": null, "slider": {"low": 0.5, "high": 10.0}},
  seed: {"type": "uint64", "length": false, "group": "wrinkles", "unit": "", "help": "Chooses the random points at which wrinkles begin; the same seed gives the same wrinkles on any machine.", "derived": "", "default": 0, "least": 0.0, "most": null, "slider": {"low": 0, "high": 99}},
  path_alpha: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "How much paths follow the field, the weight alpha of thesis (5.2).", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  straightness: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "How much paths straighten; 0 in the thesis, whose old paths become ragged.", "derived": "", "default": 1.5, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 5.0}},
  length_change: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "Largest share by which a wrinkle grows or shrinks.", "derived": "", "default": 0.15, "least": 0.0, "most": 1.0, "slider": {"low": 0.01, "high": 1.0}},
  fade_in: {"type": "float", "length": false, "group": "motion", "unit": "seconds", "help": "Time in which a new wrinkle rises.", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  fade_out: {"type": "float", "length": false, "group": "motion", "unit": "seconds", "help": "Time in which a wrinkle that has lost its compression sinks.", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  coherent: {"type": "bool", "length": false, "group": "motion", "unit": "", "help": "Keep wrinkles alive from frame to frame; otherwise they are traced anew in each, at full height.", "derived": "", "default": true, "least": null, "most": null, "slider": {}},
  sigma: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Width of the rest label's well, in units of stretch.", "derived": "", "default": 0.05, "least": 0.0, "most": null, "slider": {"low": 0.005, "high": 0.5, "even_ratios": true}},
  alpha: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Decay of the cost of a label that does not dominate.", "derived": "", "default": 9.0, "least": 0.0, "most": null, "slider": {"low": 1.0, "high": 50.0, "even_ratios": true}},
  beta: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Decay of the cost of a label that dominates.", "derived": "", "default": 90.0, "least": 0.0, "most": null, "slider": {"low": 5.0, "high": 500.0, "even_ratios": true}},
  relaxation: {"type": "float", "length": false, "group": "labels and reference", "unit": "per 1/30 s", "help": "Share by which the reference of a compressed triangle moves toward it.", "derived": "", "default": 0.05, "least": 0.0, "most": 1.0, "slider": {"low": 0.0, "high": 1.0}},
};

/**
 * @typedef {object} WaveOptions the options of wrinkle waves, and the meaning of each
 * @property {number | string} [r_min] Least radius of a fold, the unit of the lengths of this layer. (mesh units, in [1e-12, 1e12], default: 0.5 % of the height at rest)
 * @property {number | string} [wavelength] Distance from fold to fold on the cloth at rest. (mesh units, in [1e-12, 1e12], default: 7 r_min)
 * @property {number} [gain] Slope of folds; 1 gives cloth back all the length that it has lost. (in [0, 10], default: 2.7)
 * @property {number} [slack] Lost share of length at which folds have half of their slope; less is lost by sliding and hanging. (in [0, 1], default: 0.16)
 * @property {number} [steepest] Largest slope of a fold, of a cosine with the same length. (in (0, 10], default: 1.3)
 * @property {number} [sharpness] Sharper crests and flatter valleys: height of the second harmonic. (in [0, 0.5], default: 0.2)
 * @property {number} [detail] Height of a second wave, 1.6 times as fine, over that of the first. (in [0, 2], default: 0.25)
 * @property {number} [sag] How far level folds lean down. (in [0, 1], default: 0.25)
 * @property {number} [lift] Share of the depth of the valleys by which folds move outward. (in [0, 2], default: 0.0)
 * @property {number} [irregularity] Variation of length, direction and gain over the cloth. (in [0, 3], default: 0.5)
 * @property {number} [coherence] Exponent by which folds are lower if the phases around disagree. (in [0, 4], default: 0.0)
 * @property {number} [hang] How far folds of loose cloth turn down, and those of short sleeves around the arm; 0 follows the compression alone. (in [0, 4], default: 0.8)
 * @property {number} [hem] Share of the height of folds at loose hems, where cloth slides instead; 1 folds hems like all other cloth. (in [0, 1], default: 0.0)
 * @property {number} [calm] Largest change of any height, an upper bound. (r_min per 1/30 s, in (0, 100], default: 0.5)
 * @property {number} [seed] Of the irregularity. (in [0, 2^64), default: 0)
 */

/** @type {Record<string, import('./core.mjs').Option>} */
export const WAVE_OPTIONS = {
  r_min: {"type": "float", "length": true, "group": "waves", "unit": "mesh units", "help": "Least radius of a fold, the unit of the lengths of this layer.", "derived": "0.5 % of the height at rest", "default": null, "least": 1e-12, "most": 1000000000000.0, "slider": null},
  wavelength: {"type": "float", "length": true, "group": "waves", "unit": "mesh units", "help": "Distance from fold to fold on the cloth at rest.", "derived": "7 r_min", "default": null, "least": 1e-12, "most": 1000000000000.0, "slider": null},
  gain: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Slope of folds; 1 gives cloth back all the length that it has lost.", "derived": "", "default": 2.7, "least": 0.0, "most": 10.0, "slider": null},
  slack: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Lost share of length at which folds have half of their slope; less is lost by sliding and hanging.", "derived": "", "default": 0.16, "least": 0.0, "most": 1.0, "slider": null},
  steepest: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Largest slope of a fold, of a cosine with the same length.", "derived": "", "default": 1.3, "least": 0.0, "most": 10.0, "slider": null},
  sharpness: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Sharper crests and flatter valleys: height of the second harmonic.", "derived": "", "default": 0.2, "least": 0.0, "most": 0.5, "slider": null},
  detail: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Height of a second wave, 1.6 times as fine, over that of the first.", "derived": "", "default": 0.25, "least": 0.0, "most": 2.0, "slider": null},
  sag: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "How far level folds lean down.", "derived": "", "default": 0.25, "least": 0.0, "most": 1.0, "slider": null},
  lift: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Share of the depth of the valleys by which folds move outward.", "derived": "", "default": 0.0, "least": 0.0, "most": 2.0, "slider": null},
  irregularity: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Variation of length, direction and gain over the cloth.", "derived": "", "default": 0.5, "least": 0.0, "most": 3.0, "slider": null},
  coherence: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "Exponent by which folds are lower if the phases around disagree.", "derived": "", "default": 0.0, "least": 0.0, "most": 4.0, "slider": null},
  hang: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "How far folds of loose cloth turn down, and those of short sleeves around the arm; 0 follows the compression alone.", "derived": "", "default": 0.8, "least": 0.0, "most": 4.0, "slider": null},
  hem: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "Share of the height of folds at loose hems, where cloth slides instead; 1 folds hems like all other cloth.", "derived": "", "default": 0.0, "least": 0.0, "most": 1.0, "slider": null},
  calm: {"type": "float", "length": false, "group": "motion", "unit": "r_min per 1/30 s", "help": "Largest change of any height, an upper bound.", "derived": "", "default": 0.5, "least": 0.0, "most": 100.0, "slider": null},
  seed: {"type": "uint64", "length": false, "group": "motion", "unit": "", "help": "Of the irregularity.", "derived": "", "default": 0, "least": 0.0, "most": null, "slider": null},
};
