// wrinkler: the one stateful object. Feed it the frames of an animation, one step each.
//
// One step: stretch, label, reference, then wrinkles: existing ones first follow the cloth and change their lengths, new
// ones are seeded where none is near, and all get their widths and heights.
//
// Guarantees: step allocates nothing after the first one and never throws; a refused frame leaves the state as it was;
// the same frames give the same bits on any thread count and instruction set.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ruckle/field/label.h"
#include "ruckle/field/reference.h"
#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/paths/path.h"
#include "ruckle/paths/persist.h"
#include "ruckle/paths/shape.h"
#include "ruckle/paths/trace.h"
#include "ruckle/types.h"

namespace ruckle {

struct WrinklerOptions {
    float sigma = 0.05f;          // > 0, see LabelCostOptions
    float alpha = 9.0f;           // >= 0
    float beta = 90.0f;           // >= 0
    LabelOptions label{};         // pairwise costs and method
    float relaxation = 0.05f;     // per 1/30 s, in [0, 1], see ReferenceOptions
    float r_min = 0.0f;           // mesh units, >= 0: least radius of a wrinkle; 0 for no wrinkles, stretch and labels only
    float tau = 1.4f;             // > 1: compression above which wrinkles form
    float grow_tau = 0.0f;        // in (1, tau]: compression above which they go on; 0 for tau
    std::uint64_t seed = 0;       // of the random points where wrinkles begin
    float least_length = 0.0f;    // mesh units, >= 0: shorter wrinkles are not born
    float path_alpha = 0.4f;      // per 1/30 s, >= 0: how much paths follow the field, see PersistOptions
    float straightness = 1.5f;    // per 1/30 s, >= 0: how much paths straighten, see PersistOptions
    float length_change = 0.15f;  // per 1/30 s, >= 0: largest change of a wrinkle's length
    float aspect = 3.0f;          // >= 0: length in widths from which a wrinkle has its full size
    float fade_in = 0.4f;         // s, >= 0
    float fade_out = 0.4f;        // s, >= 0
    bool coherent = true;         // false: trace anew in every frame, without fading (the thesis's figure 5.2)
    int threads = 1;              // >= 1; more than one helps from some ten thousand triangles
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
    double persist = 0.0;
    double trace = 0.0;
    double shape = 0.0;
    double total = 0.0;
};

struct FrameStats {
    std::array<int, label_count> label_counts{};  // triangles per label
    int label_changes = 0;                        // triangles whose label differs from the previous frame's
    int degenerate_count = 0;                     // collapsed triangles, which have no deformation

    int wrinkle_count = 0;  // alive after the step, those that fade included
    int fading_count = 0;   // wrinkles that have lost their compression
    int died = 0;           // wrinkles removed, faded to nothing
    TraceStats trace;
    PersistStats persist;
};

// One wrinkle of the last step. Views are valid until the next one.
struct Wrinkle {
    std::int64_t id;  // counts from 0 in order of birth
    float age;        // s
    bool fading;      // has lost its compression
    WrinkleSize size;
    float width;                          // 2r in the middle, mesh units
    float perimeter;                      // P, mesh units
    float full_width;                     // 2r without the aspect rule
    std::array<float, 2> cuts;            // shares of the first and last segment beyond the wrinkle's ends
    std::array<float, 2> extent;          // its ends as length along the polyline
    std::span<const std::int32_t> edges;  // (n)
    std::span<const float> t;             // (n)
    std::span<const std::int32_t> faces;  // (n - 1) triangle of each segment
    std::span<const Vector3> points;      // (n) mesh units
    std::span<const float> widths;        // (n) mesh units
    std::span<const float> heights;       // (n) mesh units
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
    int wrinkle_count() const;
    Wrinkle wrinkle(int i) const;  // in order of birth
    const PathPool& paths() const;
    const StageTimings& timings() const;
    const FrameStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
