// wave_normal: normals of wrinkle waves per pixel. Generated from shaders/common by engines/generate.py.
// WGSL, for WebGPU.
//
// corners      waves of the triangle's corners: covector, amplitude, phases (ruckle_garment_write_waves)
// rest, now    positions of the corners at rest and in this frame
// barycentric  of the fragment
// normal       of the smooth cloth, unit, in the space of `now`
// wave_profile sharpness, detail, sag, offset (`profile` of ruckle_waves_write_rest_texels)

struct HeightSample {
    height: f32,
    gradient: vec3f,
}

fn raised_normal(normal: vec3f, gradient: vec3f) -> vec3f {
    return normalize(normal - (gradient - dot(gradient, normal) * normal));
}

const FINE_RATIO: f32 = 1.6;

struct WaveCorner {
    covector: vec3f,
    amplitude: f32,
    phases: vec2f,
}

fn wave_sample(corners_in: array<WaveCorner, 3>, rest_in: array<vec3f, 3>, now_in: array<vec3f, 3>, barycentric: vec3f, wave_profile: vec4f) -> HeightSample {
    var corners = corners_in;
    var rest = rest_in;
    var now = now_in;
    var b: vec3f = barycentric;
    var squares: f32 = b.x * b.x + b.y * b.y + b.z * b.z;
    var height: f32 = 0.0;
    var slopes: vec3f = vec3f(0.0);
    var values: array<f32, 3>;
    for (var v = 0; v < 3; v++) {
        var w: vec3f = corners[v].covector;
        var turns: vec3f;
        for (var j = 0; j < 3; j++) {
            var way: vec3f = rest[j] - rest[v];
            turns[j] = w.x * way.x + w.y * way.y + w.z * way.z;
        }
        var turn: f32 = turns.x * b.x + turns.y * b.y + turns.z * b.z;
        var angle: f32 = corners[v].phases.x + turn;
        var fine: f32 = corners[v].phases.y + FINE_RATIO * turn;
        var size: f32 = length(w);
        var d: f32 = select(0.0, -wave_profile.z * w.y / size, size > 0.0);
        var c: f32 = cos(angle);
        var s: f32 = sin(angle);
        var c2: f32 = 2.0 * c * c;
        var s2: f32 = 2.0 * s * c;
        var value: f32 = corners[v].amplitude * (c + wave_profile.x * c2 + d * s2 + wave_profile.y * cos(fine) + wave_profile.w);
        var weight: f32 = b[v] * b[v] / squares;
        var slope: f32 = corners[v].amplitude * (2.0 * d * (c2 - 1.0) - s - 2.0 * wave_profile.x * s2 - wave_profile.y * FINE_RATIO * sin(fine));
        height += weight * value;
        slopes += weight * slope * turns;
        values[v] = value;
    }
    slopes += 2.0 * b / squares * (vec3f(values[0], values[1], values[2]) - height);
    var normal: vec3f = cross(now[1] - now[0], now[2] - now[0]);
    var square: f32 = dot(normal, normal);
    var gradient: vec3f = slopes.x * cross(normal, now[2] - now[1]) + slopes.y * cross(normal, now[0] - now[2]) + slopes.z * cross(normal, now[1] - now[0]);
    return HeightSample(height, select(vec3f(0.0), gradient / square, square > 0.0));
}

fn wave_normal(corners_in: array<WaveCorner, 3>, rest_in: array<vec3f, 3>, now_in: array<vec3f, 3>, barycentric: vec3f, normal: vec3f, wave_profile: vec4f) -> vec3f {
    var corners = corners_in;
    var rest = rest_in;
    var now = now_in;
    var found: HeightSample = wave_sample(corners, rest, now, barycentric, wave_profile);
    return raised_normal(normal, found.gradient);
}
