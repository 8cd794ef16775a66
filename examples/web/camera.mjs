// A camera that moves around an upright target, as in ruckle.scene.

const RADIANS = Math.PI / 180, FIELD_OF_VIEW = 26, STEEPEST = 85;

export class Camera {
  azimuth = 28;
  elevation = 8;
  nearness = 1;
  target = [0, 0, 0];
  radius = 1;

  // low, high  corners of the visible box, mesh units
  frame(low, high) {
    this.target = low.map((value, axis) => (value + high[axis]) / 2);
    this.radius = Math.hypot(...low.map((value, axis) => (high[axis] - value) / 2));
  }

  turn(right, up) {
    this.azimuth += right;
    this.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.elevation + up));
  }

  approach(factor) {
    this.nearness = Math.max(0.5, Math.min(6, this.nearness * factor));
  }

  // Unit directions to the right, up, and toward the viewer.
  get axes() {
    const a = this.azimuth * RADIANS, e = this.elevation * RADIANS;
    return [
      [Math.cos(a), 0, -Math.sin(a)],
      [-Math.sin(a) * Math.sin(e), Math.cos(e), -Math.cos(a) * Math.sin(e)],
      [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)],
    ];
  }

  // Converts a direction (right, up, toward the viewer) to a unit direction in world space.
  toward(direction) {
    const { axes } = this, length = Math.hypot(...direction);
    return [0, 1, 2].map((k) => direction.reduce((sum, value, axis) => sum + value * axes[axis][k], 0) / length);
  }

  eye(aspect) {
    const distance = this.#distance(aspect), [, , toward] = this.axes;
    return this.target.map((value, axis) => value + distance * toward[axis]);
  }

  // World space to clip coordinates, column by column.
  clip(aspect) {
    const distance = this.#distance(aspect), near = 0.02 * distance, far = 50 * distance, { axes } = this;
    const scale = 1 / Math.tan((FIELD_OF_VIEW * RADIANS) / 2), eye = this.eye(aspect);
    const [x, y, z] = axes.map((axis) => [...axis, -axis.reduce((sum, value, k) => sum + value * eye[k], 0)]);
    const depth = (near + far) / (near - far), shift = (2 * near * far) / (near - far);
    return [0, 1, 2, 3].flatMap((k) => [(scale / aspect) * x[k], scale * y[k], depth * z[k] + (k === 3 ? shift : 0), -z[k]]);
  }

  // Distance at which the target's sphere just fills the shorter side of the picture, divided by `nearness`.
  #distance(aspect) {
    return (0.72 * this.radius) / Math.tan((FIELD_OF_VIEW * RADIANS) / 2) / Math.min(1, aspect) / this.nearness;
  }
}
