// Height and slope of the drawn wrinkles at a point of the coarse cloth (thesis section 7, with weighted means over
// near samples).
//
// Reads the samples of the drawn lines, and for each triangle the runs of samples near it. The same computation as
// ruckle::PathHeights (cpp/src/paths), whose header has the formula. Terms are added in the same order, so that both
// agree.
//
// Layout in the cloth's table, by word number; lengths are those at rest:
//     4, 5, 6        texel of the box around the cloth at rest; unit of sizes, mesh units; first word of weights
//     7, 8           weight of the later lines, and their first sample: heights are a mean of earlier and later lines
//     9, 10          first word of the carriers; texel of the vertices at rest
//     the box        a texel: least corner xyz, mesh units; length of a cell. One texel per sample follows
//     a sample       its cell in the box xyz (20 bits each); half width and height (16 each), as multiples of unit / 65535;
//                    direction xyz (12 each)
//     a weight       a word per sample: weight; slope of the height along the line
//     a normal       two words per sample from which a triangle turns away: xyz, mean unit normal of the cloth
//     a vertex       a texel: position xyz, mesh units; unit normal
//     a carrier      five words per vertex: rows of the matrix that converts gradients from rest to the current cloth
//     a run          consecutive samples of one wrinkle: first sample (20 bits), count (10), a bit for the first run of a
//                    wrinkle, a bit that is set if the triangle turns away from one of the samples. In the latter case,
//                    the opening and the first word of the normals follow
// A cell is a millionth of the box. Half widths and heights have an error of 8e-6 units, directions 2.5e-4, normals
// 2e-5. Numbers in half precision (weights, slopes) have a relative error of 2.5e-4.
#include "common/cloth_table.glsl"
#include "common/height_sample.glsl"

const int LINES_TEXEL = 1, LATER_TEXEL = 2, RUN_COUNT_BIT = 20;
const uint RUN_FIRST = 0xfffffu;
const uint RUN_BEGINS = 1u << 30, RUN_TURNS = 1u << 31;

// Tolerances for the rounding of packed normals, and for the resulting error of the opening. If they were 0, a triangle
// that tests normals could reduce a sample that its neighbour does not test, and the surface would have a crack at
// their edge.
const float ROUNDED_TURN = 2e-4, ROUNDED_OPENING = 6e-4;

// Distance, in half widths, up to which samples affect a point; must be equal to averaging_reach of the core.
const float AVERAGING_REACH = 1.6;

// If the sum of weights is smaller, the height is 0: such sums occur at the rim of a single sample's reach, where a
// division would amplify noise.
const float LEAST_WEIGHT_SUM = 1e-30;

// Least distance from a crest, in half widths, by which vectors are divided; smaller distances are rounding errors.
const float LEAST_DISTANCE = 1e-6;

// Depth and width of valleys; must be equal to the constants of the core (path_heights.h).
const float VALLEY_DEPTH = 0.57, VALLEY_LEAN = 0.6;

// Constants of the lower bound of u², a linear function of the mean nearness of the samples: the second argument of max
// in path_heights.h.
const float SPREAD_AT_ONCE = 0.81 * (1.6 * 1.6 - 0.25), SPREAD_PER_NEARNESS = 0.81 * 1.125 * 1.6 * 1.6;

// Returns the profile of a wrinkle at the distance u from its crest, in half widths: the uniform quadratic B-spline
// over the half width (thesis section 6).
float cross_section(float u) {
    precise float rest = max(1.0 - u, 0.0);
    precise float height = u <= 1.0 / 3.0 ? 1.0 - 3.0 * u * u : 1.5 * rest * rest;
    return height;
}

// Returns B'(u) / u, which avoids a division by a distance of zero.
float cross_section_fall(float u) {
    return u <= 1.0 / 3.0 ? -6.0 : -3.0 * max(1.0 - u, 0.0) / u;
}

// Weighted sums over the samples of one wrinkle near a point.
struct Sums {
    float weight, nearness, facing;
    vec3 off, direction;
    vec3 shape;  // sums of half width, height and slope
};

const Sums NO_SUMS = Sums(0.0, 0.0, 0.0, vec3(0.0), vec3(0.0), vec3(0.0));

// Returns the share of a sample that contributes at a point, from the normals of the cloth at the point and at the
// sample.
float shown(vec3 normal, vec3 sample_normal) {
    precise float x = clamp(1.0 + ROUNDED_TURN + 2.0 * dot(normal, sample_normal), 0.0, 1.0);
    precise float share = x * x * (3.0 - 2.0 * x);
    return share;
}

// Location of the samples in the table, and the scales of their numbers.
struct Lines {
    int samples, weights;  // first texel of the samples; first word of the weights
    vec3 corner;           // least corner of the box, mesh units
    float cell, part;      // size of a cell, and unit / 65535, in mesh units
};

Lines drawn_lines() {
    uvec4 first = cloth_words(LINES_TEXEL);
    vec4 box = cloth_texel(int(first.x));
    return Lines(int(first.x) + 1, int(first.z), box.xyz, box.w, uintBitsToFloat(first.y) / 65535.0);
}

// Returns `sums` with the samples of one run added.
//
// normal   of the cloth at p at rest, not unit; used only if the triangle turns away from samples
// opening  upper bound of the samples' weights, from the path over the cloth to them (g in path_heights.h); 0 if the
//          triangle does not test normals
// normals  first word of the normals of the samples; used only if the triangle tests normals
Sums add_run(vec3 p, vec3 normal, uint run, float opening, int normals, Lines lines, Sums sums) {
    int count = int(run >> RUN_COUNT_BIT & 0x3ffu), first = int(run & RUN_FIRST);
    for (int k = 0; k < count; ++k) {
        uvec4 words = cloth_words(lines.samples + first + k);
        uvec3 place = uvec3(words.x & 0xfffffu, words.x >> 20 | (words.y & 0xffu) << 12, words.y >> 8 & 0xfffffu);
        precise vec3 away = p - (lines.corner + lines.cell * vec3(place));
        precise vec2 size = lines.part * vec2(words.z & 0xffffu, words.z >> 16);
        precise float reach = AVERAGING_REACH * size.x;
        precise float near = 1.0 - dot(away, away) / (reach * reach);
        if (near > 0.0) {
            uvec3 direction_words = uvec3(words.w & 0xfffu, words.w >> 12 & 0xfffu, words.w >> 24 | words.y >> 28 << 8);
            precise vec3 along = (vec3(direction_words) - 2047.0) / 2047.0;
            precise vec2 measures = halves(cloth_word(lines.weights + first + k));
            precise float share = 1.0;
            if (opening > 0.0) {
                int number = normals + 2 * k;
                share = shown(normal, vec3(shares(cloth_word(number)), shares(cloth_word(number + 1)).x));
                float most = min(near, share);
                if (opening < most) {
                    near = near * (opening / most);
                }
            }
            precise float own = near * near * near * measures.x * share;
            precise float weight = sums.weight + own, nearness = sums.nearness + own * near;
            precise float facing = sums.facing + own * share;
            precise vec3 off = sums.off + away * own, direction = sums.direction + along * own;
            precise vec3 shape = sums.shape + vec3(size, measures.y) * own;
            sums = Sums(weight, nearness, facing, off, direction, shape);
        }
    }
    return sums;
}

// The surface of one wrinkle at a point.
struct Elevation {
    float height;
    vec3 gradient;
    vec3 aside;  // unit direction from the crest; shorter at branches of the line
    float distance, half_width;
};

// Returns the elevation of one wrinkle. The sum of its weights must be above 0.
Elevation mean_elevation(Sums sums) {
    precise float share = 1.0 / sums.weight;
    precise vec3 off = sums.off * share, direction = sums.direction * share, shape = sums.shape * share;
    precise float along = clamp(dot(off, direction), -0.3 * shape.x, 0.3 * shape.x);
    precise float crest = clamp(shape.y + along * shape.z, 0.8 * shape.y, 1.25 * shape.y);
    precise vec3 away = off - direction * along;
    precise float least = SPREAD_AT_ONCE - SPREAD_PER_NEARNESS * (sums.nearness * share);
    precise float u = sqrt(max(dot(away, away) / (shape.x * shape.x), least));
    // `shown` is exactly 1 if all samples face the point, so that the result equals that of a triangle that does not
    // test normals
    precise float shown = sums.facing < sums.weight ? sums.facing * share : 1.0;
    precise float height = crest * cross_section(u) * shown;
    vec3 gradient = away * (crest * cross_section_fall(u) / (shape.x * shape.x)) + direction * (shape.z * cross_section(u));
    precise vec3 aside = away * ((1.0 / shape.x) / max(u, LEAST_DISTANCE));
    return Elevation(height, shown * gradient, aside, u, shape.x);
}

// Sums for the valleys between neighbouring wrinkles: see path_heights.h.
struct Valleys {
    float opposed, heights;
    vec3 opposed_gradient, heights_gradient, leans;
    mat3 turns;  // the sum of outer products of ∇(h s) and n
};

const Valleys NO_VALLEYS = Valleys(0.0, 0.0, vec3(0.0), vec3(0.0), vec3(0.0), mat3(0.0));

Valleys add_flank(Valleys valleys, Elevation one) {
    precise float y = min(one.distance * (1.0 / VALLEY_LEAN), 1.0);
    precise float share = y * y * (3.0 - 2.0 * y);
    precise vec3 lean = one.aside * (one.height * share);
    vec3 change = one.gradient * share + one.aside * (one.height * (6.0 / VALLEY_LEAN * y * (1.0 - y)) / one.half_width);
    precise float opposed = valleys.opposed - dot(lean, valleys.leans), heights = valleys.heights + one.height;
    vec3 opposed_gradient = valleys.opposed_gradient - (change * dot(one.aside, valleys.leans) + valleys.turns * lean);
    precise vec3 leans = valleys.leans + lean;
    return Valleys(opposed, heights, opposed_gradient, valleys.heights_gradient + one.gradient, leans,
                   valleys.turns + outerProduct(change, one.aside));
}

HeightSample dig(HeightSample all, Valleys valleys) {
    if (valleys.opposed <= 0.0) {
        return all;
    }
    precise float scale = 2.0 * VALLEY_DEPTH / valleys.heights;
    precise float depth = valleys.opposed * scale;
    precise float height = all.height - depth;
    vec3 slope = valleys.opposed_gradient * scale - valleys.heights_gradient * (depth / valleys.heights);
    return HeightSample(height, all.gradient - slope);
}

// Returns the blend of two wrinkles, (a^4 + b^4)^(1/4), which equals one height if the other is zero. Departs from the
// paper: the maximum of two heights has a crease, and normals averaged by height do not match it.
HeightSample blend(HeightSample a, HeightSample b) {
    if (a.height <= 0.0 || b.height <= 0.0) {
        if (b.height > 0.0) {
            return b;
        }
        return a;
    }
    precise float low = min(a.height, b.height), high = max(a.height, b.height);
    precise float ratio = low / high;
    precise float height = high * sqrt(sqrt(1.0 + ratio * ratio * ratio * ratio));
    float share_a = a.height / height, share_b = b.height / height;
    return HeightSample(height, share_a * share_a * share_a * a.gradient + share_b * share_b * share_b * b.gradient);
}

// A vertex at rest.
struct RestVertex {
    vec3 position;  // mesh units
    vec3 normal;    // unit
    mat3 carrier;   // columns: rows of the matrix that converts gradients from rest to the current cloth
};

// Returns a vertex at rest. The result is undefined if the triangles at the vertex do not have runs.
RestVertex rest_vertex(int vertex) {
    int number = int(cloth_word(int(cloth_word(2)) + vertex));
    uvec2 first = cloth_words(LATER_TEXEL).yz;
    uvec4 place = cloth_words(int(first.y) + number);
    vec2 rows[5];
    for (int k = 0; k < 5; ++k) {
        rows[k] = halves(cloth_word(int(first.x) + 5 * number + k));
    }
    return RestVertex(uintBitsToFloat(place.xyz), unit_direction(place.w),
                      mat3(rows[0], rows[1], rows[2], rows[3], rows[4].x));
}

// Returns the height of all wrinkles at a point of a triangle. Runs are sorted by wrinkle, so that both triangles of an
// edge add the same terms in the same order.
//
// p       on the flat coarse triangle at rest, mesh units
// normal  of the cloth at p at rest; not unit
// entry   first word of the runs, word after the last run; triangle number
// The gradient is that at rest.
HeightSample wrinkle_heights(vec3 p, vec3 normal, ivec3 entry) {
    HeightSample all = HeightSample(0.0, vec3(0.0)), earlier = all;
    Valleys valleys = NO_VALLEYS;
    Lines lines = drawn_lines();
    uint later = cloth_word(4 * LATER_TEXEL), last = 0u;
    for (int next = entry.x; next < entry.y;) {
        uint begin = cloth_word(next) & RUN_FIRST;
        if (last < later && begin >= later) {
            earlier = dig(all, valleys);
            all = HeightSample(0.0, vec3(0.0));
            valleys = NO_VALLEYS;
        }
        last = begin;
        Sums sums = NO_SUMS;
        do {
            uint run = cloth_word(next++);
            float opening = 0.0;
            int normals = 0;
            if ((run & RUN_TURNS) != 0u) {
                opening = uintBitsToFloat(cloth_word(next)) + ROUNDED_OPENING;
                normals = int(cloth_word(next + 1));
                next += 2;
            }
            sums = add_run(p, normal, run, opening, normals, lines, sums);
        } while (next < entry.y && (cloth_word(next) & RUN_BEGINS) == 0u);
        if (sums.weight > LEAST_WEIGHT_SUM) {
            Elevation one = mean_elevation(sums);
            if (one.height > 0.0) {
                all = blend(all, HeightSample(one.height, one.gradient));
                valleys = add_flank(valleys, one);
            }
        }
    }
    all = dig(all, valleys);
    float share = uintBitsToFloat(cloth_word(4 * LINES_TEXEL + 3));
    if (share >= 1.0) {
        return all;
    }
    if (last < later) {
        // the triangle has only runs of earlier lines, so the sum of the later lines is 0
        earlier = all;
        all = HeightSample(0.0, vec3(0.0));
    }
    return HeightSample(mix(earlier.height, all.height, share), mix(earlier.gradient, all.gradient, share));
}
