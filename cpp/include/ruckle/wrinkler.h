// wrinkler: the one stateful object. Feed it the frames of an animation, one step each.
//
// Guarantees: step allocates nothing after the first one and never throws; a refused frame leaves the state as it was;
// the same frames give the same bits on any thread count and instruction set.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ruckle/label.h"
#include "ruckle/mesh.h"
#include "ruckle/reference.h"
#include "ruckle/stretch.h"
#include "ruckle/types.h"

namespace ruckle {

struct WrinklerOptions {
    float sigma = 0.05f;       // > 0, see LabelCostOptions
    float alpha = 9.0f;        // >= 0
    float beta = 90.0f;        // >= 0
    LabelOptions label{};      // pairwise costs and method
    float relaxation = 0.05f;  // per 1/30 s, in [0, 1], see ReferenceOptions
    int threads = 1;           // >= 1; more than one helps from some ten thousand triangles
};

enum class StepStatus {
    done,
    wrong_vertex_count,
    not_finite,  // a position is NaN or infinite
    wrong_time,  // dt is not a positive finite number
};

// Milliseconds that each stage of the last step took, in pipeline order.
struct StageTimings {
    double stretch = 0.0;
    double label = 0.0;
    double reference = 0.0;
    double total = 0.0;
};

struct FrameStats {
    std::array<int, label_count> label_counts{};  // triangles per label
    int label_changes = 0;                        // triangles whose label differs from the previous frame's
    int degenerate_count = 0;                     // collapsed triangles, which have no deformation
};

class Wrinkler {
  public:
    // Throws MeshError or std::invalid_argument, in one sentence, for faces or options that cannot be used.
    Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options = {});
    ~Wrinkler();
    Wrinkler(Wrinkler&&) noexcept;
    Wrinkler& operator=(Wrinkler&&) noexcept;

    // positions  (V) mesh units
    // dt         seconds since the previous frame, > 0; means nothing on the first one
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time);

    // Forgets every frame: the next step is the first.
    void reset();

    const Topology& topology() const;
    const WrinklerOptions& options() const;
    int frame_count() const;  // steps done since the start or the last reset

    // Results of the last step; valid until the next one.
    std::span<const std::uint8_t> labels() const;  // (T)
    std::span<const Matrix2> current() const;      // (T) edge matrices of the frame
    std::span<const Matrix2> reference() const;    // (T) edge matrices of the reference triangles
    StretchSpans motion() const;                   // stretch from the previous frame, which the labels saw; no min, no axis
    StretchSpans field() const;                    // stretch from the reference: the wrinkling field
    const StageTimings& timings() const;
    const FrameStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
