// Height and slope of the drawn wrinkles at a point of the coarse cloth: thesis section 7, with means of what is near.
//
// Reads the samples of the lines, and the runs of them that reach each triangle. Twin of ruckle::PathHeights (cpp/src/paths), whose
// header has the formula: the same terms in the same order, so that both agree.
//
// A sample is four texels of the cloth's table, lengths at rest, mesh units:
//     0  position xyz, 1 / reach²
//     1  unit direction xyz, weight
//     2  half width, height, slope of the height along the line, wrinkle number
//     3  unit normal of the cloth xyz, 0
// A run is samples of one wrinkle, one after the other, in one texel: the first one's first texel, how many, wrinkle number, 1 where
// the triangle turns away from one of its samples.
#include "common/height_sample.glsl"
#include "common/tables.glsl"

const int SAMPLE_TEXELS = 4;

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
    float weight, nearness, facing;
    vec3 off, direction;
    vec3 shape;  // half width, height, slope
};

const Sums NO_SUMS = Sums(0.0, 0.0, 0.0, vec3(0.0), vec3(0.0), vec3(0.0));

// How much of a sample shows at a point, by the normals there.
float shown(vec3 normal, vec3 sample_normal) {
    precise float x = clamp(1.0 + 2.0 * dot(normal, sample_normal), 0.0, 1.0);
    precise float share = x * x * (3.0 - 2.0 * x);
    return share;
}

// normal  of the cloth at p, at rest; read where the triangle turns away from samples
Sums add_run(vec3 p, vec3 normal, ivec4 run, Sums sums) {
    int past_last = run.x + SAMPLE_TEXELS * run.y;
    for (int number = run.x; number < past_last; number += SAMPLE_TEXELS) {
        precise vec4 place = cloth_texel(number);
        precise vec3 away = p - place.xyz;
        precise float near = 1.0 - dot(away, away) * place.w;
        if (near > 0.0) {
            precise vec4 along = cloth_texel(number + 1);
            precise float share = run.w == 0 ? 1.0 : shown(normal, cloth_texel(number + 3).xyz);
            precise float own = near * near * near * along.w * share;
            precise float weight = sums.weight + own, nearness = sums.nearness + own * near;
            precise float facing = sums.facing + own * share;
            precise vec3 off = sums.off + away * own, direction = sums.direction + along.xyz * own;
            precise vec3 shape = sums.shape + cloth_texel(number + 2).xyz * own;
            sums = Sums(weight, nearness, facing, off, direction, shape);
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
    // where all face the point it is 1 to the bit, as on a triangle that does not ask
    precise float shown = sums.facing < sums.weight ? sums.facing * share : 1.0;
    precise float height = crest * cross_section(u) * shown;
    vec3 gradient = away * (crest * cross_section_fall(u) / (shape.x * shape.x)) + direction * (shape.z * cross_section(u));
    return HeightSample(height, shown * gradient);
}

// Two wrinkles that meet: (a^4 + b^4)^(1/4), which is one of them where the other is zero.
// Departs from the paper: the maximum has a crease, and normals averaged by height do not belong to it.
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

// Of the cloth at rest, at a point of a triangle; not unit.
vec3 rest_normal(vec3 barycentric, int face) {
    precise vec3 normal = vec3(0.0);
    for (int k = 0; k < 3; ++k) {
        int own = int(cloth_texel(FACE_TEXELS * face + CORNER_TEXELS + k).w);
        normal += barycentric[k] * vec3(cloth_texel(own + 1).w, cloth_texel(own + 2).w, cloth_texel(own + 3).w);
    }
    return normal;
}

// All wrinkles of a triangle at a point of it. Runs are sorted by wrinkle, so that two triangles that share an edge add the same
// terms in the same order.
//
// p            on the flat coarse triangle at rest, mesh units
// barycentric  the same
// entry        numbers of the first run's texel, and one past the last's; of the triangle
// The gradient is one at rest.
HeightSample wrinkle_heights(vec3 p, vec3 barycentric, ivec3 entry) {
    HeightSample all = HeightSample(0.0, vec3(0.0));
    vec3 normal = vec3(0.0);
    if (entry.x < entry.y && cloth_texel(entry.x).w > 0.0) {
        normal = rest_normal(barycentric, entry.z);
    }
    for (int next = entry.x; next < entry.y;) {
        ivec4 run = ivec4(cloth_texel(next));
        int wrinkle = run.z;
        Sums sums = NO_SUMS;
        while (run.z == wrinkle) {
            sums = add_run(p, normal, run, sums);
            ++next;
            if (next == entry.y) {
                break;
            }
            run = ivec4(cloth_texel(next));
        }
        if (sums.weight > LEAST_WEIGHT_SUM) {
            all = blend(all, mean_height(sums));
        }
    }
    return all;
}
