// Counts a place as farther away than it is drawn: its depth is that of a place behind it, in the same pixel. Needs scene.
vec4 set_back(vec3 place, float distance) {
    vec4 clip = clip_from_ws * vec4(place, 1.0);
    vec4 behind = clip_from_ws * vec4(place + distance * normalize(place - eye_ws.xyz), 1.0);
    return vec4(clip.xy, behind.z / behind.w * clip.w, clip.w);
}

// Mesh units: how far, where the inside of the cloth is seen, so that a layer that pierces another a little makes no specks.
float setback_of(vec3 place, vec3 normal) {
    return inside_setback * smoothstep(0.0, 0.4, dot(normalize(place - eye_ws.xyz), normal));
}
