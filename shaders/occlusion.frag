// Open share of the sky over each point of the picture, from its depths (ambient occlusion).
//
// In each of two planes through the line of sight, the occluder with the highest elevation on each side bounds the open
// arc. The sky is integrated over this arc with the cosine (Jimenez et al. 2016, ground truth ambient occlusion).
// Sixteen neighbouring pixels use different planes; smooth.frag averages them.
//
// Reads   depths of the picture, `scale` per pixel along each side
// Writes  open share of the sky, 1 for the background; depth along the line of sight, mesh units
uniform sampler2D depths;
uniform int scale;
uniform vec2 half_extent;    // tangents of half the angle of view, horizontal and vertical
uniform vec2 planes;         // distances of the near and far plane, mesh units
uniform float reach;         // mesh units: objects at a larger distance do not occlude; fades from half of it

layout(location = 0) out vec2 found;

// Points per side of a plane, and largest distance of the points, pixels.
const int STEPS = 6;
const float MOST_PIXELS = 90.0;
const float PI = 3.14159265;

// Sine of the elevation over the surface below which objects do not occlude; they occlude fully from twice this sine.
// Larger: shallow hollows remain bright. Smaller: facets and rounding errors cause spots.
const float LEAST_RISE = 0.10;

float depth_at(ivec2 pixel) {
    ivec2 last = textureSize(depths, 0) / scale - 1;
    float depth = texelFetch(depths, scale * clamp(pixel, ivec2(0), last), 0).x;
    return planes.x * planes.y / (planes.y - depth * (planes.y - planes.x));
}

// Returns the position of a pixel in camera space, with z along the line of sight.
vec3 place_at(ivec2 pixel) {
    vec2 size = vec2(textureSize(depths, 0) / scale);
    float depth = depth_at(pixel);
    return vec3((2.0 * (vec2(pixel) + 0.5) / size - 1.0) * half_extent * depth, depth);
}

// Returns the difference with the smaller change of depth, because the other neighbour may be on another surface.
vec3 nearer(vec3 forward, vec3 backward) {
    return abs(forward.z) < abs(backward.z) ? forward : backward;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = depth_at(pixel);
    found = vec2(1.0, depth);
    if (depth > 0.99 * planes.y) {
        return;
    }
    vec3 here = place_at(pixel), toward_eye = -normalize(here);
    vec3 right = nearer(place_at(pixel + ivec2(1, 0)) - here, here - place_at(pixel - ivec2(1, 0)));
    vec3 up = nearer(place_at(pixel + ivec2(0, 1)) - here, here - place_at(pixel - ivec2(0, 1)));
    vec3 normal = normalize(cross(up, right));
    float pixels = min(reach / (2.0 * half_extent.y * depth) * float(textureSize(depths, 0).y / scale), MOST_PIXELS);
    if (pixels < 1.5) {
        return;
    }
    ivec2 spot = pixel & 3;
    // turn is a multiple of 1/16; each multiple occurs once in four by four pixels
    float turn = float((spot.x * 4 + spot.y * 5 + (spot.x * spot.y & 1) * 8) & 15) / 16.0;
    float jitter = float((spot.x * 7 + spot.y * 11) & 15) / 16.0;
    float open = 0.0;
    for (int plane = 0; plane < 2; ++plane) {
        float angle = 0.5 * PI * (turn + float(plane));
        vec2 along = vec2(cos(angle), sin(angle));
        vec3 direction = vec3(along, 0.0);
        vec3 axis = normalize(cross(direction, toward_eye));
        vec3 in_plane = normal - axis * dot(normal, axis);
        float share = length(in_plane);
        vec3 tangent = cross(toward_eye, axis);
        float tilt = sign(dot(tangent, in_plane)) * acos(clamp(dot(in_plane, toward_eye) / max(share, 1e-4), -1.0, 1.0));
        vec2 horizons;
        for (int side = 0; side < 2; ++side) {
            float way = side == 0 ? -1.0 : 1.0;
            // the horizon starts at the surface itself; occluders raise it
            float least = cos(clamp(tilt + way * 0.5 * PI, -PI, PI)) ;
            float highest = least;
            for (int k = 0; k < STEPS; ++k) {
                float at = (float(k) + jitter + 0.1) / float(STEPS);
                vec3 off = place_at(pixel + ivec2(round(way * along * max(pixels * at * at, float(k) + 1.0)))) - here;
                float distance = length(off);
                float rise = dot(off, normal) / max(distance, 1e-9);
                float fade = clamp(2.0 - 2.0 * distance / reach, 0.0, 1.0) * smoothstep(LEAST_RISE, 2.0 * LEAST_RISE, rise);
                highest = max(highest, mix(least, dot(off, toward_eye) / max(distance, 1e-9), fade));
            }
            horizons[side] = way * acos(clamp(highest, -1.0, 1.0));
        }
        horizons = tilt + clamp(horizons - tilt, -0.5 * PI, 0.5 * PI);
        vec2 arcs = -cos(2.0 * horizons - tilt) + cos(tilt) + 2.0 * horizons * sin(tilt);
        open += share * 0.25 * (arcs.x + arcs.y);
    }
    found.x = clamp(0.5 * open, 0.0, 1.0);
}
