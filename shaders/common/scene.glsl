// The picture's camera, lights and switches: one uniform block, written once per picture.
//
// Directions are unit vectors; the suffix _ws means world space, the mesh's own space and unit. Colours are linear.
layout(std140) uniform Scene {
    mat4 clip_from_ws;
    mat4 shadow_from_ws; // to the key light's depth map: uv and depth from 0 to 1
    vec4 eye_ws;        // w: 1
    vec4 key_ws;        // toward the light; w: intensity
    vec4 fill_ws;
    vec4 rim_ws;
    vec4 up_ws;         // away from the ground; w: 0
    vec4 sky;           // ambient light from above and from below
    vec4 ground;
    float displacement; // factor of the wrinkles' heights in the geometry: 0 for figure 6.3 left
    float bump;         // factor of the wrinkles' slopes in the shading normal
    float height_top;   // mesh units: upper end of the height colours
    float faceted;      // 1: light the fine triangles with flat normals, figure 6.3's geometry alone
    float shadows;      // share of the key light that cast shadows remove; 0: without a depth map
    float inside_depth_bias; // mesh units, of the inside of the cloth
    vec2 picture_size;  // pixels of the finished picture
    float bulging;      // factor of the curved base's bulges: 0 in the view from the key light
};
