// Camera, lights and switches of a picture: one uniform block, written once per picture.
//
// Directions are unit vectors. The suffix _ws means world space, which is the space and unit of the mesh. Colours are
// linear.
layout(std140) uniform Scene {
    mat4 clip_from_ws;
    mat4 shadow_from_ws; // converts to the key light's depth map: uv and depth in [0, 1]
    vec4 eye_ws;        // position of the eye; w: 1
    vec4 key_ws;        // direction to the light; w: intensity
    vec4 fill_ws;
    vec4 rim_ws;
    vec4 up_ws;         // direction away from the ground; w: 0
    vec4 sky;           // ambient light from above
    vec4 ground;        // ambient light from below
    float displacement; // factor of heights in the geometry: 0 for figure 6.3 left
    float bump;         // factor of height gradients in the shading normal
    float height_top;   // mesh units, height at the upper end of the colour scale
    float faceted;      // 1: lights the fine triangles with flat normals, as in figure 6.3 (geometry only)
    float shadows;      // share of the key light that is removed in cast shadows; 0 without a depth map
    float inside_depth_bias; // mesh units, for the inside of the cloth
    vec2 picture_size;  // pixels of the finished picture
    float bulging;      // factor of the bulges of curved triangles (cloth.tese): 0 in the view from the key light
};
