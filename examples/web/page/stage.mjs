// Camera, light and canvas of the page.

import {
  Box3, Color, DirectionalLight, HemisphereLight, Mesh, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Raycaster, Scene, SkinnedMesh,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const PAPER = 0xf2efe9, FIELD_OF_VIEW = 26, TURN_STEP = 0.1, ZOOM_STEP = 0.9, MARGIN = 1.2;

export class Stage {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene = new Scene();
    this.scene.background = new Color(PAPER);
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.key = new DirectionalLight(0xffffff, 3.2);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    const fill = new DirectionalLight(0xffffff, 0.5), back = new DirectionalLight(0xffffff, 0.9);
    fill.position.set(0.85, 0.1, 0.5);
    back.position.set(0.5, 0.6, -0.7);
    this.scene.add(new HemisphereLight(0xdde6f2, 0x8d8478, 1.2), this.key, this.key.target, fill, back);
    this.radius = 1;
    /** @type {import('three').Object3D | null} */
    this.model = null;
    this.follows = false;
    this.follow = new Vector3();
  }

  /**
   * @param {import('three').Object3D} model
   * @param {boolean} follows true if the camera moves with the first bone
   * @param {import('three').Object3D} focus part of the model that fills the picture
   */
  show(model, follows, focus = model) {
    if (this.model) {
      this.scene.remove(this.model);
      release(this.model);
    }
    this.model = model;
    this.follows = follows;
    this.scene.add(model);
    model.updateMatrixWorld();
    model.traverse((part) => {
      if (part instanceof Mesh) {
        part.frustumCulled = false;
        part.castShadow = part.receiveShadow = true;
      }
    });
    const box = new Box3().setFromObject(focus, true), center = box.getCenter(new Vector3()), size = box.getSize(new Vector3());
    this.radius = size.length() / 2 || 1;
    this.controls.target.copy(center);
    const { clientWidth: width, clientHeight: height } = this.canvas, across = Math.hypot(size.x, size.z);
    const reach = Math.max(size.y, (across * height) / Math.max(1, width)) / 2;
    const distance = (MARGIN * reach) / Math.tan((FIELD_OF_VIEW * Math.PI) / 360) + across / 2 || 1;
    this.camera.position.set(0.46, 0.14, 0.87).multiplyScalar(distance).add(center);
    this.camera.near = distance / 100;
    this.camera.far = distance * 100;
    this.follow.copy(this.anchor());
    this.resize();
  }

  /** Returns the world position of the first bone, which the camera follows; without bones, that of the model. */
  anchor() {
    const place = new Vector3();
    /** @type {import('three').Object3D | null} */
    let bone = null;
    this.model?.traverse((part) => {
      if (!bone && part instanceof SkinnedMesh && part.skeleton.bones.length) {
        bone = part.skeleton.bones[0];
      }
    });
    return (bone ?? this.model)?.getWorldPosition(place) ?? place;
  }

  /**
   * @param {Vector3} eye @param {Vector3} target
   * @param {number} opening vertical field of view, degrees
   */
  look(eye, target, opening) {
    this.camera.position.copy(eye);
    this.controls.target.copy(target);
    this.camera.fov = opening;
    this.resize();
  }

  /** Moves the camera together with its target. @param {Vector3} step */
  travel(step) {
    this.camera.position.add(step);
    this.controls.target.add(step);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(window.devicePixelRatio || 1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  draw() {
    const place = this.anchor(), step = place.clone().sub(this.follow);
    step.y = 0;
    this.follow.copy(place);
    if (this.follows && Number.isFinite(step.x + step.z)) {
      this.travel(step);
    }
    this.controls.update();
    this.light();
    this.renderer.render(this.scene, this.camera);
  }

  // Places the key light at the upper left of the camera.
  light() {
    const { shadow } = this.key, reach = 1.2 * this.radius;
    this.key.target.position.copy(this.controls.target);
    this.key.position.set(-0.82, 0.62, 0.38).applyQuaternion(this.camera.quaternion).multiplyScalar(4 * reach).add(this.controls.target);
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach, far: 7 * reach });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.012 * this.radius;
    shadow.bias = -0.0005;
  }

  dispose() {
    if (this.model) {
      release(this.model);
    }
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /** @param {number} right @param {number} up in steps */
  turn(right, up) {
    const away = this.camera.position.clone().sub(this.controls.target), { y } = away;
    const level = Math.hypot(away.x, away.z), tilt = Math.max(-1.5, Math.min(1.5, Math.atan2(y, level) + TURN_STEP * up));
    const angle = Math.atan2(away.x, away.z) + TURN_STEP * right, size = away.length();
    away.set(Math.sin(angle) * Math.cos(tilt), Math.sin(tilt), Math.cos(angle) * Math.cos(tilt)).multiplyScalar(size);
    this.camera.position.copy(this.controls.target).add(away);
  }

  /** @param {number} steps toward the target */
  approach(steps) {
    this.camera.position.sub(this.controls.target).multiplyScalar(ZOOM_STEP ** steps).add(this.controls.target);
  }

  /**
   * Returns the nearest intersection with one of the meshes at a point of the page; null without one.
   * @param {number} x @param {number} y @param {Mesh[]} meshes
   */
  hit(x, y, meshes) {
    const frame = this.canvas.getBoundingClientRect(), caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * (x - frame.left)) / frame.width - 1, 1 - (2 * (y - frame.top)) / frame.height), this.camera);
    meshes.forEach((mesh) => mesh instanceof SkinnedMesh && mesh.computeBoundingSphere());
    return caster.intersectObjects(meshes, false)[0] ?? null;
  }
}

/** @param {import('three').Object3D} model */
function release(model) {
  model.traverse((part) => {
    if (part instanceof Mesh) {
      part.geometry.dispose();
      for (const material of [part.material].flat()) {
        Object.values(material).forEach((value) => value?.isTexture && value.dispose());
        material.dispose();
      }
    }
  });
}
