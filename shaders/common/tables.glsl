// One-dimensional arrays as two-dimensional textures, read by number: OpenGL 4.1 has no storage buffers.
//
// A row of a table holds TABLE_WIDTH texels, a power of two; `view/tables.py` writes them with the same width.
const int TABLE_WIDTH = 1024;

ivec2 texel_place(int number) {
    return ivec2(number & (TABLE_WIDTH - 1), number / TABLE_WIDTH);
}
