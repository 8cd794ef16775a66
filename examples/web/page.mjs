// The page: plays a sample and finds wrinkles for each frame; sliders change the options.
import { loadCore, Wrinkler } from "./core.mjs";
import { bytesOf, moving, unpacked } from "./contents.mjs";
import { Camera } from "./camera.mjs";
import { Picture } from "./picture.mjs";

const control = (id) => document.getElementById(id);
const contents = JSON.parse(control("contents").textContent);
const canvas = document.querySelector("canvas");
const camera = new Camera();
const state = { frame: -1, playing: false, time: 0 };
let core, picture, garment, wrinkler;

// Unpacks a sample: faces, positions of all frames, the box around it, and its wearer.
async function garmentOf(name) {
  const stored = contents.samples[name], figure = contents.figures[stored.figure];
  const positions = await moving(stored.positions), matrices = await moving(stored.matrices);
  const body = {
    positions: await unpacked(Float32Array, figure.positions),
    joints: await unpacked(Uint8Array, figure.joints),
    weights: await unpacked(Uint16Array, figure.weights),
    faces: await unpacked(Uint16Array, stored.body_faces),
    matrices,
    jointCount: figure.joint_count,
    frameCount: stored.frames,
  };
  const faces = Int32Array.from(await unpacked(Uint16Array, stored.faces));
  const low = [Infinity, Infinity, Infinity], high = low.map((value) => -value);
  const extend = (value, axis) => {
    low[axis] = Math.min(low[axis], value);
    high[axis] = Math.max(high[axis], value);
  };
  positions.forEach((value, i) => extend(value, i % 3));
  body.faces.forEach((vertex) => [0, 1, 2].forEach((axis) => extend(body.positions[3 * vertex + axis], axis)));
  return { faces, positions, body, low, high, fps: stored.fps, height: stored.height, frameCount: stored.frames };
}

async function choose(name) {
  garment = await garmentOf(name);
  camera.frame(garment.low, garment.high);
  control("frame").max = garment.frameCount - 1;
  control("triangles").textContent = garment.faces.length / 3;
  begin();
  picture.wear(garment.faces, wrinkler.faceEdges, garment.height, garment.body);
}

// Makes a wrinkler with the chosen options. Wrinkles depend on earlier frames, so the animation restarts.
function begin() {
  wrinkler?.destroy();
  const tau = Number(control("tau").value), share = Number(control("radius").value);
  control("tau-value").textContent = tau.toFixed(2);
  control("radius-value").textContent = share.toFixed(2);
  const vertexCount = garment.positions.length / 3 / garment.frameCount;
  wrinkler = new Wrinkler(core, garment.faces, vertexCount, { tau, r_min: (share / 100) * garment.height });
  state.frame = -1;
}

// Steps through all frames up to this one; restarts at the first to go back.
function seek(frame) {
  if (frame < state.frame) {
    wrinkler.reset();
    state.frame = -1;
  }
  const size = garment.positions.length / garment.frameCount;
  while (state.frame < frame) {
    const next = ++state.frame, started = performance.now();
    wrinkler.step(garment.positions.subarray(size * next, size * (next + 1)), 1 / garment.fps);
    // a mean over some frames, because browsers round the time
    state.time += 0.05 * (performance.now() - started - state.time);
  }
}

function draw() {
  const scale = window.devicePixelRatio || 1, split = Number(control("split").value);
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  picture.upload(wrinkler.table());
  picture.draw(camera, split / 100, control("wearer").checked ? state.frame : null);
  control("split-value").textContent = `${split} %`;
  control("frame").value = state.frame;
  control("frame-value").textContent = state.frame;
  control("wrinkles").textContent = wrinkler.count;
  control("drawn").textContent = picture.drawn;
  control("time").textContent = state.time.toFixed(2);
}

// Shows a frame and stops there, for tests and the console. Returns the counts that the page shows.
async function show(name, frame, options = {}) {
  play(false);
  control("sample").value = name;
  for (const [id, value] of Object.entries(options)) {
    control(id).value = value;
  }
  await choose(name);
  seek(frame);
  draw();
  return { wrinkles: wrinkler.count, drawn: picture.drawn };
}

function play(playing) {
  state.playing = playing;
  control("play").textContent = playing ? "Pause" : "Play";
}

let shown = 0;
function next(now) {
  if (state.playing && now - shown > 1000 / garment.fps - 4) {
    shown = now;
    seek((state.frame + 1) % garment.frameCount);
    draw();
  }
  requestAnimationFrame(next);
}

// Reacts to controls: changed options restart the wrinkler and return to the same frame.
function listen() {
  const again = () => (begin(), seek(Number(control("frame").value)), draw());
  control("sample").oninput = async () => (await choose(control("sample").value), seek(0), draw());
  control("tau").oninput = again;
  control("radius").oninput = again;
  control("split").oninput = draw;
  control("wearer").oninput = draw;
  control("frame").oninput = () => (play(false), seek(Number(control("frame").value)), draw());
  control("play").onclick = () => play(!state.playing);
  window.onresize = draw;
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (event.buttons) {
      camera.turn(-0.4 * event.movementX, 0.4 * event.movementY);
      draw();
    }
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.approach(Math.exp(-0.001 * event.deltaY));
    draw();
  }, { passive: false });
}

async function main() {
  core = await loadCore(bytesOf(contents.core));
  picture = new Picture(canvas, contents.shaders);
  for (const name of Object.keys(contents.samples)) {
    control("sample").append(new Option(name.replace("_", " "), name));
  }
  await choose(control("sample").value);
  seek(0);
  draw();
  listen();
  play(location.hash !== "#paused");
  requestAnimationFrame(next);
}

const ready = main();
ready.catch((error) => (control("failure").textContent = error.message));
window.ruckle = { ready, show };
