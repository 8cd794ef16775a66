// Swept bounding boxes of faces, edges and vertices, and searches for overlaps; see block_kernels.h.
#include "simulation/block_kernels.h"

#include "simulation/nearness.h"
#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

static_assert(box_block % lanes == 0);

struct Bounds {
    Triple low, high;
};

inline Triple least(Triple a, Triple b) {
    return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}
inline Triple largest(Triple a, Triple b) {
    return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}
inline Triple splat_all(float value) {
    return {splat_real(value), splat_real(value), splat_real(value)};
}

// Returns the bounding box of the start and the end of a motion, which is clamped to sweep.farthest along each axis.
inline Bounds on_the_way(Triple at, Triple speed, const Sweep& sweep) {
    const Triple way = speed * splat_real(sweep.time);
    const Triple end = at + largest(least(way, splat_all(sweep.farthest)), splat_all(-sweep.farthest));
    return {least(at, end), largest(at, end)};
}
inline Bounds around(Bounds a, Bounds b) {
    return {least(a.low, b.low), largest(a.high, b.high)};
}
inline void store_bounds(const BoxColumns& boxes, int64_t i, Bounds bounds, float margin) {
    store_columns(boxes.low, i, bounds.low - splat_all(margin));
    store_columns(boxes.high, i, bounds.high + splat_all(margin));
}

// Writes the bounding box of a block, from the boxes of its faces.
inline void enclose(const BoxColumns& faces, int64_t block, const BoxColumns& blocks) {
    for (int axis = 0; axis < 3; ++axis) {
        const float *low = faces.low[axis] + box_block * block, *high = faces.high[axis] + box_block * block;
        float lowest = low[0], highest = high[0];
        for (int k = 1; k < box_block; ++k) {
            lowest = low[k] < lowest ? low[k] : lowest;
            highest = high[k] > highest ? high[k] : highest;
        }
        blocks.low[axis][block] = lowest;
        blocks.high[axis][block] = highest;
    }
}

// Writes the normal cone of a block: direction of the summed normals, and least cosine between this direction and a
// normal. Sums in a fixed order, so that the result does not depend on the number of lanes.
inline void measure_cone(const float (&normals)[3][box_block], float* cone) {
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < box_block; ++k) {
            sum[axis] += normals[axis][k];
        }
    }
    const float square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    const float scale = square > 0.0f ? 1.0f / __builtin_sqrtf(square) : 0.0f;
    float cosine = 1.0f;
    for (int k = 0; k < box_block; ++k) {
        const float along = (normals[0][k] * sum[0] + normals[1][k] * sum[1] + normals[2][k] * sum[2]) * scale;
        cosine = along < cosine ? along : cosine;
    }
    for (int axis = 0; axis < 3; ++axis) {
        cone[axis] = sum[axis] * scale;
    }
    cone[3] = cosine;
}

void bound_faces(const FaceColumns& faces, const Sweep& sweep, int64_t begin, int64_t end, const BlockColumns& blocks) {
    const Triple mean = splat_triple(sweep.mean);
    for (int64_t block = begin; block < end; ++block) {
        float normals[3][box_block];
        for (int k = 0; k < box_block; k += lanes) {
            const int64_t i = box_block * block + k;
            Triple x[3], velocity = zero_triple();
            Bounds bounds[3];
            for (int q = 0; q < 3; ++q) {
                x[q] = gather(sweep.points, faces.corners[q] + i).x;
                bounds[q] = {x[q], x[q]};
                if (sweep.velocities) {
                    const Triple speed = gather(sweep.velocities, faces.corners[q] + i).x - mean;
                    bounds[q] = on_the_way(x[q], speed, sweep);
                    velocity = velocity + speed;
                    store_columns(faces.points[q], i, x[q]);
                }
            }
            if (sweep.velocities) {
                store_columns(faces.velocity, i, velocity * splat_real(1.0f / 3.0f));
            }
            store_bounds(faces.boxes, i, around(around(bounds[0], bounds[1]), bounds[2]), sweep.margin);
            const Triple across = cross(x[1] - x[0], x[2] - x[0]);
            // a collapsed face has a zero normal and a cosine of 0, so find_flat() never finds its block flat
            const Triple normal = across * (1.0f / max(length_of(across), splat_real(1e-20f)));
            store(normals[0] + k, normal.x), store(normals[1] + k, normal.y), store(normals[2] + k, normal.z);
        }
        enclose(faces.boxes, block, blocks.boxes);
        measure_cone(normals, blocks.cones + 4 * block);
    }
}

void bound_elements(const ElementColumns& elements, const Sweep& sweep, int64_t begin, int64_t end) {
    const auto bounds_of = [&](const int32_t* corners) {
        const Triple at = gather(sweep.points, corners).x;
        return sweep.velocities ? on_the_way(at, gather(sweep.velocities, corners).x - splat_triple(sweep.mean), sweep)
                                : Bounds{at, at};
    };
    for (int64_t i = begin; i < end; i += lanes) {
        Bounds bounds = bounds_of(elements.corners[0] + i);
        if (elements.corners[1] != elements.corners[0]) {
            bounds = around(bounds, bounds_of(elements.corners[1] + i));
        }
        store_bounds(elements.boxes, i, bounds, sweep.margin);
    }
}

void find_flat(const BlockTriples& triples, const float* cones, float flatness, int64_t begin, int64_t end, uint8_t* are_flat) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f);
    for (int64_t i = begin; i < end; i += lanes) {
        Points cone[3];
        for (int q = 0; q < 3; ++q) {
            cone[q] = gather(cones, triples.blocks[q] + i);
        }
        const Triple sum = cone[0].x + cone[1].x + cone[2].x;
        const Real length = max(length_of(sum), splat_real(1e-20f));
        Mask within = lane_numbers() >= 0;
        for (int q = 0; q < 3; ++q) {
            // Upper bound of the angle between the common axis and a normal of the block: the angle from the common
            // axis to the block's axis, plus the half angle of the block's normal cone. The cosine of this sum must
            // exceed `flatness`.
            const Real cosine = dot(cone[q].x, sum) / length, spread = cone[q].w;
            const Real sines = sqrt(max((one - cosine * cosine) * (one - spread * spread), zero));
            within = within & (min(cosine, spread) > 0.0f) & (cosine * spread - sines > flatness);
        }
        const unsigned bits = (unsigned)lane_bits(within);
        for (int k = 0; k < lanes; ++k) {
            are_flat[i + k] = (uint8_t)(bits >> k & 1u);
        }
    }
}

// Returns a bit mask over the lanes: the boxes from i on that overlap the given box.
inline unsigned overlaps(const BoxColumns& boxes, int64_t i, const Bounds& box) {
    const Triple low = load_columns(boxes.low, i), high = load_columns(boxes.high, i);
    const Mask met = (low.x <= box.high.x) & (high.x >= box.low.x) & (low.y <= box.high.y) & (high.y >= box.low.y) &
                     (low.z <= box.high.z) & (high.z >= box.low.z);
    return (unsigned)lane_bits(met);
}

inline Triple splat_column(float* const* columns, int64_t i) {
    return {splat_real(columns[0][i]), splat_real(columns[1][i]), splat_real(columns[2][i])};
}

// Returns a bit mask of the lanes before the end of a range with `left` more elements.
inline unsigned lanes_before(int64_t left) {
    return left < lanes ? (1u << left) - 1u : ~0u;
}

int64_t find_overlapping(const BoxColumns& boxes, const Box& box, int64_t begin, int64_t end, int32_t* found) {
    const Bounds wide = {splat_triple(box.low), splat_triple(box.high)};
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        for (unsigned bits = overlaps(boxes, i, wide) & lanes_before(end - i); bits; bits &= bits - 1) {
            found[count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return count;
}

// Bit masks over the faces from `first` on. faces_around: faces whose boxes overlap the box of an element.
// without_incident: the faces of `bits` that do not share a corner with the element.
inline unsigned faces_around(const ElementColumns& elements, int64_t element, const FaceColumns& faces, int64_t first) {
    const Bounds box = {splat_column(elements.boxes.low, element), splat_column(elements.boxes.high, element)};
    return overlaps(faces.boxes, first, box);
}
inline unsigned without_incident(unsigned bits, const ElementColumns& elements, int64_t element, const FaceColumns& faces,
                                 int64_t first) {
    Mask incident = {};
    for (int q = 0; q < 3; ++q) {
        const Mask corner = load<Mask>(faces.corners[q] + first);
        incident = incident | (corner == elements.corners[0][element]) | (corner == elements.corners[1][element]);
    }
    return bits & ~(unsigned)lane_bits(incident);
}

int64_t find_meeting(const ElementColumns& edges, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                     const Box& within, MetPair* found) {
    const Bounds common = {splat_triple(within.low), splat_triple(within.high)};
    int64_t count = 0;
    for (int64_t face = box_block * block; face < box_block * (block + 1); face += lanes) {
        const unsigned near_faces = overlaps(faces.boxes, face, common);
        for (int64_t i = begin; near_faces && i < end; i += lanes) {
            for (unsigned near = overlaps(edges.boxes, i, common) & lanes_before(end - i); near; near &= near - 1) {
                const int64_t edge = i + __builtin_ctz(near);
                unsigned bits = faces_around(edges, edge, faces, face) & near_faces;
                for (bits = bits ? without_incident(bits, edges, edge, faces, face) : 0; bits; bits &= bits - 1) {
                    found[count++] = {(int32_t)edge, (int32_t)(face + __builtin_ctz(bits)), 0};
                }
            }
        }
    }
    return count;
}

int64_t find_near(const ElementColumns& vertices, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                  const Sweep& sweep, const Approach& approach, MetPair* found) {
    const Real reach = splat_real(approach.reach);
    int64_t count = 0;
    for (int64_t face = box_block * block; face < box_block * (block + 1); face += lanes) {
        // test the boxes of all vertices first: a block has few vertices, and branches on nearness are hard to predict
        unsigned around[3 * box_block], any = 0;
        for (int64_t i = begin; i < end; ++i) {
            any |= around[i - begin] = faces_around(vertices, i, faces, face);
        }
        for (int64_t i = begin; any && i < end; ++i) {
            unsigned bits = around[i - begin];
            if (!bits || !(bits = without_incident(bits, vertices, i, faces, face))) {
                continue;
            }
            const int64_t row = 4 * (int64_t)vertices.corners[0][i];
            const Nearness n = nearness(splat_triple(sweep.points + row), load_columns(faces.points[0], face),
                                        load_columns(faces.points[1], face), load_columns(faces.points[2], face));
            const Triple speed =
                splat_triple(sweep.velocities + row) - splat_triple(sweep.mean) - load_columns(faces.velocity, face);
            const Real near = reach + min(length_of(speed) * approach.time, splat_real(approach.farthest));
            // the sign of the height is the side only if the vertex is over the face and within `reach`; otherwise the
            // side is 0
            const unsigned over = (unsigned)lane_bits(n.over & (n.square <= reach * reach));
            const unsigned above = (unsigned)lane_bits(n.height >= 0.0f);
            for (bits &= (unsigned)lane_bits(n.square <= near * near); bits; bits &= bits - 1) {
                const int k = __builtin_ctz(bits);
                found[count++] = {(int32_t)i, (int32_t)(face + k), (over >> k & 1u) ? ((above >> k & 1u) ? 1 : -1) : 0};
            }
        }
    }
    return count;
}

constexpr BlockKernels kernels = {.bound_faces = bound_faces,
                                  .bound_elements = bound_elements,
                                  .find_flat = find_flat,
                                  .find_overlapping = find_overlapping,
                                  .find_meeting = find_meeting,
                                  .find_near = find_near};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::BlockKernels ruckle::BlockKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
