// The living wrinkles of one garment: their paths, their sizes, and whatever else a wrinkle carries from frame to frame.
//
// A frame is persist, trace, shape, in this order: existing wrinkles follow the cloth and change their lengths, new ones begin
// where none is near, and all get their widths and heights, which the lines that are drawn approach. What a wrinkle carries stands
// in one array per property, indexed by the slot of its path in the pool; nobody else keeps anything by slot. What the next frame
// starts from is part of the state (exchange).
//
// Nothing allocates after the first frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/paths/wrinkler.h"

namespace ruckle {

struct WrinkleSetOptions {
    TraceOptions trace{};
    PersistOptions persist{};
    ShapeOptions shape{};
    bool coherent = true;  // false: nothing persists, and everything is full-grown at once (thesis, figure 5.2)
};

class WrinkleSet {
  public:
    // capacity: most wrinkles at a time; 0 where there will be none
    WrinkleSet(const Topology& topology, int capacity);

    // Begins anew: the first frame fixes the seed points and the unit of length. Allocates.
    void begin(const WrinkleSetOptions& options, const Cloth& first);
    void clear() { paths_.clear(), next_id_ = 0, died_count_ = 0; }
    void set_options(const WrinkleSetOptions& options) { options_ = options; }

    // The parts of one frame; frame counts from 0, dt in s.
    PersistStats persist(const Cloth& cloth, int frame, float dt);
    TraceStats trace(const Cloth& cloth, float dt);
    // settled: wrinkles stand full-grown where their paths are, instead of approaching that
    void shape(const Cloth& cloth, float dt, bool settled);

    const PathPool& paths() const { return paths_; }
    int count() const { return static_cast<int>(paths_.slots().size()); }
    int fading_count() const;
    int died_count() const { return died_count_; }  // in the last frame
    Wrinkle wrinkle(int i) const;                   // in order of birth
    std::span<const Vector3> rest() const { return rest_; }

    // Shows a StateWriter or a StateReader what wrinkles carry; a reader needs their options set, and the set cleared
    // (wrinkler_state.cpp).
    template <class Set, class State>
    static void exchange(Set& set, State& state);

  private:
    template <class Item>
    static auto part(Item& values, int slot, std::size_t count) {
        return values.items().subspan(static_cast<std::size_t>(slot) * path_stride, count);
    }
    Profile profile_of(int slot) const {
        return Profile(sizes_[static_cast<std::size_t>(slot)], options_.shape.r_min, options_.shape.amplitude);
    }
    void set_time(float dt) { options_.trace.dt = options_.persist.dt = options_.shape.dt = dt; }
    void update_ends(const Cloth& cloth, int slot, PersistStats& stats);
    void notice_crowding(int slot);
    void shape_wrinkle(const Cloth& cloth, int slot, bool settled);
    void draw_wrinkle(const Cloth& cloth, int slot, bool settled);
    void remove_faded();
    template <class Set, class State>
    static void exchange_wrinkle(Set& set, int i, State& state);
    template <class Set, class State>
    static int exchange_path(Set& set, int i, State& state);
    void complete();

    const Topology* topology_;
    WrinkleSetOptions options_;
    PathPool paths_;
    SeedSet seeds_;
    PersistWorkspace workspace_;
    std::vector<Vector3> rest_;       // (V) of the first frame, or of the pose before it
    RestCloth rest_cloth_;            // the same, for drawn lines
    std::vector<Vector3> positions_;  // (V) of the last one
    std::vector<std::int32_t> born_;  // slots, in the last frame
    std::int64_t next_id_ = 0;
    int died_count_ = 0;

    // by slot
    std::vector<std::int64_t> ids_;
    std::vector<float> ages_;  // s
    std::vector<std::uint8_t> fading_, crowded_;
    std::vector<WrinkleSize> sizes_;
    std::vector<std::array<float, 2>> extents_;
    Room<CurveLine> curves_;
    // by slot, path_stride each: at the vertices of the path
    Room<float> widths_, heights_;
};

}  // namespace ruckle
