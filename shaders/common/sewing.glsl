// Seams, hems, patches and buttons: their effect on slope and colour of the cloth. Included if a program has SEWN.
//
// A texture over the sewing pattern contains distances to the nearest seam, hem, patch and button, mesh units, positive
// on the inside. Stitches are dashes at a constant distance. Layers of cloth end in steps. Along stitches the cloth
// puckers.
uniform sampler2D sewing_map;
uniform vec4 sewing_frame;      // scale and offset from the plane of the pattern to the texture
// mesh units: distance of stitches from the seam; length of a stitch; depth of hems; thickness of the cloth
uniform vec4 sewing_sizes;
// slope of puckers; share of worn colour; width of ribs (0: without) and of a thread, mesh units
uniform vec4 sewing_shades;
uniform vec3 thread_color;      // linear colour of the stitches
uniform vec3 button_color;
uniform float button_radius;    // mesh units; 0: without buttons

struct SewnPoint {
    vec2 slope;      // slope of the surface in the plane of the pattern
    float thread;    // share of the pixel that a stitch covers
    float worn;      // wear along seams, in [0, 1]
    float washed;    // fading in uneven spots, in [0, 1]; see washed_at
    float shade;     // factor by which the light is multiplied
    float button;    // share of the pixel that a button covers
};

float square_of(float x) {
    return x * x;
}

// Returns the slope at x of a smooth step of height 1 between 0 and `width`.
float step_slope(float x, float width) {
    float share = clamp(x / width, 0.0, 1.0);
    return 6.0 * share * (1.0 - share) / width;
}

// Returns the share of a pixel that a line around 0 covers; x: distance of the pixel from the line, pixel: size of a
// pixel.
float line_share(float x, float half_width, float pixel) {
    return clamp((half_width - abs(x)) / pixel + 0.5, 0.0, 1.0) * min(2.0 * half_width / pixel, 1.0);
}

// Adds to the point the stitches at the distance `line` from an edge: their thread, the slopes of their groove and of
// puckers, and worn colour.
//
// at      distance of the point from the edge
// across  unit direction of increasing distance
void stitch(inout SewnPoint point, float at, float line, vec2 across, vec2 place, float pixel) {
    float off = at - line, size = sewing_sizes.y, width = sewing_shades.w;
    vec2 along = vec2(-across.y, across.x);
    float number = dot(place, along) / size;
    float phase = abs(fract(number) - 0.5);
    float dash = clamp((0.36 - phase) * size / pixel + 0.5, 0.0, 1.0);
    dash = mix(dash, 0.72, clamp(pixel / size, 0.0, 1.0));
    point.thread = max(point.thread, dash * line_share(off, 0.5 * width, pixel));
    // the thread sinks into the cloth, which bulges between stitches
    float near = exp(-square_of(off / (1.8 * size)));
    float groove = exp(-square_of(off / (1.6 * width)));
    point.slope += across * (0.5 * off / width * groove);
    float wave = 6.2831853 * dot(place, along) / (3.1 * size);
    point.slope += along * (sewing_shades.x * near * (cos(wave) + 0.7 * cos(0.618 * wave + 1.0)));
    point.worn = max(point.worn, near * (0.18 + 0.22 * sin(wave) + 0.18 * sin(0.618 * wave + 1.0)));
    point.shade *= 1.0 - 0.25 * groove;
}

// Returns the fading at a point: uneven spots, one to three units wide and longer vertically.
float washed_at(vec2 place) {
    vec2 bent = place + 0.8 * sin(vec2(0.9, 0.7) * place.yx + vec2(1.3, 4.1));
    float spots = sin(1.1 * bent.x) * sin(0.5 * bent.y) + 0.6 * sin(2.3 * bent.x + 0.7) * sin(1.3 * bent.y + 2.0);
    return clamp(0.16 + 0.22 * spots, 0.0, 0.5);
}

// Returns all effects of sewing at a point.
//
// place  point in the plane of the pattern, mesh units
// pixel  size of a pixel there, mesh units
SewnPoint sewn_here(vec2 place, float pixel) {
    SewnPoint point = SewnPoint(vec2(0.0), 0.0, 0.0, washed_at(place / (16.0 * sewing_sizes.x)), 1.0, 0.0);
    vec2 at = place * sewing_frame.xy + sewing_frame.zw;
    vec4 here = textureLod(sewing_map, at, 0.0);
    float inset = sewing_sizes.x, depth = sewing_sizes.z, layer = sewing_sizes.w;
    if (here.x > 3.0 * inset && here.y > 1.4 * depth && abs(here.z) > 3.0 * inset && here.w > 1.5 * button_radius) {
        return point;
    }
    vec2 texel = 1.0 / vec2(textureSize(sewing_map, 0));
    vec4 right = textureLod(sewing_map, at + vec2(texel.x, 0.0), 0.0) - textureLod(sewing_map, at - vec2(texel.x, 0.0), 0.0);
    vec4 up = textureLod(sewing_map, at + vec2(0.0, texel.y), 0.0) - textureLod(sewing_map, at - vec2(0.0, texel.y), 0.0);
    mat4x2 across;
    for (int k = 0; k < 4; ++k) {
        vec2 slope = vec2(right[k], up[k]);
        across[k] = slope / max(length(slope), 1e-9);
    }
    float step_width = 1.5 * layer + pixel;
    if (here.x < 3.0 * inset) {
        // a seam: a furrow between two rolled edges. The seam allowance below the cloth ends slightly beyond the
        // stitches
        float furrow = exp(-square_of(here.x / (0.7 * layer + 0.5 * pixel)));
        point.shade *= 1.0 - 0.45 * furrow;
        point.slope += across[0] * (0.9 * furrow - 0.5 * layer * step_slope(here.x - 1.7 * inset, step_width));
        stitch(point, here.x, inset, across[0], place, pixel);
        point.worn = max(point.worn, 0.6 * exp(-square_of((here.x - 0.25 * inset) / (0.25 * inset))));
    }
    if (here.y < 1.4 * depth) {
        if (sewing_shades.z > 0.0) {
            // ribs of a knitted band, from the edge to the depth of the hem
            float rib = 6.2831853 * dot(place, vec2(-across[1].y, across[1].x)) / sewing_shades.z;
            float inside = 1.0 - smoothstep(depth - step_width, depth, here.y);
            float seen = clamp(1.6 - 3.0 * pixel / sewing_shades.z, 0.0, 1.0);
            point.slope += vec2(-across[1].y, across[1].x) * (0.9 * inside * seen * cos(rib));
            point.shade *= 1.0 - inside * (0.16 + 0.16 * seen * sin(rib));
            float gather = exp(-square_of((here.y - depth) / (0.10 * depth)));
            point.shade *= 1.0 - 0.35 * gather;
            point.slope += across[1] * (0.6 * gather * sign(here.y - depth));
        } else {
            point.slope -= across[1] * (0.8 * layer * step_slope(here.y - depth, step_width));
            stitch(point, here.y, depth - 0.4 * inset, across[1], place, pixel);
            point.worn = max(point.worn, 0.8 * exp(-square_of(here.y / (0.3 * inset))));
        }
    }
    if (abs(here.z) < 3.0 * inset) {
        point.slope += across[2] * (layer * step_slope(here.z, step_width));
        point.shade *= 1.0 - 0.4 * exp(-square_of((here.z + 0.5 * layer) / (0.8 * layer + 0.5 * pixel)));
        stitch(point, here.z, 0.6 * inset, across[2], place, pixel);
        point.worn = max(point.worn, 0.7 * exp(-square_of((here.z - 0.15 * inset) / (0.2 * inset))));
    }
    if (button_radius > 0.0 && here.w < 1.5 * button_radius) {
        float off = here.w / button_radius;
        point.button = clamp((button_radius - here.w) / pixel + 0.5, 0.0, 1.0);
        // the button has a rim around a hollow with four holes, and a shadow around it
        float rim = off < 0.95 ? 2.2 * exp(-square_of((off - 0.62) / 0.12)) - 2.4 * square_of(square_of(off)) : 0.0;
        vec2 hole = abs(off * across[3]) - 0.20;
        float holes = clamp((0.11 - length(hole)) * button_radius / pixel + 0.5, 0.0, 1.0);
        point.slope = mix(point.slope, rim * across[3], point.button);
        point.thread *= 1.0 - point.button;
        point.shade *= mix(1.0 - 0.45 * exp(-square_of((off - 1.0) / 0.25)), 1.0 - 0.8 * holes, point.button);
    }
    return point;
}
