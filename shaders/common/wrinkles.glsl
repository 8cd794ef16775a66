// Height and slope of the drawn wrinkles at a point of the coarse cloth: thesis section 7, with means of what is near.
//
// Reads the samples of the lines, and the runs of them that reach each triangle. Twin of ruckle::PathHeights (cpp/src/paths), whose
// header has the formula: the same terms in the same order, so that both agree.
//
// A sample is three texels of the cloth's table, lengths at rest, mesh units:
//     0  position xyz, 1 / reach²
//     1  unit direction xyz, weight
//     2  half width, height, slope of the height along the line, wrinkle number
// A run is samples of one wrinkle, one after the other, in one texel: the first one's first texel, how many, wrinkle number, 0.
#include "common/height_sample.glsl"
#include "common/tables.glsl"

const int SAMPLE_TEXELS = 3;

// Sums below this come from the rim of a single sample's reach, where the height is 0 and division would make noise of it.
const float LEAST_WEIGHT_SUM = 1e-30;

// A point's least distance from a line as a function of the mean nearness of its samples: see path_heights.h.
const float SPREAD_AT_ONCE = 0.81 * (1.6 * 1.6 - 0.25), SPREAD_PER_NEARNESS = 0.81 * 1.125 * 1.6 * 1.6;

// The uniform quadratic B-spline over the half width (thesis 6).
float cross_section(float u) {
    precise float rest = max(1.0 - u, 0.0);
    precise float height = u <= 1.0 / 3.0 ? 1.0 - 3.0 * u * u : 1.5 * rest * rest;
    return height;
}

// B'(u) / u, so that nothing is divided by a distance of zero.
float cross_section_fall(float u) {
    return u <= 1.0 / 3.0 ? -6.0 : -3.0 * max(1.0 - u, 0.0) / u;
}

// The weighted sums of what lies around a point on one wrinkle.
struct Sums {
    float weight, nearness;
    vec3 off, direction;
    vec3 shape;  // half width, height, slope
};

const Sums NO_SUMS = Sums(0.0, 0.0, vec3(0.0), vec3(0.0), vec3(0.0));

Sums add_run(vec3 p, ivec4 run, Sums sums) {
    int past_last = run.x + SAMPLE_TEXELS * run.y;
    for (int number = run.x; number < past_last; number += SAMPLE_TEXELS) {
        precise vec4 place = cloth_texel(number);
        precise vec3 away = p - place.xyz;
        precise float near = 1.0 - dot(away, away) * place.w;
        if (near > 0.0) {
            precise vec4 along = cloth_texel(number + 1);
            precise float own = near * near * near * along.w;
            precise float weight = sums.weight + own, nearness = sums.nearness + own * near;
            precise vec3 off = sums.off + away * own, direction = sums.direction + along.xyz * own;
            precise vec3 shape = sums.shape + cloth_texel(number + 2).xyz * own;
            sums = Sums(weight, nearness, off, direction, shape);
        }
    }
    return sums;
}

// Of one wrinkle, where there is any.
HeightSample mean_height(Sums sums) {
    precise float share = 1.0 / sums.weight;
    precise vec3 off = sums.off * share, direction = sums.direction * share, shape = sums.shape * share;
    precise float along = clamp(dot(off, direction), -0.3 * shape.x, 0.3 * shape.x);
    precise float crest = clamp(shape.y + along * shape.z, 0.8 * shape.y, 1.25 * shape.y);
    precise vec3 away = off - direction * along;
    precise float least = SPREAD_AT_ONCE - SPREAD_PER_NEARNESS * (sums.nearness * share);
    precise float u = sqrt(max(dot(away, away) / (shape.x * shape.x), least));
    precise float height = crest * cross_section(u);
    vec3 gradient = away * (crest * cross_section_fall(u) / (shape.x * shape.x)) + direction * (shape.z * cross_section(u));
    return HeightSample(height, gradient);
}

// Two wrinkles that meet: (a^4 + b^4)^(1/4), which is one of them where the other is zero.
// Departs from the paper: the maximum has a crease, and normals averaged by height do not belong to it.
HeightSample blend(HeightSample a, HeightSample b) {
    if (a.height <= 0.0 || b.height <= 0.0) {
        return b.height > 0.0 ? b : a;
    }
    precise float low = min(a.height, b.height), high = max(a.height, b.height);
    precise float ratio = low / high;
    precise float height = high * sqrt(sqrt(1.0 + ratio * ratio * ratio * ratio));
    float share_a = a.height / height, share_b = b.height / height;
    return HeightSample(height, share_a * share_a * share_a * a.gradient + share_b * share_b * share_b * b.gradient);
}

// All wrinkles of a triangle at a point of it. Runs are sorted by wrinkle, so that two triangles that share an edge add the same
// terms in the same order.
//
// p     on the flat coarse triangle at rest, mesh units
// list  number of the first run's texel, and one past the last's
// The gradient is one at rest.
HeightSample wrinkle_heights(vec3 p, ivec2 list) {
    HeightSample all = HeightSample(0.0, vec3(0.0));
    for (int entry = list.x; entry < list.y;) {
        ivec4 run = ivec4(cloth_texel(entry));
        int wrinkle = run.z;
        Sums sums = NO_SUMS;
        while (run.z == wrinkle) {
            sums = add_run(p, run, sums);
            ++entry;
            if (entry == list.y) {
                break;
            }
            run = ivec4(cloth_texel(entry));
        }
        if (sums.weight > LEAST_WEIGHT_SUM) {
            all = blend(all, mean_height(sums));
        }
    }
    return all;
}
