// The inputs of every fragment shader of the cloth.
#ifdef HEM
in Hem {
    vec3 position_ws;
    vec3 normal_ws;
    vec2 uv;
#ifdef COLORS
    vec4 face_color;
#endif
#ifdef FABRIC
    vec2 tile;
#endif
};
#else
in vec3 flat_ws;                 // on the flat coarse triangle, mesh units
in vec3 at_rest;                 // the same point at rest: the position at which heights are evaluated
in vec3 normal_at_rest;          // of the cloth there, not unit
in mat3 carrier;                 // of gradients from rest to world space, as layer_heights takes it
in vec3 barycentric;             // on the coarse triangle; 0 for a triangle that is drawn flat
in vec3 position_ws;             // on the surface that is drawn, mesh units
in vec3 normal_ws;               // of the smooth cloth without wrinkles, not unit
in vec2 uv;
flat in ivec3 patch_entry;       // the coarse triangle's runs of wrinkles: first, one past the last; its number
in float given_height;           // of layers that no shader evaluates, mesh units
in vec3 given_gradient;
#ifdef LIMITS
in vec3 limit;                   // of heights, as common/height_limit.glsl takes it
in mat3 limit_slopes;
#endif
#endif
