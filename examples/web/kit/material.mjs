// Materials of three.js with the normals of wrinkles: the standard ones, and MToon.

import { FRAGMENT, VERTEX } from "./shaders.mjs";

// Lines of the shaders of three.js. In MToon the second one is a comment.
const AFTER_PROJECTION = /^.*#include <project_vertex>.*$/m, AFTER_NORMAL = /^.*#include <emissivemap_fragment>.*$/m;
const MAIN = /^void main\(\)/m;

/** @typedef {Record<string, {value: any}>} Uniforms */

/**
 * What draws wrinkles: materials of WebGLRenderer, or those of webgpu.mjs.
 * @typedef {object} Materials
 * @property {<T extends Uniforms>(given: T) => T} uniforms makes values that a renderer reads
 * @property {(material: import('three').Material, uniforms: Uniforms, layers: {waves: boolean, paths: boolean}) => import('three').Material} wrinkled
 *   makes a copy of a material
 */

/**
 * A copy of a material that adds wrinkles. The original's uniforms are shared, so that animations of a ShaderMaterial reach the copy.
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
  // cloth without normals gets smooth ones
  if ("flatShading" in copy) {
    copy.flatShading = false;
  }
  const defines = `${layers.waves ? "#define RUCKLE_WAVES\n" : ""}${layers.paths ? "#define RUCKLE_PATHS\n" : ""}`;
  const compile = original.onBeforeCompile, key = original.customProgramCacheKey;
  copy.onBeforeCompile = (shader, renderer) => {
    compile.call(copy, shader, renderer);
    // materials without light have no normal to turn
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
