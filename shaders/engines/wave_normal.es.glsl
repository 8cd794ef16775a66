// wave_normal: normals of wrinkle waves per pixel. Generated from shaders/common by engines/generate.py.
// GLSL ES 3.00 and newer, with highp floats.
//
// corners      waves of the triangle's corners: covector, amplitude, phases (ruckle_garment_write_waves)
// rest, now    positions of the corners at rest and in this frame
// barycentric  of the fragment
// normal       of the smooth cloth, unit, in the space of `now`
// wave_profile sharpness, detail, sag, offset (`profile` of ruckle_waves_write_rest_texels)

struct HeightSample {
    float height;
    vec3 gradient;
};

vec3 raised_normal(vec3 normal, vec3 gradient) {
    return normalize(normal - (gradient - dot(gradient, normal) * normal));
}

const float FINE_RATIO = 1.6;

struct WaveCorner {
    vec3 covector;
    float amplitude;
    vec2 phases;
};

HeightSample wave_sample(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric, vec4 wave_profile) {
    vec3 b = barycentric;
    float squares = b.x * b.x + b.y * b.y + b.z * b.z;
    float height = 0.0;
    vec3 slopes = vec3(0.0);
    float values[3];
    for (int v = 0; v < 3; ++v) {
        vec3 w = corners[v].covector;
        vec3 turns;
        for (int j = 0; j < 3; ++j) {
            vec3 way = rest[j] - rest[v];
            turns[j] = w.x * way.x + w.y * way.y + w.z * way.z;
        }
        float turn = turns.x * b.x + turns.y * b.y + turns.z * b.z;
        float angle = corners[v].phases.x + turn;
        float fine = corners[v].phases.y + FINE_RATIO * turn;
        float size = length(w);
        float d = size > 0.0 ? -wave_profile.z * w.y / size : 0.0;
        float c = cos(angle);
        float s = sin(angle);
        float c2 = 2.0 * c * c;
        float s2 = 2.0 * s * c;
        float value = corners[v].amplitude * (c + wave_profile.x * c2 + d * s2 + wave_profile.y * cos(fine) + wave_profile.w);
        float weight = b[v] * b[v] / squares;
        float slope = corners[v].amplitude * (2.0 * d * (c2 - 1.0) - s - 2.0 * wave_profile.x * s2 - wave_profile.y * FINE_RATIO * sin(fine));
        height += weight * value;
        slopes += weight * slope * turns;
        values[v] = value;
    }
    slopes += 2.0 * b / squares * (vec3(values[0], values[1], values[2]) - height);
    vec3 normal = cross(now[1] - now[0], now[2] - now[0]);
    float square = dot(normal, normal);
    vec3 gradient = slopes.x * cross(normal, now[2] - now[1]) + slopes.y * cross(normal, now[0] - now[2]) + slopes.z * cross(normal, now[1] - now[0]);
    return HeightSample(height, square > 0.0 ? gradient / square : vec3(0.0));
}

vec3 wave_normal(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric, vec3 normal, vec4 wave_profile) {
    HeightSample found = wave_sample(corners, rest, now, barycentric, wave_profile);
    return raised_normal(normal, found.gradient);
}
