// Height and slope of wrinkle waves at a point of the coarse cloth.
//
//     height = Σ_v w_v a_v f(θ_v)      w_v = b_v² / Σ b_j²,  θ_v = φ_v + Σ_j b_j W_v·(P_j - P_v),  θ₂ = φ₂ + ρ (θ - φ)
//     f = cos θ + q (cos 2θ + 1) + d sin 2θ + o cos θ₂ + offset,  d = -sag Ŵ·up
// P: corners at rest; b: barycentric coordinates; W, a, φ: wave of a corner (WaveCorner). The gradient is along the
// current face. The same computation as ruckle::WaveHeights (cpp/src/waves).
//
// wave_table contains the rest pose of the mesh with T triangles:
//     f        vertices of the corners of triangle f, 0
//     T + v    position of vertex v at rest xyz, mesh units; 0
// cloth_table contains data of each frame, starting at texel waves.x, for vertex v:
//     v        W and amplitude as halves; φ, φ₂ as floats, radians
//
// Other engines need only `wave_sample`. A tessellation evaluation shader can move points by the height. A fragment
// shader can rotate its normal by the gradient; its inputs are the values of the three corners, not interpolated
// (`flat`), or the triangle number for a lookup.
#include "common/height_sample.glsl"
#include "common/cloth_table.glsl"

uniform sampler2D wave_table;
// first texel of the vertices in cloth_table, of the vertices of a later state; number of triangles T
uniform ivec3 waves;
uniform vec4 wave_profile;    // q, o, sag, offset of the formula above
uniform float wave_share;     // weight of the later state in the drawn state, in [0, 1]

const float FINE_RATIO = 1.6;  // ρ of the formula above
const float TURN = 6.2831853;

struct WaveCorner {
    vec3 covector;   // W, radians per mesh unit at rest
    float amplitude;  // amplitude a, mesh units
    vec2 phases;     // phases φ, φ₂, radians
};

WaveCorner wave_corner(int texel) {
    uvec4 words = cloth_words(texel);
    vec2 first = halves(words.x), second = halves(words.y);
    return WaveCorner(vec3(first, second.x), second.y, uintBitsToFloat(words.zw));
}

// Returns a state between two states, for waves that step at a lower rate than the display. Phases rotate in the
// shorter direction.
WaveCorner mixed(WaveCorner before, WaveCorner after, float share) {
    vec2 turn = after.phases - before.phases;
    turn -= TURN * round(turn / TURN);
    return WaveCorner(mix(before.covector, after.covector, share), mix(before.amplitude, after.amplitude, share),
                      before.phases + share * turn);
}

// rest, now  positions of the triangle's corners at rest and in this frame
HeightSample wave_sample(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric) {
    precise vec3 b = barycentric;
    precise float squares = b.x * b.x + b.y * b.y + b.z * b.z;
    precise float height = 0.0;
    vec3 slopes = vec3(0.0);  // derivatives with respect to the barycentric coordinates
    float values[3];
    for (int v = 0; v < 3; ++v) {
        vec3 w = corners[v].covector;
        precise vec3 turns;
        for (int j = 0; j < 3; ++j) {
            precise vec3 way = rest[j] - rest[v];
            turns[j] = w.x * way.x + w.y * way.y + w.z * way.z;
        }
        precise float turn = turns.x * b.x + turns.y * b.y + turns.z * b.z;
        precise float angle = corners[v].phases.x + turn, fine = corners[v].phases.y + FINE_RATIO * turn;
        float size = length(w), d = size > 0.0 ? -wave_profile.z * w.y / size : 0.0;
        precise float c = cos(angle), s = sin(angle);
        precise float c2 = 2.0 * c * c, s2 = 2.0 * s * c;
        precise float value = corners[v].amplitude * (c + wave_profile.x * c2 + d * s2 + wave_profile.y * cos(fine) + wave_profile.w);
        precise float weight = b[v] * b[v] / squares;
        float slope = corners[v].amplitude * (2.0 * d * (c2 - 1.0) - s - 2.0 * wave_profile.x * s2 -
                                              wave_profile.y * FINE_RATIO * sin(fine));
        height += weight * value;
        slopes += weight * slope * turns;
        values[v] = value;
    }
    slopes += 2.0 * b / squares * (vec3(values[0], values[1], values[2]) - height);
    vec3 normal = cross(now[1] - now[0], now[2] - now[0]);
    float square = dot(normal, normal);
    vec3 gradient = slopes.x * cross(normal, now[2] - now[1]) + slopes.y * cross(normal, now[0] - now[2]) +
                    slopes.z * cross(normal, now[1] - now[0]);
    return HeightSample(height, square > 0.0 ? gradient / square : vec3(0.0));
}

// barycentric  on the coarse triangle; 0 for a triangle that is drawn flat, without waves
HeightSample wave_heights(int face, vec3 barycentric) {
    if (barycentric == vec3(0.0)) {
        return HeightSample(0.0, vec3(0.0));
    }
    ivec3 vertices = ivec3(texelFetch(wave_table, texel_position(face), 0).xyz);
    WaveCorner corners[3];
    vec3 rest[3], now[3];
    for (int v = 0; v < 3; ++v) {
        corners[v] = wave_corner(waves.x + vertices[v]);
        if (wave_share > 0.0) {
            corners[v] = mixed(corners[v], wave_corner(waves.y + vertices[v]), wave_share);
        }
        rest[v] = texelFetch(wave_table, texel_position(waves.z + vertices[v]), 0).xyz;
        now[v] = cloth_vertex(vertices[v]).position;
    }
    return wave_sample(corners, rest, now, barycentric);
}
