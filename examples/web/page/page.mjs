// The page: shows a sample or a dropped character, finds its cloth, and adds wrinkles.

import { AnimationMixer, Vector3 } from "three";
import { clone } from "three/addons/utils/SkeletonUtils.js";
import { findCloth, PATH_OPTIONS, Ruckle, WAVE_OPTIONS } from "ruckle";
import { commandOf } from "./command.mjs";
import { bytesOf } from "./contents.mjs";
import { makeLoader } from "./loader.mjs";
import { periodOf, pointsOf } from "./loop.mjs";
import { MOTION_LENGTH, swing } from "./motion.mjs";
import { sampleOf } from "./sample.mjs";
import { Stage } from "./stage.mjs";

/** @typedef {import('ruckle').WrinkledMesh} WrinkledMesh */

/** @type {(id: string) => any} */
const control = (id) => document.getElementById(id);
const contents = JSON.parse(control("contents").textContent);
const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
// in tests: the page does not play, and computes without the worker, whose delay would make pictures depend on timing
const isPaused = location.hash === "#paused";
// Start time of the first sample, in seconds.
const OPENING = 1.3;

/** @type {Ruckle} */
let ruckle;
/** @type {Stage} */
let stage;
/** @type {(files: File[]) => Promise<import('./loader.mjs').Model>} */
let load;

/**
 * The shown character. `seek` moves it to its pose at a time in seconds.
 * @typedef {object} Shown
 * @property {string} name name of the file or sample
 * @property {boolean} isSample
 * @property {number} length length of the motion in seconds; 0 without motion
 * @property {boolean} [isLoop] true if the end of the motion continues at its beginning
 * @property {(time: number) => void} seek
 * @property {import('ruckle').WrinkledMesh[]} meshes
 * @property {any[]} parts
 * @property {import('three').AnimationClip[]} clips
 * @property {string} clip name of the animation; empty for the first animation
 * @property {number} height
 */
/** @type {Shown} */
let shown;
const state = { playing: !isPaused, time: 0, cost: 0, split: 0 };

// --- characters ---

/** @param {string} name */
async function showSample(name) {
  leave();
  const sample = await sampleOf(name, contents);
  sample.pose(0);
  stage.show(sample.scene, false, sample.garment);
  const [mesh] = await ruckle.add(sample.garment, { height: sample.height, ...chosenOptions() });
  shown = {
    name, isSample: true, length: sample.frameCount / sample.fps, meshes: [mesh], clips: [], clip: "", height: sample.height,
    parts: [{ mesh: sample.garment, name: `${sample.garment.name} · cloth`, isCloth: true, reason: "the garment of the sample" }],
    seek(time) {
      const frame = Math.min(sample.frameCount - 1, Math.floor(time * sample.fps + 1e-6));
      sample.pose(frame);
      shown.meshes.forEach((one) => one.setPositions(sample.positions(frame)));
    },
  };
  begin();
}

/** @param {File[]} files */
async function showFiles(files) {
  const model = await load(files);
  leave();
  const mixer = new AnimationMixer(model.scene), { vrm, clips } = model;
  let clip = longest(clips);
  const play = () => {
    mixer.stopAllAction();
    if (clip) {
      mixer.clipAction(clip).play();
    }
  };
  play();
  mixer.setTime(0);
  vrm?.update(0);
  stage.show(model.scene, true);
  const parts = findCloth(model.scene);
  const meshes = await ruckle.add(model.scene, chosenOptions());
  let last = 0;
  shown = {
    name: model.name, isSample: false, meshes, parts, clips, clip: clip && clips.indexOf(clip) > 0 ? clip.name : "",
    height: meshes[0]?.options.height ?? 1,
    length: clip ? clip.duration : vrm ? MOTION_LENGTH : 0,
    seek(time) {
      mixer.setTime(time);
      if (vrm && !clip) {
        swing(vrm, time);
      }
      // the springs of hair and skirts must not react to a jump in time
      vrm?.update(Math.min(0.1, Math.max(0, time - last)));
      last = time;
    },
  };
  fillClips(clips, clip, (chosen) => {
    clip = chosen;
    shown.clip = clips.indexOf(chosen) > 0 ? chosen.name : "";
    shown.length = chosen.duration;
    play();
    begin();
  });
  begin();
  if (!meshes.length) {
    fail("No part looks like cloth. Choose one under Cloth.");
  } else if (!shown.length) {
    fail("This file has no animation: it shows the folds of its pose.");
  }
}

// Prefers a clip that is named as a motion, then the longest clip, because the first clip of a game's file is often a single pose.
/** @param {import('three').AnimationClip[]} clips */
function longest(clips) {
  return clips.find((clip) => /run|walk|dance|jump/i.test(clip.name) && clip.duration > 0.3) ??
    [...clips].sort((a, b) => b.duration - a.duration)[0] ?? null;
}

function leave() {
  fail("");
  control("clips").hidden = true;
  [...ruckle.meshes].forEach((mesh) => ruckle.remove(mesh));
}

// Shows the character at time 0, and lists its parts.
function begin() {
  const { height, length } = shown;
  const period = periodOf((time) => {
    shown.seek(time);
    stage.model?.updateMatrixWorld();
    return pointsOf(shown.meshes.map((mesh) => mesh.pose()), height);
  }, length, height);
  shown.isLoop = period > 0;
  // a take that shows the same motion several times plays one period, whose end continues at its beginning
  shown.length = period || length;
  state.time = 0;
  shown.meshes.forEach((mesh) => mesh.reset());
  fillParts();
  advance(0);
  tell();
}

// --- time ---

/** @param {number} dt seconds */
function advance(dt) {
  if (shown.length) {
    const next = state.time + dt;
    if (next >= shown.length && !shown.isLoop) {
      // the cloth must not react to the jump to the start; a loop continues without a jump
      shown.meshes.forEach((mesh) => mesh.reset());
    }
    state.time = next % shown.length;
  }
  shown.seek(state.time);
  ruckle.update(dt);
  draw();
}

function draw() {
  const { value } = control("strength"), pixels = control("compare").checked ? state.split * canvas.width : 0;
  shown.meshes.forEach((mesh) => {
    mesh.strength = Number(value);
    mesh.line = pixels;
  });
  stage.draw();
  state.cost += 0.05 * (ruckle.time - state.cost);
  control("time").value = shown.length ? state.time / shown.length : 0;
  control("wrinkles").textContent = shown.meshes.reduce((sum, mesh) => sum + mesh.wrinkleCount, 0);
  control("cost").textContent = state.cost.toFixed(2);
}

let before = 0;
/** @param {number} now ms */
function next(now) {
  const dt = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (state.playing && shown && dt > 0) {
    advance(dt);
  }
  requestAnimationFrame(next);
}

// --- controls ---

const sliders = { waves: new Map(), paths: new Map() };

function chosenOptions() {
  const r_min = `${control("radius").value}%`, of = (/** @type {"waves" | "paths"} */ layer) =>
    control(layer).checked && { r_min, ...changedOptions(layer) };
  return { waves: of("waves"), paths: of("paths"), parts: control("raise").checked ? 4 : 1 };
}

/** @param {"waves" | "paths"} layer @returns {Record<string, number>} */
function changedOptions(layer) {
  return Object.fromEntries([...sliders[layer]].filter(([, slider]) => slider.isChanged()).map(([name, slider]) => [name, slider.value()]));
}

// Makes a slider for each option with a number. The core uses its default if a slider was not moved.
/** @param {"waves" | "paths"} layer @param {Record<string, any>} table @param {HTMLElement} place */
function makeSliders(layer, table, place) {
  for (const [name, option] of Object.entries(table)) {
    if (option.type !== "float" || option.length || typeof option.default !== "number") {
      continue;
    }
    const low = option.slider?.low ?? option.least ?? 0;
    const high = option.slider?.high ?? Math.min(option.most ?? Infinity, option.default ? 4 * option.default : 2);
    const input = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: high - low > 20 ? 0.1 : 0.01 });
    input.value = String(option.default);
    const output = document.createElement("output"), label = document.createElement("label");
    label.title = option.help;
    label.append(name.replaceAll("_", " "), " ", output, input);
    let isChanged = false;
    const show = () => (output.textContent = Number(isChanged ? input.value : option.default).toFixed(2));
    show();
    input.oninput = () => {
      isChanged = true;
      show();
      change();
    };
    place.append(label);
    sliders[layer].set(name, { isChanged: () => isChanged, value: () => Number(Number(input.value).toFixed(4)),
      reset() {
        isChanged = false;
        input.value = String(option.default);
        show();
      },
    });
  }
}

// Applies the options of the controls. The wrinkles restart from the current pose.
let changing = Promise.resolve();
function change() {
  changing = changing.then(async () => {
    const options = chosenOptions();
    await Promise.all(shown.meshes.map((mesh) => mesh.set(options)));
    advance(0);
    tell();
  }).catch((error) => fail(error.message));
  return changing;
}

function fillParts() {
  const rows = shown.parts.map((part) => {
    const label = document.createElement("label"), box = document.createElement("input"), text = document.createElement("span");
    box.type = "checkbox";
    box.checked = shown.meshes.some(({ mesh }) => mesh === part.mesh);
    text.append(part.name, " ", Object.assign(document.createElement("small"), { textContent: part.reason }));
    label.append(box, text);
    box.onchange = () => choose(part, box.checked).catch((error) => fail(error.message));
    return label;
  });
  control("parts").replaceChildren(control("parts").firstElementChild, ...rows);
}

/** @param {any} part @param {boolean} isWanted */
async function choose(part, isWanted) {
  fail("");
  if (isWanted) {
    shown.meshes.push(...await ruckle.add(part.mesh, { mask: part.mask, height: shown.height, ...chosenOptions() }));
  } else {
    shown.meshes.filter(({ mesh }) => mesh === part.mesh).forEach((mesh) => ruckle.remove(mesh));
    shown.meshes = shown.meshes.filter(({ mesh }) => mesh !== part.mesh);
  }
  advance(0);
  tell();
}

/** @param {import('three').AnimationClip[]} clips @param {any} chosen @param {(clip: any) => void} play */
function fillClips(clips, chosen, play) {
  control("clips").hidden = clips.length < 2;
  control("clip").replaceChildren(...clips.map((clip, i) => new Option(clip.name || `animation ${i}`, String(i), false, clip === chosen)));
  control("clip").oninput = () => play(clips[control("clip").value]);
}

function tell() {
  for (const [id, digits] of /** @type {[string, number][]} */ ([["strength", 2], ["radius", 2], ["brush", 1]])) {
    control(`${id}-value`).textContent = Number(control(id).value).toFixed(digits);
  }
  control("triangles").textContent = shown.meshes.reduce((sum, mesh) => sum + mesh.triangleCount, 0);
  const meshes = shown.isSample ? [] : [...new Set(shown.meshes.map(({ mesh }) => mesh.userData.name ?? mesh.name))];
  control("command").value = commandOf({ file: shown.name, meshes, clip: shown.clip, waves: control("waves").checked,
    paths: control("paths").checked, radius: Number(control("radius").value), waveOptions: changedOptions("waves"),
    pathOptions: changedOptions("paths") });
}

/** @param {string} message */
function fail(message) {
  control("failure").textContent = message;
}

/** @param {boolean} playing */
function play(playing) {
  state.playing = playing;
  control("play").textContent = playing ? "Pause" : "Play";
}

/** @param {number} split share of the picture */
function setSplit(split) {
  state.split = Math.max(0, Math.min(1, split));
  const line = control("line");
  line.hidden = !control("compare").checked;
  line.style.left = `${100 * state.split}%`;
  line.setAttribute("aria-valuenow", String(Math.round(100 * state.split)));
  draw();
}

// --- mask ---

// Removes or restores the folds around a point of the cloth.
/** @param {number} x position of the pointer @param {number} y */
function brush(x, y) {
  const hit = stage.hit(x, y, shown.meshes.map(({ mesh }) => mesh));
  const wrinkled = hit && shown.meshes.find(({ mesh }) => mesh === hit.object);
  if (!wrinkled || hit?.faceIndex == null) {
    return false;
  }
  const rest = wrinkled.restPositions, mask = wrinkled.mask.slice(), [p, q, r] = wrinkled.verticesOf(hit.faceIndex);
  const at = (/** @type {number} */ vertex) => new Vector3().fromArray(rest, 3 * vertex);
  const center = at(p).add(at(q)).add(at(r)).divideScalar(3), radius = (Number(control("brush").value) / 100) * shown.height;
  const target = Number(control("restore").checked);
  let nearest = [p, q, r];
  for (let vertex = 0; vertex < mask.length; ++vertex) {
    const share = Math.max(0, 1.5 - at(vertex).distanceTo(center) / radius);
    if (share > 0) {
      mask[vertex] += Math.min(1, 2 * share) * (target - mask[vertex]);
      nearest = [];
    }
  }
  nearest.forEach((vertex) => (mask[vertex] = target));
  wrinkled.setMask(mask);
  draw();
  return true;
}

// --- listeners ---

function listen() {
  control("sample").oninput = () => showSample(control("sample").value).catch((error) => fail(error.message));
  control("open").onchange = () => receive([...control("open").files]);
  control("play").onclick = () => play(!state.playing);
  control("time").oninput = () => {
    play(false);
    advance(Number(control("time").value) * shown.length - state.time);
  };
  control("compare").onchange = () => setSplit(state.split || 0.5);
  control("strength").oninput = () => (tell(), draw());
  control("radius").oninput = change;
  ["waves", "paths", "raise"].forEach((id) => (control(id).onchange = change));
  control("reset").onclick = () => {
    [...sliders.waves.values(), ...sliders.paths.values()].forEach((slider) => slider.reset());
    change();
  };
  control("brush").oninput = tell;
  control("erase").onchange = () => {
    canvas.classList.toggle("brush", control("erase").checked);
    stage.controls.enabled = !control("erase").checked;
  };
  control("clear").onclick = () => (shown.meshes.forEach((mesh) => mesh.setMask(mesh.mask.fill(1))), draw());
  control("copy").onclick = () => {
    control("command").select();
    navigator.clipboard?.writeText(control("command").value).catch(() => document.execCommand("copy"));
  };
  stage.controls.addEventListener("change", () => state.playing || stage.renderer.render(stage.scene, stage.camera));
  new ResizeObserver(() => (stage.resize(), draw())).observe(canvas);
  listenToPointer();
  listenToKeys();
  listenToDrops();
}

function listenToPointer() {
  const paint = (/** @type {PointerEvent} */ event) => control("erase").checked && event.buttons && brush(event.clientX, event.clientY);
  canvas.addEventListener("pointerdown", paint);
  canvas.addEventListener("pointermove", paint);
  const line = control("line");
  line.onpointerdown = (/** @type {PointerEvent} */ event) => line.setPointerCapture(event.pointerId);
  line.onpointermove = (/** @type {PointerEvent} */ event) => {
    const { left, width } = canvas.getBoundingClientRect();
    if (event.buttons) {
      setSplit((event.clientX - left) / width);
    }
  };
  line.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (step) {
      setSplit(state.split + step);
      event.preventDefault();
    }
  };
}

function listenToKeys() {
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => stage.turn(-1, 0), ArrowRight: () => stage.turn(1, 0), ArrowUp: () => stage.turn(0, 1),
    ArrowDown: () => stage.turn(0, -1), "+": () => stage.approach(1), "-": () => stage.approach(-1), " ": () => play(!state.playing),
    l: () => control("compare").click(), m: () => control("erase").click(), o: () => control("open").click(),
  };
  window.addEventListener("keydown", (event) => {
    // keys in other controls have their usual meaning
    const isOurs = event.target === document.body || event.target === canvas, act = isOurs && keys[event.key === "=" ? "+" : event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
      draw();
    }
  });
}

function listenToDrops() {
  const drop = control("drop");
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  window.addEventListener("dragleave", (event) => (drop.hidden ||= !event.relatedTarget));
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.hidden = true;
    receive([...(event.dataTransfer?.files ?? [])]);
  });
}

/** @type {Promise<void>} */
let receiving = Promise.resolve();
/** @param {File[]} files */
function receive(files) {
  receiving = showFiles(files).catch((error) => fail(`This file cannot be shown: ${error.message}`));
}

// --- for tests and the console ---

/** Sets controls, plays a sample up to a frame, and stops. @param {string} name @param {number} frame @param {any} values */
async function show(name, frame, values = {}) {
  play(false);
  for (const [id, value] of Object.entries(values)) {
    Object.assign(control(id), typeof value === "boolean" ? { checked: value } : { value });
  }
  control("sample").value = name;
  await showSample(name);
  return run(frame, 1 / 60);
}

/** Plays some frames, and draws only the last. @param {number} frames @param {number} dt */
async function run(frames, dt) {
  for (let i = 0; i < frames; ++i) {
    state.time = (state.time + dt) % (shown.length || 1);
    shown.seek(state.time);
    ruckle.update(dt);
  }
  draw();
  return { wrinkles: Number(control("wrinkles").textContent), meshes: shown.meshes.map(({ mesh }) => mesh.name), message: control("failure").textContent };
}

async function main() {
  stage = new Stage(canvas);
  load = makeLoader(stage.renderer, contents.decoders);
  ruckle = await Ruckle.load({ worker: !isPaused });
  control("sample").append(...Object.keys(contents.samples).map((name) => new Option(name.replace("_", " "), name)));
  makeSliders("waves", WAVE_OPTIONS, control("wave-options"));
  makeSliders("paths", PATH_OPTIONS, control("path-options"));
  await showSample(control("sample").value);
  // the first picture shows compressed cloth
  advance(OPENING);
  listen();
  play(state.playing);
  requestAnimationFrame(next);
}

const ready = main();
ready.catch((error) => fail(error.message));
Object.assign(window, { page: {
  ready, show, run, brush, clone, bytesOf, AnimationMixer, shown: () => shown, stage: () => stage, ruckle: () => ruckle,
  received: () => receiving, changed: () => changing,
} });
