// Height and slope of the wrinkles at a point of the coarse cloth: thesis section 7, figure 7.1.
//
// Reads the curve vertices, and the runs of segments that reach each triangle. Twin of ruckle::PathHeights (cpp/src/paths):
// the same terms in the same order, so that both agree.
//
// A curve vertex is three texels of the cloth's table:
//     0  position v.xyz, half width r           mesh units
//     1  joint normal n.xyz, height H        n is unit: the plane through v between two segments
//     2  slope dH/ds along the curve, wrinkle number, 1 at a wrinkle's last vertex, 0
// A segment joins two that follow each other, and has the number of its first texel. A run is segments of one wrinkle, one
// after the other, in one texel: the first segment, how many, wrinkle number, 0.
#include "common/height_sample.glsl"
#include "common/tables.glsl"

const int CURVE_TEXELS = 3;

// The point on a wrinkle's crest to which a point of the cloth is projected.
struct Crest {
    int segment;   // its first texel
    float x;       // from the segment's first vertex, 0, to its second, 1
    float height;  // of the wrinkle at the point of the cloth, mesh units; 0 where it does not reach
};

// The uniform quadratic B-spline over the half width (thesis 6), and its derivative.
float cross_section(float u) {
    precise float rest = 1.0 - u;
    precise float height = u <= 1.0 / 3.0 ? 1.0 - 3.0 * u * u : 1.5 * rest * rest;
    return u < 1.0 ? height : 0.0;
}

float cross_section_slope(float u) {
    return u <= 1.0 / 3.0 ? -6.0 * u : -3.0 * (1.0 - u);
}

// The highest crest of a run over p, by the modified projection: between the planes at both ends of a segment, p goes to
// the point at the same share of the way. Neighbouring segments share a plane and agree on it.
Crest highest_crest(vec3 p, ivec4 run) {
    Crest highest = Crest(run.x, 0.0, 0.0);
    precise vec4 start = cloth_texel(run.x), start_joint = cloth_texel(run.x + 1);
    precise float past = dot(p - start.xyz, start_joint.xyz);  // beyond the plane of the segment's first vertex
    int past_last = run.x + CURVE_TEXELS * run.y;
    for (int segment = run.x; segment < past_last; segment += CURVE_TEXELS) {
        precise vec4 end = cloth_texel(segment + CURVE_TEXELS), end_joint = cloth_texel(segment + CURVE_TEXELS + 1);
        precise vec3 along = end.xyz - start.xyz;
        precise float past_end = dot(p - end.xyz, end_joint.xyz);
        // distances to the planes along the segment, in its lengths
        precise float behind = past / dot(along, start_joint.xyz), ahead = -past_end / dot(along, end_joint.xyz);
        precise float x = behind / (behind + ahead);
        precise vec3 off = p - (start.xyz + x * along);
        precise float half_width = start.w + x * (end.w - start.w);
        precise float crest = start_joint.w + x * (end_joint.w - start_joint.w);
        precise float height = crest * cross_section(length(off) / half_width);
        if (behind >= 0.0 && ahead >= 0.0 && behind + ahead > 0.0 && height > highest.height) {
            highest = Crest(segment, x, height);
        }
        start = end;
        start_joint = end_joint;
        past = past_end;
    }
    return highest;
}

// H B'(u) / r (p - c) / |p - c| + H' B(u) d: continuous over joints, so that the shading shows no stripes there.
vec3 crest_gradient(vec3 p, Crest crest) {
    int next = crest.segment + CURVE_TEXELS;
    vec4 start = cloth_texel(crest.segment), end = cloth_texel(next);
    float start_height = cloth_texel(crest.segment + 1).w, end_height = cloth_texel(next + 1).w;
    float start_rise = cloth_texel(crest.segment + 2).x, end_rise = cloth_texel(next + 2).x;
    vec3 along = end.xyz - start.xyz, off = p - (start.xyz + crest.x * along);
    float distance_to_crest = length(off), half_width = mix(start.w, end.w, crest.x);
    float u = distance_to_crest / half_width;
    vec3 away = distance_to_crest > 0.0 ? off / distance_to_crest : vec3(0.0);
    return mix(start_height, end_height, crest.x) * cross_section_slope(u) / half_width * away +
           mix(start_rise, end_rise, crest.x) * cross_section(u) * normalize(along);
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

// All wrinkles of a triangle at a point of it. Of one wrinkle's segments the highest counts. Runs are sorted by wrinkle,
// so that two triangles that share an edge add the same terms in the same order.
//
// p     on the flat coarse triangle, mesh units
// list  number of the first run's texel, and one past the last's
HeightSample wrinkle_heights(vec3 p, ivec2 list) {
    HeightSample all = HeightSample(0.0, vec3(0.0)), wrinkle = all;
    int number = -1;
    for (int entry = list.x; entry < list.y; ++entry) {
        ivec4 run = ivec4(cloth_texel(entry));
        Crest crest = highest_crest(p, run);
        if (crest.height <= 0.0) {
            continue;
        }
        HeightSample found = HeightSample(crest.height, crest_gradient(p, crest));
        if (run.z != number) {
            all = blend(all, wrinkle);
            wrinkle = found;
            number = run.z;
        } else if (found.height > wrinkle.height) {
            wrinkle = found;
        }
    }
    return blend(all, wrinkle);
}
