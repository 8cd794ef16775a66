// Replaces shaders/common/scene.glsl and its uniform block: camera and lights from Panda's shader inputs. World space (ws) is the
// space of the garment's node. The lights are fixed relative to the camera.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ModelViewMatrixInverse;
uniform vec4 key;   // xyz direction toward the light in camera space, w intensity
uniform vec4 fill;
uniform vec4 rim;
uniform vec4 world_up;

#define clip_from_ws p3d_ModelViewProjectionMatrix
#define eye_ws (p3d_ModelViewMatrixInverse * vec4(0.0, 0.0, 0.0, 1.0))
#define key_ws light_in_space(key)
#define fill_ws light_in_space(fill)
#define rim_ws light_in_space(rim)
#define up_ws world_up

vec4 light_in_space(vec4 light) {
    return vec4(normalize(mat3(p3d_ModelViewMatrixInverse) * light.xyz), light.w);
}

const vec4 sky = vec4(0.112805, 0.139985, 0.204902, 0.0), ground = vec4(0.063724, 0.050876, 0.043234, 0.0);
const float displacement = 1.0, bump = 1.0, faceted = 0.0, bulging = 1.0, inside_depth_bias = 0.0;
