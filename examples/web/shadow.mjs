// Depths that the key light sees first, softened: the moments for common/shadow.glsl. As in ruckle.scene.shadow.

// Texels along a side of the depth map, and of its moments.
const DEPTH_SIZE = 512, MOMENTS_SIZE = DEPTH_SIZE / 2;

// In radii of the visible sphere: margin for wrinkles that stick out, and distance of the light; its rays are then parallel.
const MARGIN = 1.05, FAR_AWAY = 1e4;

function cross(a, b) {
  return [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
}

// The view of a ball from a distant light: column-major matrices to clip coordinates and to the map's (0 to 1), and its position.
export function lightView(target, radius, toward) {
  const reach = MARGIN * radius, divided = (axis, by) => axis.map((value) => value / by);
  // any direction that is not parallel to the light
  const sizes = toward.map(Math.abs), least = sizes.indexOf(Math.min(...sizes));
  const across = cross([0, 1, 2].map((k) => Number(k === least)), toward), right = divided(across, Math.hypot(...across));
  const rows = [right, cross(toward, right), toward.map((value) => -value)].map((axis) => divided(axis, reach));
  const shifts = rows.map((row) => -row.reduce((sum, value, k) => sum + value * target[k], 0));
  const columns = (scale, shift) => [
    ...[0, 1, 2].flatMap((k) => [...rows.map((row) => scale * row[k]), 0]),
    ...shifts.map((value) => scale * value + shift), 1];
  return { clip: columns(1, 0), map: columns(0.5, 0.5), eye: target.map((value, k) => value + FAR_AWAY * reach * toward[k]) };
}

export class ShadowMap {
  #gl;
  #soften;
  #unit;
  #depth;
  #steps;
  moments;  // texture

  static isOffered(gl) {
    return gl.getExtension("EXT_color_buffer_float") && gl.getExtension("OES_texture_float_linear");
  }

  // soften  program of picture.vert and soften.frag
  // unit    texture unit that it may use
  constructor(gl, soften, unit) {
    this.#gl = gl;
    this.#soften = soften;
    this.#unit = unit;
    gl.activeTexture(gl.TEXTURE0 + unit);
    const depth = this.#texture(gl.DEPTH_COMPONENT24, DEPTH_SIZE, DEPTH_SIZE, gl.NEAREST);
    const across = this.#texture(gl.RG32F, MOMENTS_SIZE, DEPTH_SIZE, gl.NEAREST);
    this.moments = this.#texture(gl.RG32F, MOMENTS_SIZE, MOMENTS_SIZE, gl.LINEAR);
    this.#depth = this.#framebuffer(gl.DEPTH_ATTACHMENT, depth);
    this.#steps = [
      { source: depth, target: this.#framebuffer(gl.COLOR_ATTACHMENT0, across), along: [1, 0], height: DEPTH_SIZE },
      { source: across, target: this.#framebuffer(gl.COLOR_ATTACHMENT0, this.moments), along: [0, 1], height: MOMENTS_SIZE },
    ];
    gl.useProgram(soften.program);
    gl.uniform1i(soften.at("unsoftened"), unit);
  }

  // Finds the shadows of the geometry that `cast` draws. Leaves the canvas as the render target.
  draw(cast) {
    const gl = this.#gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#depth);
    gl.viewport(0, 0, DEPTH_SIZE, DEPTH_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    cast();
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.#soften.program);
    gl.bindVertexArray(null);
    gl.activeTexture(gl.TEXTURE0 + this.#unit);
    for (const { source, target, along, height } of this.#steps) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(0, 0, MOMENTS_SIZE, height);
      gl.bindTexture(gl.TEXTURE_2D, source);
      gl.uniform2i(this.#soften.at("along"), ...along);
      gl.uniform1i(this.#soften.at("is_depth"), along[0]);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  #texture(format, width, height, filter) {
    const gl = this.#gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }

  #framebuffer(attachment, texture) {
    const gl = this.#gl, framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return framebuffer;
  }
}
