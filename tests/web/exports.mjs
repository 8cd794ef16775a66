// Renders exported files in three.js with one camera and one light. The argument of `picture` is a JSON object.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { EXRLoader } from "three/addons/loaders/EXRLoader.js";


const renderers = {};

function rendererOf(width, height) {
  const made = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  made.setSize(width, height, false);
  made.toneMapping = THREE.NoToneMapping;
  return made;
}

// the loader stores the top row last, so the shader below flips v
async function exr(name) {
  const texture = await new EXRLoader().setDataType(name.includes("positions") ? THREE.FloatType : THREE.HalfFloatType).loadAsync(name);
  texture.minFilter = texture.magFilter = THREE.NearestFilter;
  texture.generateMipmaps = false;
  return texture;
}

async function animateByTexture(mesh, material, given) {
  const about = await (await fetch(given.about)).json();
  const uniforms = { positions: { value: await exr(given.positions) }, normals: { value: await exr(given.normals) },
    frame: { value: given.frame }, step: { value: about.step }, own: { value: about.space === "offset" ? 1 : 0 } };
  const name = about.uv_set ? `uv${about.uv_set}` : "uv";
  // three.js shares one program between materials whose onBeforeCompile has the same text, so that all numbers of the file are uniforms
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    const first = `uniform sampler2D positions, normals; uniform float frame, step, own; attribute vec2 place;
      vec4 texel(sampler2D from) { vec2 at = place + vec2(0.0, step * frame); return texture2D(from, vec2(at.x, 1.0 - at.y)); }\n`;
    shader.vertexShader = first + shader.vertexShader
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = texel(normals).xyz;")
      .replace("#include <begin_vertex>", "vec3 transformed = own * position + texel(positions).xyz;");
  };
  mesh.geometry.setAttribute("place", mesh.geometry.getAttribute(name));
}

async function normalMap(name) {
  const texture = await new THREE.TextureLoader().loadAsync(name);
  texture.flipY = false;
  texture.colorSpace = THREE.NoColorSpace;
  return texture;
}

window.picture = async (given) => {
  const { width, height, camera, light, background } = given;
  const renderer = (renderers[`${width}x${height}`] ??= rendererOf(width, height));
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(background);
  const gltf = await new GLTFLoader().loadAsync(given.file);
  scene.add(gltf.scene);
  const shown = [];
  for (const part of [...function* all(o) { yield o; for (const c of o.children) yield* all(c); }(gltf.scene)]) {
    if (!part.isMesh) continue;
    part.frustumCulled = false;
    part.visible = !given.hidden.some((name) => part.name.startsWith(name));
    const old = part.material;
    part.material = new THREE.MeshLambertMaterial({ color: old.color, map: old.map, side: THREE.DoubleSide, vertexColors: old.vertexColors });
    if (part.visible) shown.push(part);
  }
  for (const part of shown) {
    if (given.texture) await animateByTexture(part, part.material, given.texture);
    if (given.normalMap) part.material.normalMap = await normalMap(given.normalMap);
  }
  if (gltf.animations.length) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    mixer.setTime(given.time);
  }
  const eye = new THREE.PerspectiveCamera(camera.angle, width / height, camera.near, camera.far);
  eye.matrixAutoUpdate = false;
  eye.matrix.fromArray(camera.matrix).decompose(eye.position, eye.quaternion, eye.scale);
  eye.matrixAutoUpdate = true;
  const sun = new THREE.DirectionalLight(0xffffff, Math.PI);
  sun.position.fromArray(light);
  scene.add(sun, sun.target);
  renderer.render(scene, eye);
  const about = shown.map((part) => ({ name: part.name, vertices: part.geometry.attributes.position.count, morphs: part.morphTargetInfluences?.length ?? 0, uvs: Object.keys(part.geometry.attributes) }));
  return { about, png: renderer.domElement.toDataURL() };
};
