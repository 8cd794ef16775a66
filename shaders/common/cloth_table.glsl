// Table of one mesh in one frame. It is packed, because a frame uploads the whole table in one piece.
//
// The core writes it (ruckle::Surface::write_texels), in words of 32 bits, four to a texel, with T triangles and V
// vertices. Each part begins with a texel of its own:
//     0              first words of the edges, of the faces and of the records; unit of the bulges, mesh units
//     4              header of the drawn lines: see common/wrinkles.glsl
//     12 + 4 v       vertex v: position xyz, mesh units; unit normal
//     then           normals of corners at creases; carriers (matrices for gradients of drawn lines)
//     edges + 2 e    edge e: bulge of the curved base (cloth.tese) xyz, in units; number of parts
//     faces + f      triangle f: first word of its list, which ends at the first word of f + 1; entry T is the end. A list holds the
//                    runs of wrinkles. If the highest bit is set, corners have their own normals, and the list begins
//                    with the index of the first word of these normals
//     records + v    index of vertex v among the vertices with runs, to find its data at rest; see common/wrinkles.glsl
//     then           lists; parts of height sources: drawn lines, see common/wrinkles.glsl, or the vertices' data of patterns, see
//                    common/pattern.glsl
// Between two steps of the layers only the words before the edges change, if no edge has a bulge.
// Positions are floats. Other numbers take 16 bits, two to a word, the first of them in the lower half (numeric/packing.h).
#include "common/tables.glsl"

uniform usampler2D cloth_table;

const int VERTICES_TEXEL = 3;
const uint HAS_NORMALS = 1u << 31, NO_DIRECTION = 0x80008000u;

uvec4 cloth_words(int texel) {
    return texelFetch(cloth_table, ivec2(texel & (CLOTH_TABLE_WIDTH - 1), texel / CLOTH_TABLE_WIDTH), 0);
}

vec4 cloth_texel(int number) {
    return uintBitsToFloat(cloth_words(number));
}

uint cloth_word(int number) {
    return cloth_words(number >> 2)[number & 3];
}

// Returns two half-precision numbers. Decodes their bits, because OpenGL 4.1 does not have a function for this.
vec2 halves(uint word) {
    uvec2 each = uvec2(word & 0xffffu, word >> 16);
    // multiplies by 2^112, because the exponent bias is 15 in half precision and 127 in single precision
    return uintBitsToFloat((each & 0x8000u) << 16 | (each & 0x7fffu) << 13) * uintBitsToFloat(239u << 23);
}

// Returns two numbers in [-1, 1] from signed 16-bit integers.
vec2 shares(uint word) {
    return vec2(int(word << 16) >> 16, int(word) >> 16) / 32767.0;
}

// Returns a unit vector, or 0, from octahedral coordinates (Meyer et al. 2010).
vec3 unit_direction(uint word) {
    if (word == NO_DIRECTION) {
        return vec3(0.0);
    }
    vec2 place = shares(word);
    vec3 along = vec3(place, 1.0 - abs(place.x) - abs(place.y));
    if (along.z < 0.0) {
        along.xy = (1.0 - abs(place.yx)) * vec2(place.x < 0.0 ? -1.0 : 1.0, place.y < 0.0 ? -1.0 : 1.0);
    }
    return normalize(along);
}

struct ClothVertex {
    vec3 position;  // mesh units
    vec3 normal;    // unit vertex normal
};

ClothVertex cloth_vertex(int vertex) {
    uvec4 words = cloth_words(VERTICES_TEXEL + vertex);
    return ClothVertex(uintBitsToFloat(words.xyz), unit_direction(words.w));
}

// Returns the normal for lighting at a corner. Triangles on both sides of a crease have different normals.
vec3 corner_normal(int face, int corner, vec3 vertex_normal) {
    uint own = cloth_word(int(cloth_word(1)) + face);
    if ((own & HAS_NORMALS) == 0u) {
        return vertex_normal;
    }
    return unit_direction(cloth_word(int(cloth_word(int(own & ~HAS_NORMALS))) + corner));
}

// Returns the bulge of an edge xyz, mesh units, and its number of parts.
vec4 cloth_edge(int edge) {
    uvec4 first = cloth_words(0);
    int number = int(first.x) + 2 * edge;
    uvec4 both = cloth_words(number >> 2);
    uvec2 own = (number & 2) == 0 ? both.xy : both.zw;
    return vec4(uintBitsToFloat(first.w) * vec3(shares(own.x), shares(own.y).x), float(own.y >> 16));
}

// Returns the first word of the triangle's runs of wrinkle samples, the word after the last run, and the triangle
// number.
ivec3 cloth_entry(int face) {
    int number = int(cloth_word(1)) + face;
    uint own = cloth_word(number), next = cloth_word(number + 1);
    return ivec3((own & ~HAS_NORMALS) + (own >> 31), next & ~HAS_NORMALS, face);
}
