// All existing wrinkles of one garment: paths, sizes, and all other properties that remain from frame to frame.
//
// For each frame, call persist, trace and shape, in this order. persist moves existing wrinkles with the cloth and
// changes their lengths. trace starts new wrinkles in uncovered cloth. shape computes widths and heights, and moves the
// drawn lines. Each property is one array, indexed by the slot of the path in the pool. Only this class stores
// properties by slot.
//
// Nothing allocates after the first frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/paths/wrinkler.h"

namespace ruckle {

struct LineSample;

struct WrinkleSetOptions {
    TraceOptions trace{};
    PersistOptions persist{};
    ShapeOptions shape{};
    bool coherent = true;  // false: each frame starts with new, full-grown wrinkles (thesis, figure 5.2)
};

class WrinkleSet {
  public:
    // capacity: largest number of wrinkles; may be 0
    WrinkleSet(const Topology& topology, int capacity);

    // Sets the options. Chooses the seed points, the unit of length and the rest pose from the first frame, or from the
    // user's rest pose if that is given as `first`. Allocates.
    void begin(const WrinkleSetOptions& options, const Cloth& first);
    // Removes all wrinkles, and starts their ids from 0 again. The options and the rest pose remain.
    void clear();
    void set_options(const WrinkleSetOptions& options) { options_ = options; }
    // Changes the options of existing wrinkles; the unit of length does not change. If r_min or seed change, chooses
    // new seed points for triangles with the edge matrices `reference` (T), and allocates.
    void change_options(const WrinkleSetOptions& options, std::span<const Matrix2> reference);

    // The stages of one frame. before: (V) positions of the previous frame. frame: number of the frame, from 0. dt: time
    // since the previous frame, s. `workspace` and `drawn` are scratch memory, which other garments may use between two
    // frames.
    PersistStats persist(const Cloth& cloth, std::span<const Vector3> before, int frame, float dt, PersistWorkspace& workspace);
    TraceStats trace(const Cloth& cloth, float dt);
    // Also removes wrinkles that have faded. settled: true if wrinkles get their final size and position at once.
    // drawn: scratch memory with a capacity of most_samples()
    void shape(const Cloth& cloth, float dt, bool settled, std::vector<LineSample>& drawn);

    const PathPool& paths() const { return paths_; }
    int count() const { return static_cast<int>(paths_.slots().size()); }
    std::size_t most_samples() const { return samples_.items().size(); }  // largest number of samples of all lines together
    int fading_count() const;
    int died_count() const { return died_count_; }  // number of wrinkles removed in the last frame
    Wrinkle wrinkle(int i) const;                   // wrinkle i, sorted by birth
    std::span<const Vector3> rest() const { return rest_ ? rest_->positions() : std::span<const Vector3>(); }
    const std::shared_ptr<const RestCloth>& shared_rest_cloth() const { return rest_; }
    void keep_rest(const std::shared_ptr<const RestCloth>& rest) { rest_ = rest; }

    // Writes the properties of wrinkles to a StateWriter, or reads them from a StateReader (wrinkler_state.cpp). Before
    // reading, the caller sets the options and clears the set.
    //
    // positions  (V) positions of the last frame
    template <class Set, class State>
    static void exchange(Set& set, std::span<const Vector3> positions, State& state);

  private:
    WrinkleProfile profile_of(int slot) const {
        return WrinkleProfile(carried_[slot].size, options_.shape.r_min, options_.shape.amplitude);
    }
    std::span<const CurveSample> curve(int slot) const {
        const Carried& wrinkle = carried_[slot];
        return {&samples_[static_cast<std::size_t>(wrinkle.curve_first)], static_cast<std::size_t>(wrinkle.curve_count)};
    }
    void append_curve(int slot, const CurveLine& line);
    void set_time(float dt) { options_.trace.dt = options_.persist.dt = options_.shape.dt = dt; }
    void update_ends(const Cloth& cloth, int slot, float share, PersistStats& stats);
    void notice_crowding(int slot);
    void update_size(const Cloth& cloth, int slot, bool settled, float share);
    void draw_wrinkle(const Cloth& cloth, int slot, bool settled, const WrinkleProfile& profile, std::vector<LineSample>& drawn);
    void set_rest(std::span<const Vector3> positions);
    void reset_wrinkle(int slot);
    void remove_faded();
    template <class Set, class State>
    static void exchange_wrinkle(Set& set, int i, State& state);
    template <class Set, class State>
    static int exchange_path(Set& set, int i, State& state);
    void complete(std::span<const Vector3> positions);

    const Topology* topology_;
    WrinkleSetOptions options_;
    PathPool paths_;
    SeedSet seeds_;
    std::shared_ptr<const RestCloth> rest_;  // rest pose: set by the user, or the positions of the first frame
    std::int64_t next_id_ = 0;
    int died_count_ = 0;

    struct Carried {
        std::int64_t id;
        float age;  // time since birth, s
        WrinkleSize size;
        std::array<float, 2> extent;
        std::int32_t curve_first, curve_count;  // range of the drawn line in samples_
        std::uint8_t crowded;                   // 1 if the wrinkle fades because it is too close to an older wrinkle
    };
    RawBuffer<Carried> carried_;        // properties of the wrinkle in each slot
    std::vector<std::uint8_t> fading_;  // 1 if the wrinkle in the slot fades
    RawBuffer<CurveSample> samples_;    // samples of all drawn lines, one line after the other
    std::size_t sample_count_ = 0;
};

}  // namespace ruckle
