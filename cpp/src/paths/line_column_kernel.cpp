// Computes positions, normals and central differences along a drawn line, in plain loops that the compiler vectorises.
#include <math.h>

#include "constants.h"
#include "paths/line_columns.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Returns the length of a vector, in the summation order of Eigen's Vector3.
inline float norm(float x, float y, float z) {
    return sqrtf(x * x + (y * y + z * z));
}
// Returns the distance between two rows.
inline float apart(const LineColumns::Column (&at)[3], int i, int j) {
    return norm(at[0][j] - at[0][i], at[1][j] - at[1][i], at[2][j] - at[2][i]);
}
inline float smaller(float a, float b) {
    return b < a ? b : a;
}

// Interpolates values at the corners with the barycentric coordinates of the samples, in the rows [0, end).
void interpolate(const LineColumns::Column (&corners)[9], const LineColumns::Column (&weights)[3], int end,
                 LineColumns::Column (&result)[3]) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < end; ++i) {
            result[k][i] = corners[k][i] * weights[0][i] + corners[3 + k][i] * weights[1][i] + corners[6 + k][i] * weights[2][i];
        }
    }
}

// Computes the current half widths, w = w_rest det F / |F t|, with F the deformation from rest and t along the line.
// The factor is clamped to a fixed range; it is 1 if it is not finite.
void measure_widths(LineColumns& line, int end) {
    constexpr float least = 1.0f / most_rest_widening, most = 1.0f / least_rest_widening;
    const auto& c = line.corners;
    for (int i = 1; i <= end; ++i) {
        const float ux = c[3][i] - c[0][i], uy = c[4][i] - c[1][i], uz = c[5][i] - c[2][i];
        const float vx = c[6][i] - c[0][i], vy = c[7][i] - c[1][i], vz = c[8][i] - c[2][i];
        const float area = norm(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
        const float narrowing = area * (2.0f * line.length[i]) / (line.resting_area[i] * apart(line.now, i - 1, i + 1));
        const float bounded = narrowing < least ? least : most < narrowing ? most : narrowing;
        // narrowing is infinite or NaN if the face has collapsed at rest, or if both neighbours are now at one point
        const bool is_finite = fabsf(narrowing) <= 3.402823466e38f;
        line.half_width_now[i] = line.half_width[i] * (is_finite ? bounded : 1.0f);
    }
}

void measure_line(LineColumns& line, int count, float edge_square) {
    const int end = (count + 7) / 8 * 8, all = (count + 9) / 8 * 8;
    interpolate(line.resting_corners, line.weights, all, line.rest);
    interpolate(line.corners, line.weights, all, line.now);
    interpolate(line.resting_normals, line.weights, all, line.normal);
    for (int i = 1; i <= end; ++i) {
        const float height = line.height[i], half = line.half_width[i], opaque = opaque_share * height;
        line.inner[i] = (line.height[i - 1] >= opaque) & (line.height[i + 1] >= opaque) & (height > 0.0f) & (half > 0.0f);
    }
    for (int i = 1; i <= end; ++i) {
        const float height = line.height[i], half = line.half_width[i];
        const float length = apart(line.rest, i - 1, i + 1);
        const float part = smaller(apart(line.rest, i, i - 1), half) + smaller(apart(line.rest, i, i + 1), half);
        const float tip = tip_share * half, span = length < tip ? tip : length, reach = averaging_reach * half;
        for (int k = 0; k < 3; ++k) {
            line.direction[k][i] = (line.rest[k][i + 1] - line.rest[k][i - 1]) / span;
        }
        line.weight[i] = height * 0.5f * part / edge_square;
        line.slope[i] = (line.height[i + 1] - line.height[i - 1]) / span;
        line.length[i] = 0.5f * length;
        line.inverse_reach_square[i] = 1.0f / (reach * reach);
    }
    measure_widths(line, end);
}

constexpr LineColumnKernels kernels = {.measure_line = measure_line};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::LineColumnKernels ruckle::LineColumnKernels::RUCKLE_INSTRUCTION_SET =
    ruckle::RUCKLE_INSTRUCTION_SET::kernels;
