// Converts a mesh of three.js into the coarse mesh of the core, and into the drawn geometry, which has barycentric coordinates.

import { BufferAttribute, BufferGeometry, Matrix4, Vector3 } from "three";

/**
 * The coarse mesh of a geometry. Vertices at the same position are joined.
 * @typedef {object} Cloth
 * @property {Int32Array} faces (T, 3) indices of joined vertices
 * @property {Int32Array} corners (T, 3) indices of vertices of the geometry
 * @property {Int32Array} sources (V) one vertex of the geometry for each joined vertex
 */

/**
 * Joins vertices at exactly the same position, so that UV seams do not cut the cloth. The core accepts only manifold meshes. Therefore
 * triangles with two equal corners, or with a directed edge of an earlier triangle, get three separate vertices.
 * @param {BufferGeometry} geometry
 * @returns {Cloth}
 */
export function joined(geometry) {
  const positions = geometry.attributes.position, { index } = geometry;
  const count = index ? index.count : positions.count, corners = new Int32Array(count - (count % 3));
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {number[]} */
  const sources = [];
  const taken = new Set(), faces = new Int32Array(corners.length);
  const numberOf = (/** @type {number} */ vertex) => {
    const key = `${positions.getX(vertex)},${positions.getY(vertex)},${positions.getZ(vertex)}`;
    let number = numbers.get(key);
    if (number === undefined) {
      numbers.set(key, number = sources.push(vertex) - 1);
    }
    return number;
  };
  for (let i = 0; i < corners.length; i += 3) {
    const own = [0, 1, 2].map((k) => (corners[i + k] = index ? index.getX(i + k) : i + k));
    let face = own.map(numberOf);
    const sides = face.map((vertex, k) => `${vertex} ${face[(k + 1) % 3]}`);
    if (new Set(face).size < 3 || sides.some((side) => taken.has(side))) {
      face = own.map((vertex) => sources.push(vertex) - 1);
    } else {
      sides.forEach((side) => taken.add(side));
    }
    faces.set(face, i);
  }
  return { faces, corners, sources: Int32Array.from(sources) };
}

/**
 * @param {import('three').BufferAttribute | import('three').InterleavedBufferAttribute} attribute
 * @param {Int32Array} vertices
 * @returns {Float32Array} (V, item size) components of the attribute at these vertices
 */
export function gathered(attribute, vertices) {
  const size = attribute.itemSize, values = new Float32Array(size * vertices.length);
  vertices.forEach((vertex, i) => {
    for (let k = 0; k < size; ++k) {
      values[size * i + k] = attribute.getComponent(vertex, k);
    }
  });
  return values;
}

/**
 * Returns joints (V, 4) and weights (V, 4) of the joined vertices. Weights are divided by their sum, unless it is 0. A mesh without a
 * skin has one joint, the mesh itself.
 * @param {BufferGeometry} geometry
 * @param {Int32Array} sources
 */
export function skinOf(geometry, sources) {
  const { skinIndex, skinWeight } = geometry.attributes;
  const joints = new Uint16Array(4 * sources.length), weights = new Float32Array(4 * sources.length);
  sources.forEach((vertex, i) => {
    const own = [0, 1, 2, 3].map((k) => (skinWeight ? skinWeight.getComponent(vertex, k) : Number(k === 0)));
    const sum = own.reduce((a, b) => a + b) || 1;
    own.forEach((weight, k) => {
      joints[4 * i + k] = skinIndex ? skinIndex.getComponent(vertex, k) : 0;
      weights[4 * i + k] = weight / sum;
    });
  });
  return { joints, weights };
}

/**
 * Returns the offsets (V, 3) of joined vertices for each morph target.
 * @param {BufferGeometry} geometry
 * @param {Int32Array} sources
 */
export function morphsOf(geometry, sources) {
  const still = gathered(geometry.attributes.position, sources);
  return (geometry.morphAttributes.position ?? []).map((target) => {
    const offsets = gathered(target, sources);
    return geometry.morphTargetsRelative ? offsets : offsets.map((value, i) => value - still[i]);
  });
}

/**
 * Multiplies positions (V, 3) by a matrix.
 * @param {Float32Array} positions
 * @param {Matrix4} matrix
 */
export function moved(positions, matrix) {
  const point = new Vector3(), result = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    point.fromArray(positions, i).applyMatrix4(matrix).toArray(result, i);
  }
  return result;
}

/**
 * Returns the mean scale (cube root of the determinant) of joint matrices, weighted by the skin weights of all vertices; 1 if all
 * weights or all scales are 0.
 * @param {ArrayLike<number>} matrices (J, 16) column-major joint matrices
 * @param {Uint16Array} joints (V, 4) joints of each vertex
 * @param {Float32Array} weights (V, 4) weights of these joints
 */
export function scaleOf(matrices, joints, weights) {
  const matrix = new Matrix4(), scales = new Map();
  let sum = 0, total = 0;
  joints.forEach((joint, i) => {
    if (weights[i] > 0) {
      if (!scales.has(joint)) {
        scales.set(joint, Math.cbrt(Math.abs(matrix.fromArray(matrices, 16 * joint).determinant())));
      }
      sum += weights[i] * scales.get(joint);
      total += weights[i];
    }
  });
  return total && sum ? sum / total : 1;
}

/**
 * Returns the unit normals (V, 3) of joined vertices: means over their triangles, weighted by area.
 * @param {Float32Array} points (V, 3) positions
 * @param {Int32Array} faces (T, 3) indices of joined vertices
 */
function smoothNormals(points, faces) {
  const sums = new Float32Array(points.length), [a, b, c] = [0, 0, 0].map(() => new Vector3());
  for (let i = 0; i < faces.length; i += 3) {
    const [p, q, r] = [faces[i], faces[i + 1], faces[i + 2]];
    a.fromArray(points, 3 * p);
    b.fromArray(points, 3 * q).sub(a);
    c.fromArray(points, 3 * r).sub(a);
    b.cross(c);
    for (const vertex of [p, q, r]) {
      sums[3 * vertex] += b.x;
      sums[3 * vertex + 1] += b.y;
      sums[3 * vertex + 2] += b.z;
    }
  }
  for (let i = 0; i < sums.length; i += 3) {
    a.fromArray(sums, i).normalize().toArray(sums, i);
  }
  return sums;
}

// Returns the subdivision of a triangle with `parts` parts per side: barycentric coordinates of its vertices, and its small triangles.
/** @param {number} parts */
function pattern(parts) {
  const places = [], triangles = [];
  const number = (/** @type {number} */ i, /** @type {number} */ j) => (i * (2 * parts + 3 - i)) / 2 + j;
  for (let i = 0; i <= parts; ++i) {
    for (let j = 0; j <= parts - i; ++j) {
      places.push([(parts - i - j) / parts, i / parts, j / parts]);
      if (i + j < parts) {
        triangles.push(number(i, j), number(i + 1, j), number(i, j + 1));
      }
      if (i + j < parts - 1) {
        triangles.push(number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
      }
    }
  }
  return { places, triangles };
}

/**
 * Returns the four joints with the largest weights at a point of a triangle, and weights that sum to 1.
 * @param {import('three').BufferAttribute | import('three').InterleavedBufferAttribute} joints
 * @param {import('three').BufferAttribute | import('three').InterleavedBufferAttribute} weights
 * @param {ArrayLike<number>} vertices
 * @param {number[]} shares
 */
function mixedSkin(joints, weights, vertices, shares) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (let k = 0; k < 3; ++k) {
    for (let i = 0; i < 4; ++i) {
      const joint = joints.getComponent(vertices[k], i), weight = shares[k] * weights.getComponent(vertices[k], i);
      if (weight > 0) {
        sums.set(joint, (sums.get(joint) ?? 0) + weight);
      }
    }
  }
  // equal weights are sorted by joint index, so that both triangles of an edge choose the same joints
  const kept = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 4);
  const total = kept.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  return [0, 1, 2, 3].map((i) => (kept[i] ? [kept[i][0], kept[i][1] / total] : [0, 0]));
}

/**
 * Makes the drawn geometry, in which each coarse triangle has separate vertices. The attribute `ruckle_place` contains the index of the
 * triangle, the second and third barycentric coordinate, and the mask. Other attributes are interpolated; if there are no normals,
 * they are computed from the joined vertices.
 * @param {BufferGeometry} geometry
 * @param {Cloth} cloth
 * @param {Float32Array | null} mask (V) in [0, 1] of the joined vertices; null for 1
 * @param {number} parts parts per side of a triangle; more than 1 to displace vertices
 */
export function placed(geometry, cloth, mask, parts) {
  const { faces, corners } = cloth, faceCount = faces.length / 3, { places, triangles } = pattern(parts);
  const made = new BufferGeometry(), size = places.length, vertexCount = size * faceCount;
  const attributes = { ...geometry.attributes };
  if (!attributes.normal) {
    const smooth = smoothNormals(gathered(attributes.position, cloth.sources), faces);
    const normals = (attributes.normal = new BufferAttribute(new Float32Array(3 * attributes.position.count), 3));
    corners.forEach((vertex, i) => normals.setXYZ(vertex, smooth[3 * faces[i]], smooth[3 * faces[i] + 1], smooth[3 * faces[i] + 2]));
  }
  const { skinIndex, skinWeight } = attributes;
  /** @param {import('three').BufferAttribute | import('three').InterleavedBufferAttribute} attribute */
  const mixed = (attribute) => {
    const n = attribute.itemSize, values = new Float32Array(n * vertexCount);
    for (let v = 0, f = 0; f < faceCount; ++f) {
      for (const shares of places) {
        for (let k = 0; k < n; ++k) {
          values[v++] = shares.reduce((sum, share, i) =>
            (share ? sum + share * attribute.getComponent(corners[3 * f + i], k) : sum), 0);
        }
      }
    }
    return new BufferAttribute(values, n);
  };
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute !== skinIndex && attribute !== skinWeight) {
      made.setAttribute(name, mixed(attribute));
    }
  }
  if (skinIndex && skinWeight) {
    const joints = new Uint16Array(4 * vertexCount), weights = new Float32Array(4 * vertexCount);
    for (let v = 0, f = 0; f < faceCount; ++f) {
      for (const shares of places) {
        for (const [joint, weight] of mixedSkin(skinIndex, skinWeight, corners.subarray(3 * f, 3 * f + 3), shares)) {
          joints[v] = joint;
          weights[v++] = weight;
        }
      }
    }
    made.setAttribute("skinIndex", new BufferAttribute(joints, 4));
    made.setAttribute("skinWeight", new BufferAttribute(weights, 4));
  }
  for (const [name, targets] of Object.entries(geometry.morphAttributes)) {
    made.morphAttributes[/** @type {"position"} */ (name)] = /** @type {any} */ (targets?.map(mixed));
  }
  made.morphTargetsRelative = geometry.morphTargetsRelative;
  made.setAttribute("ruckle_place", new BufferAttribute(placesOf(cloth, places, mask), 4));
  const index = new Uint32Array(triangles.length * faceCount);
  for (let f = 0; f < faceCount; ++f) {
    triangles.forEach((vertex, k) => (index[triangles.length * f + k] = size * f + vertex));
  }
  made.setIndex(new BufferAttribute(index, 1));
  const share = triangles.length / 3;
  geometry.groups.forEach(({ start, count, materialIndex }) => made.addGroup(start * share, count * share, materialIndex));
  made.name = geometry.name;
  made.userData = { ...geometry.userData };
  return made;
}

/**
 * Returns the values of the attribute `ruckle_place`, see `placed`.
 * @param {Cloth} cloth
 * @param {number[][]} places barycentric coordinates of the vertices of a subdivided triangle
 * @param {Float32Array | null} mask
 */
function placesOf({ faces }, places, mask) {
  const values = new Float32Array((4 * places.length * faces.length) / 3);
  for (let v = 0, f = 0; f < faces.length; f += 3) {
    for (const shares of places) {
      const kept = mask ? shares.reduce((sum, share, k) => sum + share * mask[faces[f + k]], 0) : 1;
      values.set([f / 3, shares[1], shares[2], kept], v);
      v += 4;
    }
  }
  return values;
}

/**
 * Writes a mask into a geometry that `placed` made.
 * @param {BufferGeometry} geometry
 * @param {Cloth} cloth
 * @param {Float32Array} mask (V) in [0, 1] of the joined vertices
 */
export function setMask(geometry, { faces }, mask) {
  const places = geometry.attributes.ruckle_place;
  for (let v = 0; v < places.count; ++v) {
    const f = 3 * places.getX(v), b = places.getY(v), c = places.getZ(v);
    places.setW(v, (1 - b - c) * mask[faces[f]] + b * mask[faces[f + 1]] + c * mask[faces[f + 2]]);
  }
  places.needsUpdate = true;
}

/**
 * Writes new positions, and the normals computed from them, into a geometry that `placed` made.
 * @param {BufferGeometry} geometry
 * @param {Cloth} cloth
 * @param {Float32Array} points (V, 3) of the joined vertices
 */
export function moveTo(geometry, { faces }, points) {
  const { position, normal, ruckle_place: places } = geometry.attributes, normals = smoothNormals(points, faces);
  for (let v = 0; v < places.count; ++v) {
    const f = 3 * places.getX(v), b = places.getY(v), c = places.getZ(v), a = 1 - b - c;
    const [p, q, r] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
    for (let k = 0; k < 3; ++k) {
      position.setComponent(v, k, a * points[p + k] + b * points[q + k] + c * points[r + k]);
      normal.setComponent(v, k, a * normals[p + k] + b * normals[q + k] + c * normals[r + k]);
    }
  }
  position.needsUpdate = normal.needsUpdate = true;
}
