// Adds wrinkles to materials of three.js: standard materials and MToon.

import { FRAGMENT, VERTEX } from "./shaders.mjs";

// Lines of the shaders of three.js after which code is inserted. In MToon the line with emissivemap_fragment is a
// comment.
const AFTER_PROJECTION = /^.*#include <project_vertex>.*$/m, AFTER_NORMAL = /^.*#include <emissivemap_fragment>.*$/m;
const MAIN = /^void main\(\)/m;

/** @typedef {Record<string, {value: any}>} Uniforms */

/**
 * Makes wrinkled materials: for WebGLRenderer in this file, for WebGPURenderer in webgpu.mjs.
 * @typedef {object} Materials
 * @property {<T extends Uniforms>(given: T) => T} uniforms converts values to uniforms of the renderer
 * @property {(material: import('three').Material, uniforms: Uniforms, layers: {waves: boolean, paths: boolean}) => import('three').Material} wrinkled
 *   makes a copy of a material with wrinkles
 */

/**
 * Makes a copy of a material with wrinkles. The copy shares the uniforms of the original, so that animated uniforms also change in the
 * copy. Copies of unlit materials do not show wrinkles.
 * @param {import('three').Material} material
 * @param {Uniforms} uniforms
 * @param {{waves: boolean, paths: boolean}} layers
 */
function wrinkledMaterial(material, uniforms, layers) {
  const copy = material.clone(), original = /** @type {any} */ (material);
  copy.userData.isWrinkled = true;
  if (original.isShaderMaterial) {
    /** @type {any} */ (copy).uniforms = { ...original.uniforms, ...uniforms };
  }
  // a material with flat shading would ignore the smooth normals of the drawn geometry
  if ("flatShading" in copy) {
    copy.flatShading = false;
  }
  const defines = `${layers.waves ? "#define RUCKLE_WAVES\n" : ""}${layers.paths ? "#define RUCKLE_PATHS\n" : ""}`;
  const compile = original.onBeforeCompile, key = original.customProgramCacheKey;
  copy.onBeforeCompile = (shader, renderer) => {
    compile.call(copy, shader, renderer);
    // unlit materials do not use a normal
    if (AFTER_NORMAL.test(shader.fragmentShader)) {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader = shader.vertexShader.replace(MAIN, `${defines}${VERTEX}\n$&`).replace(AFTER_PROJECTION,
        "$&\nmvPosition.xyz = ruckle_raised(mvPosition.xyz, transformedNormal);\ngl_Position = projectionMatrix * mvPosition;");
      shader.fragmentShader = shader.fragmentShader.replace(MAIN, `${defines}${FRAGMENT}\n$&`).replace(AFTER_NORMAL,
        "normal = ruckle_normal(normal, faceDirection);\n$&");
    }
  };
  copy.customProgramCacheKey = () => `${key.call(copy)} ruckle ${defines}`;
  return copy;
}

/** @type {Materials} */
export const shaderMaterials = { uniforms: (given) => given, wrinkled: wrinkledMaterial };
