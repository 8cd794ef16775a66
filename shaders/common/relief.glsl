// What raises the cloth at a point, and the normal of what it raises.
struct Relief {
    float height;   // mesh units
    vec3 gradient;  // of the height, along the surface
};

// Normal of the surface raised by a relief with this gradient over cloth with this normal.
vec3 raised_normal(vec3 normal, vec3 gradient) {
    return normalize(normal - (gradient - dot(gradient, normal) * normal));
}
