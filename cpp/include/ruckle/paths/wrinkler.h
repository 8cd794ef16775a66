// wrinkler: the stateful class of wrinkle paths. Call step once per frame of an animation.
//
// A step runs the stages stretch, label and reference. Then existing wrinkles move with the cloth and change their
// lengths. New wrinkles are seeded in uncovered cloth. All wrinkles get widths and heights. Finally, the drawn lines
// move toward the paths of the wrinkles.
//
// All wrinklers that are stepped by one thread share scratch memory. A wrinkler itself is small: 131 KB for a shirt of
// 734 triangles with 34 wrinkles, or 98 KB if it does not keep its field, plus the topology, which all members of a crowd
// can share.
//
// Guarantees: step never throws. step allocates memory only in the first step of a wrinkler, and in the first step of a
// thread with a mesh of this size. A rejected frame does not change the state. The same frames give the same bits for
// any thread count and instruction set.
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

// Returns the options with derived values for options that are not set: grow_tau from tau, and r_min from the first
// frame. Without a first frame, r_min remains unset. An r_min below least_radius becomes 0.
//
// first_frame  (V) positions, mesh units, finite; if all are equal, r_min is 0
WrinklerOptions resolved(WrinklerOptions options, std::span<const Vector3> first_frame = {});

struct FrameStats {
    std::array<int, label_count> label_counts{};  // number of triangles per label
    int label_changes = 0;                        // number of triangles whose label has changed since the previous frame
    int degenerate_count = 0;                     // number of collapsed triangles, which are treated as undeformed

    int wrinkle_count = 0;  // number of wrinkles after the step, including fading wrinkles
    int fading_count = 0;   // number of wrinkles that fade out
    int died = 0;           // number of wrinkles removed in this step, because they have faded to 0
    TraceStats trace;
    PersistStats persist;
};

// One wrinkle of the last step. Its spans are valid until the next step.
struct Wrinkle {
    std::int64_t id;  // number of the wrinkle, from 0, in order of birth
    float age;        // time since birth, s
    bool fading;      // true if the wrinkle fades out
    WrinkleSize size;
    float width;       // width 2r in the middle, mesh units
    float perimeter;   // perimeter P (shape.h), mesh units
    float full_width;  // width 2r without the reduction of short wrinkles (shape.h), mesh units
    // shares of the first and the last segment that are outside the wrinkle (path.h)
    std::array<float, 2> cuts;
    // positions of both ends, measured along the path from its first vertex, mesh units
    std::array<float, 2> extent;
    std::span<const std::int32_t> edges;  // (n) mesh edge of each path vertex
    std::span<const float> t;             // (n) position t of each path vertex on its edge (path.h)
    std::span<const std::int32_t> faces;  // (n - 1) triangle of each segment
    std::span<const Vector3> points;      // (n) mesh units
    std::span<const float> widths;        // (n) mesh units
    // (n) heights at the path vertices, mesh units; drawn heights move toward these heights
    std::span<const float> heights;
    std::span<const CurveSample> curve;  // (m) samples of the drawn line
};

class Wrinkler {
  public:
    // Throws MeshError or std::invalid_argument with one sentence if faces or options are invalid.
    Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options = {});
    // For crowds: several wrinklers can share one topology. This construction takes a fraction of the time. Throws
    // std::invalid_argument if options are invalid.
    //
    // keeps_field  false: current(), motion() and field() are empty. This saves 46 bytes per triangle
    explicit Wrinkler(std::shared_ptr<const Topology> topology, const WrinklerOptions& options = {}, bool keeps_field = true);
    ~Wrinkler();
    Wrinkler(Wrinkler&&) noexcept;
    Wrinkler& operator=(Wrinkler&&) noexcept;

    // Computes the wrinkles of the next frame. Returns `done`, or the reason why the frame was rejected; then nothing
    // changes.
    //
    // positions  (V) vertex positions, mesh units. They are copied before they are checked: if another thread writes to
    //            them during the call, only this frame may be wrong
    // dt         seconds since the previous frame, in (0, 1e6]; checked, but without effect, on the first frame
    // remaining  (T) in (0, 1]: (flat area) / (area with the heights of other layers) of each triangle; or empty
    // labels     (T) labels that replace the computed labels, below label_count; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, std::span<const float> remaining = {},
                    std::span<const std::uint8_t> labels = {});

    // Sets an undeformed pose, such as a bind pose, and resets the wrinkler. The first frame is then compared with this
    // pose, and the wrinkles of the first frame are full-grown at once. Lengths of drawn lines are measured in this
    // pose. Without a pose, the cloth of the first frame is taken as uncompressed. reset() does not remove the pose. A
    // saved state does not contain the pose. Returns `done`, or the reason why the pose was rejected; then nothing
    // changes.
    //
    // positions  (V) positions of the pose, mesh units; empty: removes the pose
    StepStatus set_rest(std::span<const Vector3> positions);

    // Changes the options between two steps. Wrinkles and drawn lines then change gradually, at the same speed as on
    // moving cloth. If options.r_min is not set, the current value of r_min remains. Throws std::invalid_argument for
    // invalid options, for another number of threads, and if r_min changes from or to 0 (no paths); the Wrinkler then
    // does not change. Allocates if r_min or seed change. A state that is saved later can be restored only with the new
    // options.
    void set_options(const WrinklerOptions& options);

    // Returns to the state before the first frame. The options and the rest pose remain.
    void reset();

    // Returns the state as bytes. A Wrinkler of the same mesh and options can restore the state and then continues with
    // the same bits: after other frames, in another process, with any number of threads. The state contains the input
    // of the next step and the results of the last step, but not the mesh, the options or the timings. The same frames
    // give the same bytes.
    std::vector<std::byte> state() const;
    // Saves the state without allocation, for games that rewind. `save` writes state_size() bytes. This number changes
    // with each frame.
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    // Restores a saved state. Throws StateError if the bytes are not a state, are truncated or changed, or come from
    // another version, mesh or set of options. The Wrinkler then does not change. Allocates as much memory as a first
    // step.
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    // the topology, for the construction of further wrinklers of the same mesh
    const std::shared_ptr<const Topology>& shared_topology() const;
    // The given options, with derived values for options that are not set. Derived lengths are known after the first
    // frame.
    const WrinklerOptions& options() const;
    int frame_count() const;  // number of steps since construction or the last reset

    // Results of the last step; valid until the next step.
    std::span<const std::uint8_t> labels() const;  // (T) label of each triangle
    std::span<const Matrix2> current() const;      // (T) edge matrices of the frame
    std::span<const Matrix2> reference() const;    // (T) edge matrices of the reference triangles
    // stretch from the previous frame to this frame, the input of the labels; the spans min and axis are empty
    StretchSpans motion() const;
    StretchSpans field() const;  // stretch from the reference triangles: the wrinkling field
    int wrinkle_count() const;
    Wrinkle wrinkle(int i) const;  // wrinkle i, sorted by birth
    const PathPool& paths() const;
    // (V) positions of the cloth at rest, on which drawn lines are measured: the rest pose, or the first frame; empty
    // without paths
    std::span<const Vector3> rest() const;
    const StageTimings& timings() const;
    const FrameStats& stats() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ruckle
