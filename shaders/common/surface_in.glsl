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
in vec3 flat_ws;                 // point on the flat coarse triangle, mesh units
in vec3 at_rest;                 // this point at rest, at which heights are evaluated
in vec3 normal_at_rest;          // normal of the cloth at rest, not unit
in mat3 carrier;                 // matrix for gradients, see CoarsePoint
in vec3 barycentric;             // on the coarse triangle; 0 for a triangle that is drawn flat
in vec3 position_ws;             // point on the drawn surface, mesh units
in vec3 normal_ws;               // normal of the smooth cloth without wrinkles, not unit
in vec2 uv;
flat in ivec3 patch_entry;       // runs and number of the coarse triangle, see CoarsePoint
in float given_height;           // height of layers without a shader, mesh units
in vec3 given_gradient;
#ifdef LIMITS
in vec3 limit;                   // mask and crowding, see common/height_limit.glsl
in mat3 limit_slopes;
#endif
#endif
