// Replaces shaders/common/shadow.glsl: no shadows.
float key_light_through(vec3 position, float facing) {
    return 1.0;
}
