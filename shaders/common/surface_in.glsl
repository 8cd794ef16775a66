// What every fragment shader of the cloth reads.
in vec3 flat_ws;                 // on the flat coarse triangle, mesh units: where heights are evaluated
in vec3 position_ws;             // on the surface that is drawn, mesh units
in vec3 normal_ws;               // of the smooth cloth without wrinkles, not unit
in vec2 uv;
flat in ivec3 patch_entry;       // the coarse triangle's runs of wrinkles: first, one past the last; its number
in float given_height;           // of layers that no shader evaluates, mesh units
in vec3 given_gradient;
