// One mesh in one frame: a one-dimensional array as a two-dimensional texture, read by number. OpenGL 4.1 has no storage
// buffers, and one upload is faster than several.
//
// The core writes it (ruckle::Surface::write_texels), with T triangles and V vertices, lengths in mesh units:
//     7 f + k, k < 3   side k of triangle f, from corner k to k + 1: bulge of the curved base xyz, level
//     7 f + 3          the runs that reach triangle f: number of the first, one past the last; f; level inside
//     7 f + 4 + k      corner k of triangle f: unit normal to light by xyz; first texel of its vertex at rest, 0 where no run is
//     7 T + 2 v        vertex v: position xyz, 0
//     7 T + 2 v + 1    its unit normal xyz, 0
//     then             of each height source: samples of lines, see common/wrinkles.glsl; vertices at rest: position xyz, 0; three
//                      rows of the matrix that carries gradients from rest to now, each with a component of the unit normal at rest; runs; or what vertices tell of
//                      patterns, see common/pattern.glsl
// A row of a table holds TABLE_WIDTH texels, a power of two; `view/tables.py` writes them with the same width.
uniform sampler2D cloth_table;

const int TABLE_WIDTH = 1024;
const int FACE_TEXELS = 7, LIST_TEXEL = 3, CORNER_TEXELS = 4;

ivec2 texel_position(int number) {
    return ivec2(number & (TABLE_WIDTH - 1), number / TABLE_WIDTH);
}

vec4 cloth_texel(int number) {
    return texelFetch(cloth_table, texel_position(number), 0);
}
