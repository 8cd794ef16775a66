// Draws a garment and its wearer with WebGL 2, by the shaders of ruckle.scene.

import { TABLE_WIDTH } from "./core.mjs";
import { lightView, ShadowMap } from "./shadow.mjs";

const TRIANGLE_NUMBERS = 8;  // per instance: triangle, vertices, edges; one unused
const SHADOW_UNIT = 2;  // texture unit; the next one is for making the shadow map
const PARTS = [1, 2, 4, 8, 16, 32, 64];

// The look of ruckle.scene.Look; directions to the right, up, toward the viewer; intensities.
const LIGHTS = [[[-0.82, 0.52, 0.28], 2.4], [[0.85, 0.1, 0.5], 0.25], [[0.5, 0.6, -0.7], 0.6]];
const SKY = [0.37, 0.41, 0.49, 0], GROUND = [0.28, 0.25, 0.23, 0], PAPER = [0.949, 0.937, 0.914, 1];
const CLOTH = [0.195, 0.279, 0.423], BODY = [0.584, 0.479, 0.381];
const HIGHLIGHT = 0.05, SHEEN = 0.16, SHADOWS = 0.8, INSIDE_DEPTH_BIAS = 0.004, BODY_DEPTH_BIAS = 0.008;

// Barycentric coordinates, times parts, and small triangles of a triangle with this many parts per side.
function pattern(parts) {
  const places = [], faces = [], number = (i, j) => (i * (2 * parts + 3 - i)) / 2 + j;
  for (let i = 0; i <= parts; ++i) {
    for (let j = 0; j <= parts - i; ++j) {
      places.push(parts - i - j, i, j);
      if (i + j < parts) {
        faces.push(number(i, j), number(i + 1, j), number(i, j + 1));
      }
      if (i + j < parts - 1) {
        faces.push(number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
      }
    }
  }
  return { places: Int16Array.from(places), faces: Uint16Array.from(faces) };
}

function vertexNormals(positions, faces) {
  const normals = new Float32Array(positions.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = faces.subarray(f, f + 3), at = (v, axis) => positions[3 * v + axis];
    const u = [0, 1, 2].map((axis) => at(b, axis) - at(a, axis)), v = [0, 1, 2].map((axis) => at(c, axis) - at(a, axis));
    for (let axis = 0; axis < 3; ++axis) {
      const i = (axis + 1) % 3, j = (axis + 2) % 3, area = u[i] * v[j] - u[j] * v[i];
      for (const corner of [a, b, c]) {
        normals[3 * corner + axis] += area;
      }
    }
  }
  return normals;
}

export class Picture {
  #gl;
  #cloth;
  #body;
  #shadowMap = null;
  #casters;  // programs of cloth and body for the depth map
  #scene = new Float32Array(72);  // common/scene.glsl, std140
  #patterns;
  #garment = null;
  #wearer = null;
  #rows = 0;
  drawn = 0;  // fine triangles of the last picture

  // shaders  sources by name: cloth, body (vertices) and shaded (fragments)
  constructor(canvas, shaders) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) {
      throw new Error("This page draws with WebGL 2, which this browser does not offer.");
    }
    this.#gl = gl;
    this.#cloth = this.#program(shaders.cloth, shaders.shaded);
    this.#body = this.#program(shaders.body, shaders.shaded);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, gl.createBuffer());
    gl.bufferData(gl.UNIFORM_BUFFER, this.#scene.byteLength, gl.DYNAMIC_DRAW);
    // without these extensions shadows are left out
    if (ShadowMap.isOffered(gl)) {
      this.#casters = [shaders.cloth, shaders.body].map((vertices) => this.#program(vertices, shaders.shadow));
      this.#shadowMap = new ShadowMap(gl, this.#program(shaders.picture, shaders.soften), SHADOW_UNIT + 1);
      gl.activeTexture(gl.TEXTURE0 + SHADOW_UNIT);
      gl.bindTexture(gl.TEXTURE_2D, this.#shadowMap.moments);
    }
    this.#patterns = PARTS.map((parts) => this.#instanced(parts));
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.SCISSOR_TEST);
  }

  // faces, edges  (T, 3) of the garment; height of its wearer, mesh units
  // body          the wearer: positions, joints, weights of its vertices at rest, faces, matrices (F, J, 3, 4)
  wear(faces, edges, height, body) {
    const count = faces.length / 3, triangles = new Int32Array(TRIANGLE_NUMBERS * count);
    for (let f = 0; f < count; ++f) {
      triangles.set([f, ...faces.subarray(3 * f, 3 * f + 3), ...edges.subarray(3 * f, 3 * f + 3)], TRIANGLE_NUMBERS * f);
    }
    this.#garment = { count, triangles, height };
    this.#rows = 0;
    this.#wearer = this.#skinned(body);
  }

  // The table of a frame's wrinkles.
  upload({ rows, texels }) {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0);
    if (rows > this.#rows) {
      // more than needed, so that a growing table does not need a new texture in every frame
      this.#rows = rows + 8;
      this.#texture(gl.RGBA32UI, TABLE_WIDTH, this.#rows);
    }
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TABLE_WIDTH, rows, gl.RGBA_INTEGER, gl.UNSIGNED_INT, texels);
    this.#sort(texels);
  }

  // split  share of the picture, from the left, without wrinkles; frame of the wearer, or null for none
  draw(camera, split, frame) {
    const gl = this.#gl, { width, height } = gl.canvas, edge = Math.round(split * width);
    gl.scissor(0, 0, width, height);
    gl.clearColor(...PAPER);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const [left, right, wrinkled] of [[0, edge, 0], [edge, width, 1]]) {
      if (left < right) {
        this.#castShadows(camera, wrinkled, frame);
        gl.viewport(0, 0, width, height);
        gl.scissor(left, 0, right - left, height);
        this.#writeScene(camera, wrinkled);
        this.#drawMeshes(this.#cloth, this.#body, frame);
      }
    }
    if (edge > 0 && edge < width) {
      gl.scissor(edge, 0, Math.ceil(width / 900), height);
      gl.clearColor(0.125, 0.149, 0.18, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
  }

  #castShadows(camera, wrinkled, frame) {
    if (this.#shadowMap) {
      this.#writeScene(camera, wrinkled, true);
      this.#shadowMap.draw(() => this.#drawMeshes(...this.#casters, frame));
    }
  }

  #drawMeshes(cloth, body, frame) {
    this.drawn = this.#drawCloth(cloth);
    if (frame !== null) {
      this.#drawBody(body, frame);
    }
  }

  // Returns the number of triangles.
  #drawCloth(cloth) {
    const gl = this.#gl;
    let drawn = 0;
    gl.useProgram(cloth.program);
    gl.uniform3fv(cloth.at("cloth_color"), CLOTH);
    gl.uniform1f(cloth.at("sheen"), SHEEN);
    for (const { parts, array, faceCount, used } of this.#patterns) {
      if (used) {
        gl.bindVertexArray(array);
        gl.uniform1i(cloth.at("parts"), parts);
        gl.drawElementsInstanced(gl.TRIANGLES, 3 * faceCount, gl.UNSIGNED_SHORT, 0, used);
        drawn += used * faceCount;
      }
    }
    return drawn;
  }

  #drawBody(body, frame) {
    const gl = this.#gl;
    gl.useProgram(body.program);
    gl.uniform3fv(body.at("cloth_color"), BODY);
    gl.uniform1f(body.at("sheen"), 0);
    gl.uniform1i(body.at("frame"), frame);
    gl.uniform1f(body.at("depth_bias"), BODY_DEPTH_BIAS * this.#garment.height);
    gl.bindVertexArray(this.#wearer.array);
    // the inside of a closed body is hidden, but samples at its outline might show it
    gl.enable(gl.CULL_FACE);
    gl.drawElements(gl.TRIANGLES, this.#wearer.count, gl.UNSIGNED_SHORT, 0);
    gl.disable(gl.CULL_FACE);
  }

  // byLight  as the key light sees it: without bulges, because shadows fall on the flat cloth
  #writeScene(camera, wrinkled, byLight = false) {
    const gl = this.#gl, { width, height } = gl.canvas, aspect = width / height, block = this.#scene;
    const light = lightView(camera.target, camera.radius, camera.toward(LIGHTS[0][0]));
    block.set(byLight ? light.clip : camera.clip(aspect), 0);
    block.set(light.map, 16);
    block.set([...(byLight ? light.eye : camera.eye(aspect)), 1], 32);
    LIGHTS.forEach(([direction, intensity], i) => block.set([...camera.toward(direction), intensity], 36 + 4 * i));
    block.set([0, 1, 0, 0, ...SKY, ...GROUND], 48);
    // displacement, bump, height_top, faceted; shadows, inside_depth_bias, picture_size; bulging
    const bulging = byLight ? 0 : 1, inside = bulging * INSIDE_DEPTH_BIAS * this.#garment.height;
    block.set([wrinkled, wrinkled, 1, 0, this.#shadowMap ? SHADOWS : 0, inside, width, height, bulging], 60);
    gl.bufferSubData(gl.UNIFORM_BUFFER, 0, block);
  }

  // Assigns each triangle to the coarsest pattern with enough parts for its levels.
  #sort(texels) {
    const gl = this.#gl, { count, triangles } = this.#garment, [edges] = texels;
    for (const one of this.#patterns) {
      one.used = 0;
      if (one.triangles.length < triangles.length) {
        one.triangles = new Int32Array(triangles.length);
      }
    }
    for (let f = 0; f < count; ++f) {
      const own = triangles.subarray(TRIANGLE_NUMBERS * f, TRIANGLE_NUMBERS * (f + 1));
      // the level of an edge is the upper half of its second word
      const most = Math.max(...own.subarray(4, 7).map((edge) => texels[edges + 2 * edge + 1] >>> 16));
      const pattern = this.#patterns.find(({ parts }) => parts >= most);
      pattern.triangles.set(own, TRIANGLE_NUMBERS * pattern.used++);
    }
    for (const { buffer, triangles, used } of this.#patterns) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, triangles.subarray(0, TRIANGLE_NUMBERS * used), gl.DYNAMIC_DRAW);
    }
  }

  #instanced(parts) {
    const gl = this.#gl, { places, faces } = pattern(parts), array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.#attribute(0, places, 3, gl.SHORT);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    const buffer = this.#attribute(1, new Int32Array(TRIANGLE_NUMBERS), 4, gl.INT);
    for (const location of [1, 2]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribIPointer(location, 4, gl.INT, 4 * TRIANGLE_NUMBERS, 16 * (location - 1));
      gl.vertexAttribDivisor(location, 1);
    }
    return { parts, array, buffer, faceCount: faces.length / 3, triangles: new Int32Array(0), used: 0 };
  }

  #skinned({ positions, joints, weights, faces, matrices, jointCount, frameCount }) {
    const gl = this.#gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.#attribute(0, positions, 3, gl.FLOAT);
    this.#attribute(1, vertexNormals(positions, faces), 3, gl.FLOAT);
    this.#attribute(2, joints, 4, gl.UNSIGNED_BYTE);
    this.#attribute(3, weights, 4, gl.UNSIGNED_SHORT, true);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    gl.activeTexture(gl.TEXTURE1);
    this.#texture(gl.RGBA32F, 3 * jointCount, frameCount);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3 * jointCount, frameCount, gl.RGBA, gl.FLOAT, matrices);
    return { array, count: faces.length };
  }

  // Floats and normalized shares become floats in the shader; all other values are integers.
  #attribute(location, numbers, size, type, share = false) {
    const gl = this.#gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(location);
    if (share || type === gl.FLOAT) {
      gl.vertexAttribPointer(location, size, type, share, 0, 0);
    } else {
      gl.vertexAttribIPointer(location, size, type, 0, 0);
    }
    return buffer;
  }

  // Replaces the texture of the active unit.
  #texture(format, width, height) {
    const gl = this.#gl;
    gl.deleteTexture(gl.getParameter(gl.TEXTURE_BINDING_2D));
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  #program(vertices, fragments) {
    const gl = this.#gl, program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Error(gl.getShaderInfoLog(shader));
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(program));
    }
    const at = (name) => gl.getUniformLocation(program, name);
    gl.useProgram(program);
    const block = gl.getUniformBlockIndex(program, "Scene");
    if (block !== gl.INVALID_INDEX) {
      gl.uniformBlockBinding(program, block, 0);
    }
    // without a cloth texture: the unit of that sampler is empty
    const units = { cloth_table: 0, joint_table: 1, shadow_map: SHADOW_UNIT, albedo: SHADOW_UNIT + 2 };
    Object.entries(units).forEach(([name, unit]) => gl.uniform1i(at(name), unit));
    gl.uniform1f(at("highlight_strength"), HIGHLIGHT);
    gl.uniform1i(at("textured"), 0);
    return { program, at };
  }
}
