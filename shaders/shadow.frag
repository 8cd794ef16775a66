// Draws only depths, for the view from the key light. Gaps in a texture, such as those between hairs, have no shadow.
#ifdef COLORS
uniform sampler2DArray pictures;
in vec2 uv;
in vec4 face_color;              // linear colour; number of the picture

void main() {
    if (texture(pictures, vec3(uv, round(face_color.w))).a < 0.5) {
        discard;
    }
}
#else
void main() {}
#endif
