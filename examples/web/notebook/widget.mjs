// The notebook view: draws the scene that ruckle.view.notebook sends. It computes the wrinkles in the browser if possible.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { PATH_OPTIONS, Ruckle, WAVE_OPTIONS } from "ruckle";
import { moving, unpacked } from "../page/contents.mjs";
import { Stage } from "../page/stage.mjs";
import CSS from "./widget.css";

const CLOTH = [0.195, 0.279, 0.423], SPEEDS = [1, 0.5, 0.25, 0.1];

// Number of fine meshes in the cache, and number of frames that are requested before they are shown.
const MOST_MESHES = 60, AHEAD = 4;

/** @typedef {{positions: (frame: number) => Float32Array, mesh: Mesh}} Body a mesh and its motion */

/**
 * @param {any} stored
 * @param {number} frameCount
 * @param {Float32Array | null} rest
 * @returns {Promise<Body>}
 */
async function bodyOf(stored, frameCount, rest) {
  const frames = await moving(stored.positions), size = frames.length / frameCount, geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute((rest ?? frames).slice(0, size), 3));
  const index = await unpacked(Uint32Array, stored.faces);
  geometry.setIndex(new BufferAttribute(index, 1));
  const tints = stored.tints.length ? stored.tints : [{ start: 0, color: CLOTH }];
  const materials = tints.map((/** @type {any} */ { start, color }, /** @type {number} */ i) => {
    geometry.addGroup(start, (tints[i + 1]?.start ?? index.length) - start, i);
    return new MeshStandardMaterial({ color: new Color().setRGB(color[0], color[1], color[2]), roughness: 0.85, side: DoubleSide });
  });
  geometry.computeVertexNormals();
  const mesh = new Mesh(geometry, materials);
  mesh.frustumCulled = false;
  return { mesh, positions: (frame) => frames.subarray(size * frame, size * (frame + 1)) };
}

/** @param {Mesh} mesh @param {Float32Array} positions */
function move({ geometry }, positions) {
  /** @type {BufferAttribute} */ (geometry.attributes.position).copyArray(positions).needsUpdate = true;
  geometry.computeVertexNormals();
}

/** Returns the options that exist in the table of a layer. @param {Record<string, any> | false} options @param {Record<string, any>} table */
function known(options, table) {
  return options && Object.fromEntries(Object.entries(options).filter(([name, value]) => name in table && value !== null));
}

// Computes the wrinkles in the browser, from the first frame to the shown frame.
class Computed {
  /** @param {Ruckle} ruckle @param {import('ruckle').WrinkledMesh} wrinkled @param {Body} cloth @param {number} fps */
  constructor(ruckle, wrinkled, cloth, fps) {
    this.ruckle = ruckle;
    this.wrinkled = wrinkled;
    this.cloth = cloth;
    this.dt = 1 / fps;
    this.last = -1;
  }

  /** Shows a frame; returns true, because the frame is always available. @param {number} frame */
  show(frame) {
    if (frame < this.last) {
      this.wrinkled.reset();
      this.last = -1;
    }
    while (this.last < frame) {
      this.wrinkled.setPositions(this.cloth.positions(++this.last));
      this.ruckle.update(this.dt);
    }
    return true;
  }

  /** @param {() => void} drawScene @param {number} split width in pixels of the left part without wrinkles */
  draw(drawScene, split) {
    this.wrinkled.line = split;
    drawScene();
  }

  dispose() {
    this.ruckle.dispose();
  }
}

// Shows fine meshes that the Python kernel computes and sends.
class Fetched {
  /** @type {Map<number, BufferGeometry | null>} */
  meshes = new Map();

  /** @param {any} model @param {Body} cloth @param {number} frameCount @param {Stage} stage @param {() => void} arrived */
  constructor(model, cloth, frameCount, stage, arrived) {
    this.model = model;
    this.cloth = cloth;
    this.frameCount = frameCount;
    this.stage = stage;
    const material = [cloth.mesh.material].flat()[0];
    this.fine = new Mesh(new BufferGeometry(), material);
    this.fine.frustumCulled = false;
    this.fine.castShadow = this.fine.receiveShadow = true;
    cloth.mesh.parent?.add(this.fine);
    this.receive = (/** @type {{frame: number}} */ { frame }, /** @type {DataView[]} */ buffers) => {
      const [positions, normals, faces] = buffers.map((view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
      geometry.setAttribute("normal", new BufferAttribute(new Int8Array(normals), 3, true));
      geometry.setIndex(new BufferAttribute(new Uint32Array(faces), 1));
      this.meshes.set(frame, geometry);
      for (const [old, kept] of this.meshes) {
        if (this.meshes.size > MOST_MESHES && kept && kept !== this.fine.geometry) {
          kept.dispose();
          this.meshes.delete(old);
        }
      }
      arrived();
    };
    model.on("msg:custom", this.receive);
  }

  /** @param {number} frame */
  show(frame) {
    for (let ahead = frame; ahead <= frame + AHEAD; ++ahead) {
      const wanted = ahead % this.frameCount;
      if (!this.meshes.has(wanted)) {
        this.meshes.set(wanted, null);
        this.model.send({ frame: wanted });
      }
    }
    move(this.cloth.mesh, this.cloth.positions(frame));
    const found = this.meshes.get(frame);
    this.fine.geometry = found ?? this.fine.geometry;
    return Boolean(found);
  }

  /** @param {() => void} drawScene @param {number} split */
  draw(drawScene, split) {
    const { renderer, canvas } = this.stage, { width, height } = canvas, { mesh } = this.cloth;
    const ratio = renderer.getPixelRatio();
    renderer.setScissorTest(true);
    for (const [left, right, isFine] of /** @type {[number, number, boolean][]} */ ([[0, split, false], [split, width, true]])) {
      if (right > left) {
        renderer.setScissor(left / ratio, 0, (right - left) / ratio, height / ratio);
        mesh.visible = !isFine;
        this.fine.visible = isFine;
        drawScene();
      }
    }
    renderer.setScissorTest(false);
  }

  dispose() {
    this.model.off("msg:custom", this.receive);
    this.meshes.forEach((geometry) => geometry?.dispose());
  }
}

/** @param {any} model */
async function build(model, /** @type {HTMLElement} */ el) {
  const scene = model.get("scene"), { frameCount, fps, size, options } = scene;
  const place = document.createElement("div");
  place.className = "ruckle-view";
  place.innerHTML = `<style>${CSS}</style><main><canvas tabindex="0" aria-label="Wrinkled cloth. Arrow keys turn it, plus and minus
    zoom, space plays"></canvas><div class="line" hidden></div></main><nav><button class="play"></button><input class="time" type="range"
    min="0" max="${frameCount - 1}" aria-label="Frame"><output></output><select class="shown" aria-label="Cloth"><option value="after">wrinkled
    </option><option value="before">coarse</option><option value="both">both, split by a line</option></select><select class="speed"
    aria-label="Speed">${SPEEDS.map((speed) => `<option value="${speed}">×${speed}</option>`).join("")}</select></nav><p class="failure"></p>`;
  el.append(place);
  /** @type {(name: string) => any} */
  const part = (name) => place.querySelector(name);
  const main = part("main"), canvas = part("canvas"), line = part(".line");
  main.style.aspectRatio = `${size[0]} / ${size[1]}`;
  place.style.width = `${size[0]}px`;

  const stage = new Stage(canvas), group = new Group();
  group.rotation.x = scene.up === "z" ? -Math.PI / 2 : 0;
  const rest = options ? await unpacked(Float32Array, options.rest) : null;
  const cloth = await bodyOf(scene.cloth, frameCount, rest), body = scene.body && (await bodyOf(scene.body, frameCount, null));
  group.add(cloth.mesh);
  if (body) {
    [body.mesh.material].flat().forEach((material) => Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 16 }));
    group.add(body.mesh);
  }
  stage.show(group, false);
  const targets = await unpacked(Float32Array, scene.camera.targets);
  const targetOf = (/** @type {number} */ frame) => new Vector3().fromArray(targets, 3 * frame).applyMatrix4(group.matrixWorld);
  let shown = scene.frame, playing = false, time = shown / fps, split = { after: 0, before: 1, both: 0.5 }[/** @type {"both"} */ (scene.comparison)];
  stage.look(new Vector3(...scene.camera.eye).applyMatrix4(group.matrixWorld), targetOf(shown), scene.camera.opening);

  /** @type {Computed | Fetched} */
  let wrinkles;
  if (options) {
    const ruckle = await Ruckle.load({ worker: false });
    const mask = options.mask && (await unpacked(Float32Array, options.mask));
    const [wrinkled] = await ruckle.add(cloth.mesh, {
      paths: known(options.paths, PATH_OPTIONS), waves: known(options.waves, WAVE_OPTIONS), height: scene.height, mask });
    wrinkles = new Computed(ruckle, wrinkled, cloth, fps);
  } else {
    wrinkles = new Fetched(model, cloth, frameCount, stage, () => playing || show(shown));
  }

  const draw = () => wrinkles.draw(() => stage.draw(), Math.round(split * canvas.width));
  const show = (/** @type {number} */ frame) => {
    const isThere = wrinkles.show(frame);
    if (body) {
      move(body.mesh, body.positions(frame));
    }
    stage.travel(targetOf(frame).sub(targetOf(shown)));
    shown = frame;
    draw();
    part(".time").value = frame;
    part("output").textContent = `${(frame / fps).toFixed(2)} s`;
    return isThere;
  };
  const play = (/** @type {boolean} */ wanted) => {
    playing = wanted;
    part(".play").textContent = wanted ? "Pause" : "Play";
    model.set("playing", wanted);
    model.set("frame", shown);
    model.save_changes();
  };
  const seek = (/** @type {number} */ frame) => {
    time = frame / fps;
    show(frame);
  };
  const compare = (/** @type {number} */ share) => {
    split = Math.max(0, Math.min(1, share));
    line.style.left = `${100 * split}%`;
    draw();
  };

  let before = 0, request = 0, hasTurned = false;
  const next = (/** @type {number} */ now) => {
    const dt = Math.min(0.1, (now - before) / 1000);
    before = now;
    request = requestAnimationFrame(next);
    if (!playing) {
      if (hasTurned) {
        hasTurned = false;
        draw();
      }
      return;
    }
    const length = frameCount / fps, wanted = (time + dt * Number(part(".speed").value)) % length;
    // the clock stops until the frame has arrived
    if (show(Math.min(frameCount - 1, Math.floor(wanted * fps)))) {
      time = wanted;
    }
  };

  part(".play").onclick = () => play(!playing);
  part(".time").oninput = () => (play(false), seek(Number(part(".time").value)), model.set("frame", shown), model.save_changes());
  part(".shown").value = scene.comparison;
  part(".shown").onchange = () => {
    const { value } = part(".shown");
    line.hidden = value !== "both";
    compare({ after: 0, before: 1, both: 0.5 }[/** @type {"both"} */ (value)]);
  };
  line.hidden = scene.comparison !== "both";
  line.onpointerdown = (/** @type {PointerEvent} */ event) => line.setPointerCapture(event.pointerId);
  line.onpointermove = (/** @type {PointerEvent} */ event) => {
    const frame = canvas.getBoundingClientRect();
    if (event.buttons) {
      compare((event.clientX - frame.left) / frame.width);
    }
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => stage.turn(-1, 0), ArrowRight: () => stage.turn(1, 0), ArrowUp: () => stage.turn(0, 1),
    ArrowDown: () => stage.turn(0, -1), "+": () => stage.approach(1), "-": () => stage.approach(-1), " ": () => play(!playing),
  };
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const act = keys[event.key];
    if (act) {
      // the notebook must not handle the key, too
      event.preventDefault();
      event.stopPropagation();
      act();
      draw();
    }
  });
  stage.controls.addEventListener("change", () => (hasTurned = true));
  const sizes = new ResizeObserver(() => (stage.resize(), draw()));
  sizes.observe(canvas);
  const changed = { frame: () => model.get("frame") === shown || seek(model.get("frame")), playing: () => model.get("playing") === playing || play(model.get("playing")) };
  Object.entries(changed).forEach(([name, listener]) => model.on(`change:${name}`, listener));

  compare(split);
  seek(shown);
  play(model.get("playing"));
  request = requestAnimationFrame(next);
  return () => {
    cancelAnimationFrame(request);
    sizes.disconnect();
    Object.entries(changed).forEach(([name, listener]) => model.off(`change:${name}`, listener));
    wrinkles.dispose();
    stage.dispose();
  };
}

export default {
  /** @param {{model: any, el: HTMLElement}} given */
  async render({ model, el }) {
    try {
      return await build(model, el);
    } catch (error) {
      el.append(`ruckle cannot draw here: ${/** @type {Error} */ (error).message}`);
      return () => {};
    }
  },
};
