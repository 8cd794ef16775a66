// wrinkler: the one stateful object. Feed it the frames of an animation, one step each.
//
// One step: stretch, label, reference, then wrinkles: existing ones first follow the cloth and change their lengths, new
// ones are seeded where none is near, and all get their widths and heights, which the lines that are drawn approach.
//
// What a step needs from its beginning to its end belongs to the thread that steps, and serves all wrinklers that it steps; what a
// wrinkler keeps is small: 160 KB for a shirt of 734 triangles with 33 wrinkles, beside the topology that a crowd shares.
//
// Guarantees: step allocates nothing after the first one of the wrinkler, and of the thread with a mesh of this size, and never
// throws; a refused frame leaves the state as it was; the same frames give the same bits on any thread count and instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/field/label.h"
#include "ruckle/field/reference.h"
#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/paths/curve.h"
#include "ruckle/paths/parameters.h"
#include "ruckle/paths/path.h"
#include "ruckle/paths/persist.h"
#include "ruckle/paths/shape.h"
#include "ruckle/paths/trace.h"
#include "ruckle/types.h"

namespace ruckle {

// Throws std::invalid_argument, in one sentence, for options that cannot be used.
void require_sound(const WrinklerOptions& options);

// Fills in the options that are not set. Lengths need r_min, or the first frame; without either they stay unset.
//
// first_frame  (V) positions, mesh units, finite; r_min is 0 if they all have the same position
WrinklerOptions resolved(WrinklerOptions options, std::span<const Vector3> first_frame = {});

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
    std::span<const float> heights;       // (n) mesh units: where the path is now, and what is drawn will be
    std::span<const CurveSample> curve;   // (m) what is drawn
};

class Wrinkler {
  public:
    // Throws MeshError or std::invalid_argument, in one sentence, for faces or options that cannot be used.
    Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options = {});
    // The same for one of a crowd: wrinklers that are given the same topology share it, and are made in a fraction of the time.
    explicit Wrinkler(std::shared_ptr<const Topology> topology, const WrinklerOptions& options = {});
    ~Wrinkler();
    Wrinkler(Wrinkler&&) noexcept;
    Wrinkler& operator=(Wrinkler&&) noexcept;

    // positions  (V) mesh units; copied first: another thread that writes them meanwhile may spoil the frame, and nothing else
    // dt         seconds since the previous frame, in (0, 1e6]; means nothing on the first one
    // remaining  (T) in (0, 1]: what other layers leave of each triangle, flat area over raised area; or empty
    // labels     (T) below label_count, in place of those that the costs give; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, std::span<const float> remaining = {},
                    std::span<const std::uint8_t> labels = {});

    // Begins from a pose in which the cloth lies as it was made, such as a bind pose: what the first frame has lost of it is
    // compressed, its wrinkles stand full-grown, and drawn lines are measured there. Without one, or with an empty one, cloth begins
    // uncompressed in its first frame. Forgets every frame; reset keeps it, and a state does not hold it.
    //
    // positions  (V) mesh units, or empty
    StepStatus set_rest(std::span<const Vector3> positions);

    // Forgets every frame: the next step is the first.
    void reset();

    // The state as bytes, which a Wrinkler of the same mesh and options restores to go on with the same bits: after other frames,
    // in another process, on any number of threads. It holds what the next step starts from and the results of the last one; not
    // the mesh, the options, the times. The same frames give the same bytes.
    std::vector<std::byte> state() const;
    // The same without allocating, for games that go back: state_size() bytes, which change from frame to frame.
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    // Throws StateError, in one sentence, for bytes that are no state, are cut or changed, or belong to another version, mesh or
    // set of options; then the Wrinkler is as it was. Allocates what a first step would.
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    const std::shared_ptr<const Topology>& shared_topology() const;  // for further wrinklers of the same mesh
    // As given, with what was not set filled in: lengths that need the first frame from then on.
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
    std::span<const Vector3> rest()
        const;  // (V) positions in which drawn lines are measured: the rest pose, or the first frame; or empty
    const StageTimings& timings() const;
    const FrameStats& stats() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ruckle
