// wave_normal: normals of wrinkle waves per pixel. Generated from shaders/common by engines/generate.py.
// HLSL, for Unity, Unreal and Direct3D.
//
// corners      waves of the triangle's corners: covector, amplitude, phases (ruckle_garment_write_waves)
// rest, now    positions of the corners at rest and in this frame
// barycentric  of the fragment
// normal       of the smooth cloth, unit, in the space of `now`
// wave_profile sharpness, detail, sag, offset (`profile` of ruckle_waves_write_rest_texels)

struct HeightSample {
    float height;
    float3 gradient;
};

HeightSample make_HeightSample(float height, float3 gradient) {
    HeightSample made;
    made.height = height;
    made.gradient = gradient;
    return made;
}

float3 raised_normal(float3 normal, float3 gradient) {
    return normalize(normal - (gradient - dot(gradient, normal) * normal));
}

static const float FINE_RATIO = 1.6;

struct WaveCorner {
    float3 covector;
    float amplitude;
    float2 phases;
};

WaveCorner make_WaveCorner(float3 covector, float amplitude, float2 phases) {
    WaveCorner made;
    made.covector = covector;
    made.amplitude = amplitude;
    made.phases = phases;
    return made;
}

HeightSample wave_sample(WaveCorner corners[3], float3 rest[3], float3 now[3], float3 barycentric, float4 wave_profile) {
    float3 b = barycentric;
    float squares = b.x * b.x + b.y * b.y + b.z * b.z;
    float height = 0.0;
    float3 slopes = float3(0.0, 0.0, 0.0);
    float values[3];
    for (int v = 0; v < 3; ++v) {
        float3 w = corners[v].covector;
        float3 turns;
        for (int j = 0; j < 3; ++j) {
            float3 way = rest[j] - rest[v];
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
    slopes += 2.0 * b / squares * (float3(values[0], values[1], values[2]) - height);
    float3 normal = cross(now[1] - now[0], now[2] - now[0]);
    float square = dot(normal, normal);
    float3 gradient = slopes.x * cross(normal, now[2] - now[1]) + slopes.y * cross(normal, now[0] - now[2]) + slopes.z * cross(normal, now[1] - now[0]);
    return make_HeightSample(height, square > 0.0 ? gradient / square : float3(0.0, 0.0, 0.0));
}

float3 wave_normal(WaveCorner corners[3], float3 rest[3], float3 now[3], float3 barycentric, float3 normal, float4 wave_profile) {
    HeightSample found = wave_sample(corners, rest, now, barycentric, wave_profile);
    return raised_normal(normal, found.gradient);
}
