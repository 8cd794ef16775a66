// Height of layers at a point of the cloth with its gradient, and the normal of the raised surface.
struct HeightSample {
    float height;   // mesh units
    vec3 gradient;  // gradient of the height, along the surface
};

// Returns the normal of a surface that heights with this gradient displace from cloth with this normal.
vec3 raised_normal(vec3 normal, vec3 gradient) {
    return normalize(normal - (gradient - dot(gradient, normal) * normal));
}
