// Converts the samples of drawn lines with height > 0 to curve points (path_heights.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paths/carrier_kernel.h"
#include "paths/line_columns.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/paths/path_heights.h"

namespace ruckle {

struct LinePlaces;

// The cloth under the lines.
struct LineCloth {
    const Topology& topology;
    std::span<const Vector3> rest, normals;    // (V) rest positions; normals at rest: unit, or zero
    std::span<const RestingTriangle> resting;  // (T) triangles at rest
    std::span<const Vector3> positions;        // (V) current positions
};

class DrawnPoints {
  public:
    void clear();

    // Appends a curve point for each sample of the line that has a height above 0. Skips samples with a half width of
    // at most 1e-18.
    //
    // number       index of the wrinkle in the list of wrinkles; stored in each point
    // edge_length  length of fine edges (PathHeights::update), mesh units, > 0; weights are divided by its square
    // steepest     (V) updated: maximum over the samples of b h / r, with the barycentric coordinate b of the vertex,
    //              the height h and the half width r of the sample
    void append(const LineCloth& cloth, std::span<const CurveSample> line, int number, float edge_length,
                std::span<float> steepest);

    std::size_t size() const { return points.size(); }

    std::vector<CurvePoint> points;
    // coarse face that contains each point
    std::vector<std::int32_t> faces;
    std::vector<float> lengths;          // length of the line at rest that each point represents, mesh units
    std::vector<float> half_widths_now;  // current half width of each point, mesh units

  private:
    void gather(const LineCloth& cloth, std::span<const CurveSample> line, int first, int count);
    void append_inner(const CurveSample& own, int row, float number);
    void append_exact(const LinePlaces& places, int i, float number, float edge_square);

    std::unique_ptr<LineColumns> columns_ = std::make_unique<LineColumns>();
};

}  // namespace ruckle
