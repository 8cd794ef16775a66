// What the kernels of modulation read and write: plain memory, because they must not share inline code (numeric/lanes.h).
//
// Per triangle a row of eight, which vertices gather at once: (wanted, offered, flat, 0), then the patterns' weights times the
// triangle's area at rest. Per vertex rows of four factors, one per pattern, 0 beyond the last.
#pragma once

#include <stdint.h>

namespace ruckle {

struct FoldNumbers {
    float sharpness;
    float least_square[4];  // per pattern: mean squared slope at which it counts as half present
};

struct TargetNumbers {
    float square_slope;  // rest_slope²
    float square_share;  // (1 - slack)²
    bool conserve_length;
};

// Null pointers leave a result out, or say that an input is to be computed.
struct ModulatedTriangles {
    int pattern_count;
    int64_t face_count;
    const float* rest;     // (T, 3)
    const float* current;  // (T, 3)
    const float* moments;  // (pairs, 3, T)
    const float* areas;    // (T) twice the area at rest, by which weights count at vertices; mesh units²
    const float* bend;     // (2)
    FoldNumbers fold;
    TargetNumbers target;
    const float* given_weights;  // (K, T)
    const float* given_target;   // (T)
    const float* given_excess;   // (T) z, in place of the closed form
    const float* remaining;      // (T) flat area over the area to which other layers raise it
    float* weights;              // (K, T)
    float* targets;              // (T)
    float* demands;              // (T, 8)
    float* energies;             // (pairs, T): q of each pair over the flat area
};

// Umbrellas of the vertices, and what is found at them.
struct ModulatedVertices {
    const int32_t* offsets;  // (V + 1)
    const int32_t* faces;
    const float* demands;  // (T, 8)
    const float* largest;  // (V, 4) factors not to be exceeded where a pattern has its full weight
    float* weights;        // (V, 4) weights of the patterns
    float* goals;          // (V) excess wanted
    float* leasts;         // (V) what flat cloth offers
    float* factors;        // (V, 4)
};

// Factors on their way to those wanted.
struct FollowedVertices {
    const float* wanted;   // (V, 4)
    const float* weights;  // (V, 4)
    const float* largest;  // (V, 4)
    const float* highest;  // (V, 4) largest height of each pattern around the vertex; mesh units
    const float* paint;    // (V)
    float scale, bias;     // of the wanted factors
    float share;           // of the way to go
    float most_rise;       // mesh units: largest change of height
    float* factors;        // (V, 4) changed
    uint8_t* limited;      // (V) 1 where a factor is as large as it may be
    uint8_t* hurried;      // (V) 1 where the change was too fast
};

}  // namespace ruckle
