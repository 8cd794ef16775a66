// Converts samples of drawn lines to curve points; see line_points.h. Most points are computed by the kernel
// (line_columns.h); this file computes points next to low samples and at the ends of a line.
#include "paths/line_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "constants.h"
#include "numeric/dispatch.h"

namespace ruckle {

namespace {

// Largest half width that is ignored, mesh units. The squares of such half widths would underflow.
constexpr float least_half_width = 1e-18f;

// Returns the position of a sample on the cloth with these vertex positions.
Vector3 point_in(const LineCloth& cloth, std::span<const Vector3> positions, const CurveSample& sample) {
    const Face& corners = cloth.topology.faces[sample.face];
    return positions[corners[0]] * sample.weights[0] + positions[corners[1]] * sample.weights[1] +
           positions[corners[2]] * sample.weights[2];
}

Vector3 row_of(const LineColumns::Column (&columns)[3], int row) {
    return {columns[0][row], columns[1][row], columns[2][row]};
}

// Returns twice the current area of a face.
float twice_area(const LineCloth& cloth, std::int32_t face) {
    const Face& corners = cloth.topology.faces[face];
    const Vector3& origin = cloth.positions[corners[0]];
    return (cloth.positions[corners[1]] - origin).cross(cloth.positions[corners[2]] - origin).norm();
}

}  // namespace

// Positions of the samples of a line. Positions in the current part of a long line, and of one sample on each side of
// it, are read from the columns. Others are computed from the mesh.
struct LinePlaces {
    const LineCloth& cloth;
    std::span<const CurveSample> line;
    const LineColumns& columns;
    int first, count;  // the samples [first, first + count) are in the rows 1 to count of the columns

    bool has_row(int i) const { return i >= first - 1 && i <= first + count; }
    Vector3 rest(int i) const {
        return has_row(i) ? row_of(columns.rest, i - first + 1) : point_in(cloth, cloth.rest, line[static_cast<std::size_t>(i)]);
    }
    Vector3 now(int i) const {
        return has_row(i) ? row_of(columns.now, i - first + 1)
                          : point_in(cloth, cloth.positions, line[static_cast<std::size_t>(i)]);
    }
};

namespace {

// Weighted mean of the neighbours of a sample on one side.
struct Neighbor {
    Vector3 rest, now;
    float height;
    // mean distance of the neighbours from the sample at rest; each distance is limited to the sample's half width
    float apart;
};

// Returns the weighted mean of the neighbours before (step = -1) or after (step = 1) sample i. Samples of height 0 have
// weight 0, so that directions do not change if such a sample appears or disappears. If the weights of the neighbours
// do not sum to 1, sample i itself gets the rest.
Neighbor neighbor_of(const LinePlaces& places, int i, int step) {
    const std::span<const CurveSample> line = places.line;
    const CurveSample& own = line[static_cast<std::size_t>(i)];
    const Vector3 center = places.rest(i);
    Neighbor sum{Vector3::Zero(), Vector3::Zero(), 0.0f, 0.0f};
    const float opaque_height = opaque_share * own.height;
    float covered = 0.0f;
    const auto add = [&](int number, float share) {
        const CurveSample& other = line[static_cast<std::size_t>(number)];
        const Vector3 rest = places.rest(number);
        sum.rest += share * rest;
        sum.now += share * places.now(number);
        sum.height += share * other.height;
        // a sample represents the line only up to the distance of its half width
        sum.apart += share * std::min((rest - center).norm(), own.half_width);
    };
    for (int next = i + step; next >= 0 && next < static_cast<int>(line.size()) && covered < 1.0f; next += step) {
        const float height = line[static_cast<std::size_t>(next)].height;
        const float cover = height < opaque_height ? height / opaque_height : 1.0f;
        // a sample adds weight only if it is higher than all samples between it and sample i, so that several low
        // samples have the weight of one
        if (cover > covered) {
            add(next, cover - covered);
            covered = cover;
        }
    }
    if (covered < 1.0f) {
        sum.apart += (1.0f - covered) * tip_share * own.half_width;
        add(i, 1.0f - covered);
    }
    return sum;
}

}  // namespace

void DrawnPoints::clear() {
    points.clear();
    faces.clear();
    lengths.clear();
    half_widths_now.clear();
}

// Fills the columns with the samples [first, first + count) and with one more sample on each side. A sample that does
// not exist gets height -1.
void DrawnPoints::gather(const LineCloth& cloth, std::span<const CurveSample> line, int first, int count) {
    LineColumns& c = *columns_;
    for (int row = 0; row <= count + 1; ++row) {
        const int i = first + row - 1;
        if (i < 0 || i >= static_cast<int>(line.size())) {
            c.height[row] = -1.0f;
            continue;
        }
        const CurveSample& sample = line[static_cast<std::size_t>(i)];
        const Face& corners = cloth.topology.faces[sample.face];
        for (int j = 0; j < 3; ++j) {
            const auto vertex = static_cast<std::size_t>(corners[j]);
            for (int k = 0; k < 3; ++k) {
                c.corners[3 * j + k][row] = cloth.positions[vertex][k];
                c.resting_corners[3 * j + k][row] = cloth.rest[vertex][k];
                c.resting_normals[3 * j + k][row] = cloth.normals[vertex][k];
            }
            c.weights[j][row] = sample.weights[j];
        }
        c.height[row] = sample.height;
        c.half_width[row] = sample.half_width;
        c.resting_area[row] = cloth.resting[static_cast<std::size_t>(sample.face)].area;
    }
}

// Appends the curve point of a sample from the results in its row.
void DrawnPoints::append_inner(const CurveSample& own, int row, float number) {
    const LineColumns& c = *columns_;
    points.push_back({.position = row_of(c.rest, row),
                      .inverse_reach_square = c.inverse_reach_square[row],
                      .direction = row_of(c.direction, row),
                      .weight = c.weight[row],
                      .half_width = own.half_width,
                      .height = own.height,
                      .slope = c.slope[row],
                      .wrinkle = number,
                      .normal = row_of(c.normal, row),
                      .unused = 0.0f});
    lengths.push_back(c.length[row]);
    half_widths_now.push_back(c.half_width_now[row]);
}

// Appends the curve point of a sample that is next to a low sample or at an end of the line.
void DrawnPoints::append_exact(const LinePlaces& places, int i, float number, float edge_square) {
    const LineCloth& cloth = places.cloth;
    const CurveSample& own = places.line[static_cast<std::size_t>(i)];
    // central differences; one-sided differences at the ends of the line
    const Neighbor before = neighbor_of(places, i, -1), after = neighbor_of(places, i, 1);
    const Vector3 along = after.rest - before.rest, along_now = after.now - before.now;
    const float length = along.norm(), reach_radius = averaging_reach * own.half_width;
    // divide by at least tip_share half widths: the direction between nearly coincident samples is noise, and it would
    // jump if a sample is removed
    const float span = std::max(length, tip_share * own.half_width);
    points.push_back({.position = places.rest(i),
                      .inverse_reach_square = 1.0f / (reach_radius * reach_radius),
                      .direction = along / span,
                      // the length factor makes means over the line independent of the density of samples
                      .weight = own.height * 0.5f * (before.apart + after.apart) / edge_square,
                      .half_width = own.half_width,
                      .height = own.height,
                      .slope = (after.height - before.height) / span,
                      .wrinkle = number,
                      .normal = row_of(columns_->normal, i - places.first + 1),
                      .unused = 0.0f});
    lengths.push_back(0.5f * length);
    // current width from the width at rest: w = w_rest det F / |F t|
    const float narrowing =
        twice_area(cloth, own.face) * length / (cloth.resting[static_cast<std::size_t>(own.face)].area * along_now.norm());
    half_widths_now.push_back(own.half_width * (std::isfinite(narrowing)
                                                    ? std::clamp(narrowing, 1.0f / most_rest_widening, 1.0f / least_rest_widening)
                                                    : 1.0f));
}

void DrawnPoints::append(const LineCloth& cloth, std::span<const CurveSample> line, int number, float edge_length,
                         std::span<float> steepest) {
    const int count = static_cast<int>(line.size());
    const float edge_square = edge_length * edge_length;
    for (int first = 0; first < count; first += LineColumns::most_samples) {
        const int end = std::min(count, first + LineColumns::most_samples);
        gather(cloth, line, first, end - first);
        kernels<LineColumnKernels>().measure_line(*columns_, end - first, edge_square);
        const LinePlaces places{cloth, line, *columns_, first, end - first};
        for (int i = first; i < end; ++i) {
            const CurveSample& own = line[static_cast<std::size_t>(i)];
            if (!(own.height > 0.0f && own.half_width > least_half_width)) {
                continue;
            }
            const int row = i - first + 1;
            if (columns_->inner[row] != 0) {
                append_inner(own, row, static_cast<float>(number));
            } else {
                append_exact(places, i, static_cast<float>(number), edge_square);
            }
            faces.push_back(own.face);
            for (int k = 0; k < 3; ++k) {
                float& most = steepest[static_cast<std::size_t>(cloth.topology.faces[own.face][k])];
                most = std::max(most, own.weights[k] * own.height / own.half_width);
            }
        }
    }
}

}  // namespace ruckle
