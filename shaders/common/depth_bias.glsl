// Adds a depth bias in mesh units that does not depend on the distance from the camera, unlike glPolygonOffset.
// Requires scene.

// Returns clip coordinates of a position, with the depth of the point that is `distance` behind it in the same pixel.
vec4 biased(vec3 position, float distance) {
    vec4 clip = clip_from_ws * vec4(position, 1.0);
    vec4 behind = clip_from_ws * vec4(position + distance * normalize(position - eye_ws.xyz), 1.0);
    return vec4(clip.xy, behind.z / behind.w * clip.w, clip.w);
}

// Returns the depth bias of the cloth's inside, mesh units. It prevents specks where a layer slightly penetrates
// another.
float inside_bias(vec3 position, vec3 normal) {
    return inside_depth_bias * smoothstep(0.0, 0.4, dot(normalize(position - eye_ws.xyz), normal));
}
