// wrinkler: the stateful object of wrinkle paths. Call step once per frame of an animation.
//
// A step runs stretch, label and reference. Then existing wrinkles follow the cloth and change their lengths, new ones are seeded
// in uncovered cloth, and all get widths and heights. The drawn lines approach these.
//
// Scratch memory belongs to the thread and serves all wrinklers that it steps. A wrinkler itself is small: 160 KB for a shirt of
// 734 triangles with 33 wrinkles, plus the topology, which a crowd shares.
//
// Guarantees: step never throws. It allocates nothing after the first step of the wrinkler, and of the thread with a mesh of this
// size. A refused frame does not change the state. The same frames give the same bits for any thread count and instruction set.
//
// Example:
//     ruckle::Wrinkler wrinkler(faces, vertex_count);
//     for (const auto& positions : frames) {
//         wrinkler.step(positions, 1.0f / 60.0f);
//         for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
//             draw(wrinkler.wrinkle(i).points);
//         }
//     }
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

// Throws std::invalid_argument with one sentence if an option is invalid.
void require_sound(const WrinklerOptions& options);

// Fills in the options that are not set. Lengths need r_min, or the first frame; without either they remain unset.
//
// first_frame  (V) positions, mesh units, finite; r_min is 0 if they all have the same position
WrinklerOptions resolved(WrinklerOptions options, std::span<const Vector3> first_frame = {});

struct FrameStats {
    std::array<int, label_count> label_counts{};  // triangles per label
    int label_changes = 0;                        // triangles whose label differs from the previous frame's
    int degenerate_count = 0;                     // collapsed triangles, treated as undeformed

    int wrinkle_count = 0;  // alive after the step, including fading ones
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
    std::span<const float> heights;       // (n) mesh units: heights on the path, which the drawn line approaches
    std::span<const CurveSample> curve;   // (m) the drawn line
};

class Wrinkler {
  public:
    // Throws MeshError or std::invalid_argument with one sentence if faces or options are invalid.
    Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options = {});
    // The same for a crowd: wrinklers of the same topology share it and take a fraction of the time to construct.
    explicit Wrinkler(std::shared_ptr<const Topology> topology, const WrinklerOptions& options = {});
    ~Wrinkler();
    Wrinkler(Wrinkler&&) noexcept;
    Wrinkler& operator=(Wrinkler&&) noexcept;

    // positions  (V) mesh units; copied first, so that a concurrent write can spoil this frame only
    // dt         seconds since the previous frame, in (0, 1e6]; ignored on the first frame
    // remaining  (T) in (0, 1]: flat area over raised area of each triangle after other layers; or empty
    // labels     (T) below label_count, instead of computed labels; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, std::span<const float> remaining = {},
                    std::span<const std::uint8_t> labels = {});

    // Starts from an undeformed pose, such as a bind pose. Length that the first frame has lost counts as compression, its
    // wrinkles start full-grown, and drawn lines are measured in this pose. Without such a pose, or with an empty one, the first
    // frame counts as uncompressed. Forgets all frames. reset keeps the pose; a saved state does not contain it.
    //
    // positions  (V) mesh units, or empty
    StepStatus set_rest(std::span<const Vector3> positions);

    // Changes the options between two steps; wrinkles and drawn lines approach the new ones as fast as they follow the cloth. An
    // r_min that is not set keeps its value. Throws std::invalid_argument for invalid options, for another number of threads, and
    // for an r_min that switches paths on or off; the Wrinkler then remains unchanged. Allocates if r_min or seed change. States
    // belong to the new options from here on.
    void set_options(const WrinklerOptions& options);

    // Forgets every frame: the next step is the first.
    void reset();

    // The state as bytes. A Wrinkler of the same mesh and options restores it and continues with the same bits: after other
    // frames, in another process, on any number of threads. It contains the input of the next step and the results of the last
    // one, but not the mesh, the options or the timings. The same frames give the same bytes.
    std::vector<std::byte> state() const;
    // The same without allocation, for games that rewind: state_size() bytes, a number that changes from frame to frame.
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    // Throws StateError for bytes that are not a state, are truncated or changed, or belong to another version, mesh or set of
    // options; the Wrinkler then remains unchanged. Allocates as much as a first step.
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    const std::shared_ptr<const Topology>& shared_topology() const;  // for further wrinklers of the same mesh
    // The given options with defaults filled in; lengths need the first frame.
    const WrinklerOptions& options() const;
    int frame_count() const;  // steps done since the start or the last reset

    // Results of the last step; valid until the next one.
    std::span<const std::uint8_t> labels() const;  // (T)
    std::span<const Matrix2> current() const;      // (T) edge matrices of the frame
    std::span<const Matrix2> reference() const;    // (T) edge matrices of the reference triangles
    StretchSpans motion() const;  // stretch from the previous frame, the input of the labels; without min and axis
    StretchSpans field() const;   // stretch from the reference: the wrinkling field
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
