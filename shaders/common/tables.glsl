// Stores one-dimensional arrays in two-dimensional textures, because OpenGL 4.1 does not have storage buffers.
//
// Number of texels per row, powers of two, as in `scene/tables.py`. Tables that are uploaded in each frame have short
// rows, because uploads have whole rows.
const int TABLE_WIDTH = 1024, CLOTH_TABLE_WIDTH = 128;

ivec2 texel_position(int number) {
    return ivec2(number & (TABLE_WIDTH - 1), number / TABLE_WIDTH);
}
