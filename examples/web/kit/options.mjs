// The options of wrinkle paths and waves.
//
// Generated from the tables in cpp/options by `make options`: edit those files.

/**
 * @typedef {object} PathOptions the options of wrinkle paths, and the meaning of each
 * @property {number | string} [r_min] Smallest radius of a wrinkle: that of a half circle at the largest compression. With 0, only the compression is computed. (mesh units, in [0, largest_length], default: 0.5 % of the height)
 * @property {number} [amplitude] Multiplies the heights: 1 keeps the length of the cloth; smaller values give flatter folds of the same width, larger ones deeper folds. (in [0, 10], default: 1.0)
 * @property {number} [tau] Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones. (> 1, default: 1.4)
 * @property {number} [grow_tau] Compression above which an existing wrinkle remains and grows; the thesis uses tau, which makes wrinkles shorter and more restless. (> 1, default: half way from 1 to tau)
 * @property {number} [least_aspect] Shortest length of a new wrinkle; wrinkles below 62 % of it fade. 0 in the thesis. (widths, >= 0, default: 4.5)
 * @property {number} [aspect] Length above which a wrinkle has its full size; shorter wrinkles are smaller in proportion. (widths, >= 0, default: 3.0)
 * @property {number} [seed] Random seed of the points at which wrinkles begin; the same seed gives the same wrinkles on any machine. (in [0, 2^64), default: 0)
 * @property {number} [path_alpha] How strongly paths turn across the compression: the weight alpha in (5.2) of the thesis. (per 1/30 s, >= 0, default: 0.4)
 * @property {number} [straightness] How strongly paths straighten; with 0, as in the thesis, old paths become ragged. (per 1/30 s, >= 0, default: 1.5)
 * @property {number} [length_change] Largest change of a wrinkle's length, as a share of it. (per 1/30 s, in [0, 1], default: 0.15)
 * @property {number} [fade_in] Time in which a new wrinkle rises to its full height. (seconds, >= 0, default: 0.4)
 * @property {number} [fade_out] Time in which a wrinkle without compression sinks to nothing. (seconds, >= 0, default: 0.4)
 * @property {boolean} [coherent] Keep wrinkles from frame to frame; otherwise each frame traces new ones, at full height. (default: true)
 * @property {number} [sigma] Deviation of stretches from 1 up to which the rest label is cheap. (> 0, default: 0.05)
 * @property {number} [alpha] Decay of the costs of compression and stretch if neither dominates. (>= 0, default: 9.0)
 * @property {number} [beta] Decay of the cost of compression or stretch if it clearly dominates the other. (>= 0, default: 90.0)
 * @property {number} [relaxation] Share of the way that the reference of a compressed triangle moves toward its current shape. (per 1/30 s, in [0, 1], default: 0.05)
 */

/** @type {Record<string, import('./core.mjs').Option>} */
export const PATH_OPTIONS = {
  r_min: {"type": "float", "length": true, "group": "wrinkles", "unit": "mesh units", "help": "Smallest radius of a wrinkle: that of a half circle at the largest compression. With 0, only the compression is computed.", "derived": "0.5 % of the height", "default": null, "least": 0.0, "most": 1e+30, "slider": {"low": 0.05, "high": 3.0, "even_ratios": true}},
  amplitude: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Multiplies the heights: 1 keeps the length of the cloth; smaller values give flatter folds of the same width, larger ones deeper folds.", "derived": "", "default": 1.0, "least": 0.0, "most": 10.0, "slider": {"low": 0.0, "high": 3.0}},
  tau: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones.", "derived": "", "default": 1.4, "least": 1.0, "most": null, "slider": {"low": 1.02, "high": 2.0}},
  grow_tau: {"type": "float", "length": false, "group": "wrinkles", "unit": "", "help": "Compression above which an existing wrinkle remains and grows; the thesis uses tau, which makes wrinkles shorter and more restless.", "derived": "half way from 1 to tau", "default": null, "least": 1.0, "most": null, "slider": {"low": 1.01, "high": 2.0}},
  least_aspect: {"type": "float", "length": false, "group": "wrinkles", "unit": "widths", "help": "Shortest length of a new wrinkle; wrinkles below 62 % of it fade. 0 in the thesis.", "derived": "", "default": 4.5, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 10.0}},
  aspect: {"type": "float", "length": false, "group": "wrinkles", "unit": "widths", "help": "Length above which a wrinkle has its full size; shorter wrinkles are smaller in proportion.", "derived": "", "default": 3.0, "least": 0.0, "most": null, "slider": {"low": 0.5, "high": 10.0}},
  seed: {"type": "uint64", "length": false, "group": "wrinkles", "unit": "", "help": "Random seed of the points at which wrinkles begin; the same seed gives the same wrinkles on any machine.", "derived": "", "default": 0, "least": 0.0, "most": null, "slider": {"low": 0, "high": 99}},
  path_alpha: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "How strongly paths turn across the compression: the weight alpha in (5.2) of the thesis.", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  straightness: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "How strongly paths straighten; with 0, as in the thesis, old paths become ragged.", "derived": "", "default": 1.5, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 5.0}},
  length_change: {"type": "float", "length": false, "group": "motion", "unit": "per 1/30 s", "help": "Largest change of a wrinkle's length, as a share of it.", "derived": "", "default": 0.15, "least": 0.0, "most": 1.0, "slider": {"low": 0.01, "high": 1.0}},
  fade_in: {"type": "float", "length": false, "group": "motion", "unit": "seconds", "help": "Time in which a new wrinkle rises to its full height.", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  fade_out: {"type": "float", "length": false, "group": "motion", "unit": "seconds", "help": "Time in which a wrinkle without compression sinks to nothing.", "derived": "", "default": 0.4, "least": 0.0, "most": null, "slider": {"low": 0.0, "high": 2.0}},
  coherent: {"type": "bool", "length": false, "group": "motion", "unit": "", "help": "Keep wrinkles from frame to frame; otherwise each frame traces new ones, at full height.", "derived": "", "default": true, "least": null, "most": null, "slider": {}},
  sigma: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Deviation of stretches from 1 up to which the rest label is cheap.", "derived": "", "default": 0.05, "least": 0.0, "most": null, "slider": {"low": 0.005, "high": 0.5, "even_ratios": true}},
  alpha: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Decay of the costs of compression and stretch if neither dominates.", "derived": "", "default": 9.0, "least": 0.0, "most": null, "slider": {"low": 1.0, "high": 50.0, "even_ratios": true}},
  beta: {"type": "float", "length": false, "group": "labels and reference", "unit": "", "help": "Decay of the cost of compression or stretch if it clearly dominates the other.", "derived": "", "default": 90.0, "least": 0.0, "most": null, "slider": {"low": 5.0, "high": 500.0, "even_ratios": true}},
  relaxation: {"type": "float", "length": false, "group": "labels and reference", "unit": "per 1/30 s", "help": "Share of the way that the reference of a compressed triangle moves toward its current shape.", "derived": "", "default": 0.05, "least": 0.0, "most": 1.0, "slider": {"low": 0.0, "high": 1.0}},
};

/**
 * @typedef {object} WaveOptions the options of wrinkle waves, and the meaning of each
 * @property {number | string} [r_min] Smallest radius of a fold; default lengths of this layer are multiples of it. (mesh units, in [1e-12, 1e12], default: 0.5 % of the height at rest)
 * @property {number | string} [wavelength] Distance between folds on the cloth at rest. (mesh units, in [1e-12, 1e12], default: 7 r_min)
 * @property {number} [gain] Multiplies the slope of folds; 1 restores the lost length if slack is 0. (in [0, 10], default: 1.9)
 * @property {number} [slack] Lost share of length at which folds reach half of their slope; real cloth loses smaller shares without folds, by sliding and hanging. (in [0, 1], default: 0.15)
 * @property {number} [steepest] Largest slope of a fold: that of a cosine with the same arc length. (in (0, 10], default: 2.0)
 * @property {number} [sharpness] Height of the second harmonic relative to the first; it makes crests sharper and valleys flatter. (in [0, 0.5], default: 0.2)
 * @property {number} [detail] Height of a second wave, with 1/1.6 of the wavelength, relative to the first. (in [0, 2], default: 0.25)
 * @property {number} [sag] How far horizontal folds lean down. (in [0, 1], default: 0.25)
 * @property {number} [lift] How far folds move outward, as a share of the depth of their valleys. (in [0, 2], default: 0.0)
 * @property {number} [irregularity] Variation of wavelength, direction and gain over the cloth. (in [0, 3], default: 0.5)
 * @property {number} [coherence] Heights are multiplied by the agreement of neighbouring phases to this power; with 0, disagreement does not lower folds. (in [0, 4], default: 0.0)
 * @property {number} [hang] How far folds of loose cloth turn toward the direction of gravity, and those of short sleeves around the arm: 0 uses the compression alone. (in [0, 4], default: 0.8)
 * @property {number} [hem] Share of their height that folds keep at loose hems, because cloth slides there; 1 does not lower them. (in [0, 1], default: 0.0)
 * @property {number} [calm] Upper bound on the change of any height. (r_min per 1/30 s, in (0, 100], default: 0.5)
 * @property {number} [seed] Random seed of the irregularity. (in [0, 2^64), default: 0)
 */

/** @type {Record<string, import('./core.mjs').Option>} */
export const WAVE_OPTIONS = {
  r_min: {"type": "float", "length": true, "group": "waves", "unit": "mesh units", "help": "Smallest radius of a fold; default lengths of this layer are multiples of it.", "derived": "0.5 % of the height at rest", "default": null, "least": 1e-12, "most": 1000000000000.0, "slider": null},
  wavelength: {"type": "float", "length": true, "group": "waves", "unit": "mesh units", "help": "Distance between folds on the cloth at rest.", "derived": "7 r_min", "default": null, "least": 1e-12, "most": 1000000000000.0, "slider": {"low": 0.5, "high": 12.0, "even_ratios": true}},
  gain: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Multiplies the slope of folds; 1 restores the lost length if slack is 0.", "derived": "", "default": 1.9, "least": 0.0, "most": 10.0, "slider": {"low": 0.0, "high": 4.0}},
  slack: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Lost share of length at which folds reach half of their slope; real cloth loses smaller shares without folds, by sliding and hanging.", "derived": "", "default": 0.15, "least": 0.0, "most": 1.0, "slider": {"low": 0.0, "high": 0.5}},
  steepest: {"type": "float", "length": false, "group": "waves", "unit": "", "help": "Largest slope of a fold: that of a cosine with the same arc length.", "derived": "", "default": 2.0, "least": 0.0, "most": 10.0, "slider": {"low": 0.2, "high": 4.0}},
  sharpness: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Height of the second harmonic relative to the first; it makes crests sharper and valleys flatter.", "derived": "", "default": 0.2, "least": 0.0, "most": 0.5, "slider": {"low": 0.0, "high": 0.5}},
  detail: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Height of a second wave, with 1/1.6 of the wavelength, relative to the first.", "derived": "", "default": 0.25, "least": 0.0, "most": 2.0, "slider": {"low": 0.0, "high": 1.0}},
  sag: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "How far horizontal folds lean down.", "derived": "", "default": 0.25, "least": 0.0, "most": 1.0, "slider": {"low": 0.0, "high": 1.0}},
  lift: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "How far folds move outward, as a share of the depth of their valleys.", "derived": "", "default": 0.0, "least": 0.0, "most": 2.0, "slider": {"low": 0.0, "high": 1.0}},
  irregularity: {"type": "float", "length": false, "group": "profile", "unit": "", "help": "Variation of wavelength, direction and gain over the cloth.", "derived": "", "default": 0.5, "least": 0.0, "most": 3.0, "slider": {"low": 0.0, "high": 2.0}},
  coherence: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "Heights are multiplied by the agreement of neighbouring phases to this power; with 0, disagreement does not lower folds.", "derived": "", "default": 0.0, "least": 0.0, "most": 4.0, "slider": {"low": 0.0, "high": 2.0}},
  hang: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "How far folds of loose cloth turn toward the direction of gravity, and those of short sleeves around the arm: 0 uses the compression alone.", "derived": "", "default": 0.8, "least": 0.0, "most": 4.0, "slider": {"low": 0.0, "high": 2.0}},
  hem: {"type": "float", "length": false, "group": "fading", "unit": "", "help": "Share of their height that folds keep at loose hems, because cloth slides there; 1 does not lower them.", "derived": "", "default": 0.0, "least": 0.0, "most": 1.0, "slider": {"low": 0.0, "high": 1.0}},
  calm: {"type": "float", "length": false, "group": "motion", "unit": "r_min per 1/30 s", "help": "Upper bound on the change of any height.", "derived": "", "default": 0.5, "least": 0.0, "most": 100.0, "slider": {"low": 0.1, "high": 5.0, "even_ratios": true}},
  seed: {"type": "uint64", "length": false, "group": "motion", "unit": "", "help": "Random seed of the irregularity.", "derived": "", "default": 0, "least": 0.0, "most": null, "slider": {"low": 0, "high": 99}},
};
