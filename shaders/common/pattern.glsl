// Height and slope of modulated patterns at a point of the coarse cloth (Hadap et al. 1999), with one factor per vertex
// and pattern.
//
//     height = Σ_k m_k f_k            gradient = J Σ_k m_k ∇f_k + Σ_k f_k ∇m_k
// f and ∇f are linear in the cells of a triangle's lattice. The factors m, their gradients ∇m and the matrix J are
// linear over the triangle. The same computation as ruckle::PatternHeights (cpp/src/patterns).
//
// pattern_table contains constant data, for triangle f and pattern k of K:
//     2 f              vertices of its corners; number of its lattice's first point
//     2 f + 1          number of parts of its sides; number of parts of the edge at each side, negative if the side starts
//                      at the edge's vertex with the larger number
//     2 T + K n + k    point n: gradient at rest xyz, height. A lattice has rows of points parallel to side 0, starting
//                      at corner 0
// cloth_table contains data of each frame, starting at texel patterns.x, for vertex v:
//     (4 + K) v        factors of the patterns
//     (4 + K) v + 1    rows of J, three texels
//     (4 + K) v + 4    gradients of the factors, K texels
#include "common/height_sample.glsl"
#include "common/cloth_table.glsl"

uniform sampler2D pattern_table;
uniform ivec3 patterns;  // first texel of the vertices in cloth_table; number of patterns K; number of triangles T

vec4 pattern_texel(int number) {
    return texelFetch(pattern_table, texel_position(number), 0);
}

// Returns the number of the lattice point that is at.x parts from corner 0 towards corner 1 and at.y parts towards
// corner 2.
int lattice_point(int parts, ivec2 at) {
    return at.y * (parts + 1) - at.y * (at.y - 1) / 2 + at.x;
}

// A lattice cell that contains a point: its corners, and their interpolation weights.
struct LatticeCell {
    ivec3 corners;
    vec3 shares;
};

// Returns the cell for a point on a side. It uses only lattice points of the edge and the barycentric coordinate of the
// edge's vertex with the larger number, because both triangles of the edge compute these with identical bits.
LatticeCell side_cell(int parts, int side, float edge_parts, vec3 barycentric) {
    const ivec2 CORNERS[3] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1));
    int next = (side + 1) % 3;
    bool rises = edge_parts > 0.0;
    int count = int(abs(edge_parts)), each = parts / count;
    float x = barycentric[rises ? next : side] * float(count);
    int k = clamp(int(x), 0, count - 1);
    precise float share = clamp(x - float(k), 0.0, 1.0);
    ivec2 lower = CORNERS[rises ? side : next], ahead = CORNERS[rises ? next : side] - lower;
    int first = lattice_point(parts, parts * lower + k * each * ahead);
    int second = lattice_point(parts, parts * lower + (k + 1) * each * ahead);
    return LatticeCell(ivec3(first, second, first), vec3(1.0 - share, share, 0.0));
}

// stride  only lattice points at multiples of this are read; a power of two, at most `parts`
LatticeCell inner_cell(int parts, int stride, vec3 barycentric) {
    vec2 at = barycentric.yz * float(parts / stride);
    int i = clamp(int(at.x), 0, parts / stride - 1), j = clamp(int(at.y), 0, parts / stride - 1 - i);
    float s = clamp(at.x - float(i), 0.0, 1.0), t = clamp(at.y - float(j), 0.0, 1.0);
    // a square of the lattice has two cells. Points beyond its diagonal are in the second cell, which does not exist at
    // the third side of the triangle
    bool turned = s + t > 1.0 && i + j + 1 < parts / stride;
    ivec3 corners = ivec3(lattice_point(parts, stride * (turned ? ivec2(i + 1, j + 1) : ivec2(i, j))),
                          lattice_point(parts, stride * ivec2(i + 1, j)), lattice_point(parts, stride * ivec2(i, j + 1)));
    return LatticeCell(corners, turned ? vec3(s + t - 1.0, 1.0 - t, 1.0 - s) : vec3(max(1.0 - s - t, 0.0), s, t));
}

LatticeCell lattice_cell(vec4 sides, int stride, vec3 barycentric) {
    int parts = int(sides.x);
    // the comparison is exact, because callers pass exact zeros for points on a side
    for (int side = 0; side < 3; ++side) {
        if (barycentric[(side + 2) % 3] == 0.0) {
            return side_cell(parts, side, sides[side + 1], barycentric);
        }
    }
    return inner_cell(parts, stride, barycentric);
}

vec4 blended(vec3 barycentric, ivec3 texels) {
    precise vec4 mean = barycentric.x * cloth_texel(texels.x) + barycentric.y * cloth_texel(texels.y) +
                        barycentric.z * cloth_texel(texels.z);
    return mean;
}

// Returns the first texels of the data of a triangle's corners in cloth_table.
ivec3 corner_states(vec4 corners) {
    return patterns.x + (4 + patterns.y) * ivec3(corners.xyz);
}

// Returns the factors of the patterns at a point of a triangle; 0 after the last pattern.
vec4 pattern_factors(int face, vec3 barycentric) {
    return blended(barycentric, corner_states(pattern_texel(2 * face)));
}

// Returns the height of the patterns at a point of a triangle. The gradient is relative to the cloth in this frame.
//
// barycentric  on the coarse triangle; 0 for a triangle that is drawn flat, without patterns
// footprint    change of barycentric coordinates within a pixel; finer points of the pattern are skipped. 0: skips none
HeightSample pattern_heights(int face, vec3 barycentric, float footprint) {
    HeightSample found = HeightSample(0.0, vec3(0.0));
    if (barycentric == vec3(0.0)) {
        return found;
    }
    vec4 corners = pattern_texel(2 * face), sides = pattern_texel(2 * face + 1);
    ivec3 states = corner_states(corners);
    vec4 factors = blended(barycentric, states);
    if (factors == vec4(0.0)) {
        return found;
    }
    int stride = int(exp2(floor(log2(clamp(footprint * sides.x, 1.0, sides.x)))));
    LatticeCell cell = lattice_cell(sides, stride, barycentric);
    ivec3 points = 2 * patterns.z + patterns.y * (int(corners.w) + cell.corners);
    vec3 at_rest = vec3(0.0);
    precise float height = 0.0;
    for (int k = 0; k < patterns.y; ++k) {
        precise vec4 own = cell.shares.x * pattern_texel(points.x + k) + cell.shares.y * pattern_texel(points.y + k) +
                           cell.shares.z * pattern_texel(points.z + k);
        height += factors[k] * own.w;
        at_rest += factors[k] * own.xyz;
        found.gradient += own.w * blended(barycentric, states + 4 + k).xyz;
    }
    for (int row = 0; row < 3; ++row) {
        found.gradient[row] += dot(blended(barycentric, states + 1 + row).xyz, at_rest);
    }
    found.height = height;
    return found;
}
