// One-dimensional arrays as two-dimensional textures, read by index: OpenGL 4.1 lacks storage buffers.
//
// Texels of a row, powers of two, as `scene/tables.py` writes them. Tables that each frame uploads, in whole rows, have
// short ones.
const int TABLE_WIDTH = 1024, CLOTH_TABLE_WIDTH = 128;

ivec2 texel_position(int number) {
    return ivec2(number & (TABLE_WIDTH - 1), number / TABLE_WIDTH);
}
