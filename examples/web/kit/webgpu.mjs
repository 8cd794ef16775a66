// Node materials with waves for WebGPURenderer of three.js, also if it falls back to WebGL 2:
//
//     const ruckle = await Ruckle.load({ materials: nodes });

import { DataTexture } from "three";
import {
  attribute, faceDirection, float, Fn, glsl, glslFn, int, ivec2, materialNormal, positionView, screenCoordinate, texture, uniform, vec3, vec4, wgsl,
  wgslFn,
} from "three/tsl";
import { REST_WIDTH, TABLE_WIDTH } from "./core.mjs";
import { NODE_GLSL, NODE_WGSL } from "./shaders.mjs";

const inWgsl = wgslFn(NODE_WGSL.main, [wgsl(NODE_WGSL.includes)]), inGlsl = glslFn(NODE_GLSL.main, [glsl(NODE_GLSL.includes)]);

// Returns the texel `number` of a texture whose width is a power of two.
/** @param {any} table @param {any} number @param {number} width */
function texel(table, number, width) {
  return table.load(ivec2(number.bitAnd(width - 1), number.shiftRight(Math.log2(width))));
}

/** @type {import('./material.mjs').Materials} */
export const nodes = {
  uniforms(given) {
    const made = /** @type {Record<string, any>} */ ({ ...given });
    for (const [name, { value }] of Object.entries(given)) {
      if (name.endsWith("_table")) {
        made[name] = texture(value ?? new DataTexture());
      } else if (typeof value === "number" || name === "wave_profile") {
        made[name] = uniform(value);
      }
    }
    return /** @type {any} */ (made);
  },

  wrinkled(material, given, layers) {
    if (layers.paths) {
      throw new Error("paths: WebGPURenderer draws only waves; WebGLRenderer draws paths and waves");
    }
    const uniforms = /** @type {Record<string, any>} */ (given), original = /** @type {any} */ (material), { waves } = uniforms;
    const firstWave = uniform(0, "int").onObjectUpdate(() => waves.value[0]), firstRest = int(waves.value[2]);
    const place = attribute("ruckle_place", "vec4");
    // the three corners of a triangle have the same value; 0.5 prevents errors of interpolation
    const face = int(place.x.add(0.5)), b = vec3(float(1).sub(place.y).sub(place.z), place.y, place.z);
    const position = positionView, right = position.dFdx(), up = position.dFdy();
    const changes = vec4(place.y.dFdx(), place.z.dFdx(), place.y.dFdy(), place.z.dFdy());
    const vertices = texel(uniforms.wave_table, face, REST_WIDTH);
    const corners = [vertices.x, vertices.y, vertices.z].map((vertex) => int(vertex));
    const words = corners.map((vertex) => texel(uniforms.cloth_table, vertex.add(firstWave), TABLE_WIDTH));
    const rest = corners.map((vertex) => texel(uniforms.wave_table, vertex.add(firstRest), REST_WIDTH).xyz);
    const firstLimit = int(uniforms.ruckle_limits.max(0));
    const limits = corners.map((vertex) => texel(uniforms.cloth_table, vertex.add(firstLimit), TABLE_WIDTH));
    const isLimited = uniforms.ruckle_limits.lessThan(0).select(0, 1);
    const strength = screenCoordinate.x.lessThan(uniforms.ruckle_line).select(0, uniforms.ruckle_strength.mul(place.w));
    const normal = original.normalNode ?? materialNormal;
    const copy = /** @type {any} */ (material.clone());
    copy.userData.isWrinkled = true;
    if ("flatShading" in copy) {
      copy.flatShading = false;
    }
    copy.normalNode = Fn((/** @type {any} */ builder) => {
      const turned = /** @type {any} */ (builder.renderer.backend.isWebGPUBackend ? inWgsl : inGlsl);
      return turned(words[0], words[1], words[2], rest[0], rest[1], rest[2], right, up, changes, b, limits[0], limits[1], limits[2],
        isLimited, normal, strength, faceDirection, uniforms.wave_profile);
    })();
    return copy;
  },
};
