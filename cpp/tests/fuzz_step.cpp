// Turns arbitrary bytes into a mesh and its motion. step must reject the frame or compute finite results, and never
// crash.
//
// With Clang's -fsanitize=fuzzer this file is a target of libFuzzer; with fuzz_driver.cpp it runs on reproducible
// bytes.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "fuzz_input.h"
#include "ruckle/paths/wrinkler.h"

namespace {

using namespace ruckle;
using namespace ruckle::tests;

constexpr PairwiseCosts pairwise_costs[] = {
    LabelOptions{}.pairwise,
    {{{0, 1, 4}, {1, 0, 1}, {4, 1, 0}}},
    {{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}},
    {{{0.5f, 1, 2}, {1, 0.25f, 1}, {2, 1, 0}}},
    {},
};

WrinklerOptions read_options(Bytes& bytes) {
    WrinklerOptions options;
    options.pairwise = pairwise_costs[bytes.below(5)];
    options.method = static_cast<LabelMethod>(bytes.below(4));
    options.relaxation = static_cast<float>(bytes.byte()) / 255.0f;
    options.sigma = bytes.below(8) ? 0.05f : 1e-3f;
    // half of the garments have wrinkles; vertices are on a lattice with the step 0.25
    options.r_min = bytes.below(2) ? 0.01f + 0.002f * static_cast<float>(bytes.byte()) : 0.0f;
    options.amplitude = 0.25f * static_cast<float>(bytes.below(9));
    options.tau = 1.05f + 0.005f * static_cast<float>(bytes.byte());
    options.grow_tau = bytes.below(2) ? std::optional(options.tau) : std::nullopt;
    options.least_aspect = bytes.below(2) ? 0.0f : options.least_aspect;
    options.seed = bytes.byte();
    options.straightness = static_cast<float>(bytes.below(4));
    options.aspect = static_cast<float>(bytes.below(4));
    options.fade_in = 0.1f * static_cast<float>(bytes.below(4));
    options.fade_out = 0.1f * static_cast<float>(bytes.below(4));
    options.coherent = bytes.below(8) != 0;
    return options;
}

// Checks that the energy of exact labels does not exceed that of independent labels.
void require_low_energy(const Wrinkler& wrinkler, float dt, const std::vector<std::uint8_t>& previous) {
    const StretchSpans motion = wrinkler.motion();
    const WrinklerOptions& options = wrinkler.options();
    std::vector<float> costs(3 * motion.max.size());
    label_costs(motion.compression, motion.max, motion.degenerate,
                {.sigma = options.sigma, .alpha = options.alpha, .beta = options.beta, .dt = dt}, costs);
    require(all_finite(std::span<const float>(costs)), "costs are finite");
    std::vector<std::uint8_t> cheapest(motion.max.size());
    LabelWorkspace workspace;
    solve_labels(costs, wrinkler.topology(), previous, {.pairwise = options.pairwise, .method = LabelMethod::independent},
                 workspace, cheapest);
    if (options.method == LabelMethod::independent) {
        return;
    }
    const PairwiseCosts& pairwise = options.pairwise;
    double scale = 1.0;
    for (const float cost : costs) {
        scale = std::max(scale, std::abs(static_cast<double>(cost)));
    }
    const double reached = label_energy(costs, wrinkler.topology(), previous, pairwise, wrinkler.labels());
    const double bound = label_energy(costs, wrinkler.topology(), previous, pairwise, cheapest);
    // Only the exact method has this bound. Expansion and swap start from the labels that are cheapest together with
    // the costs of the links to the previous frame. The energy of these labels can exceed that of independent labels.
    require(options.method != LabelMethod::exact || reached <= bound + 1e-4 * scale, "exact energy is not above independent");
    require(std::isfinite(reached), "the energy is finite");
}

void require_sound_wrinkles(const Wrinkler& wrinkler) {
    require(wrinkler.paths().is_sound(), "every path is valid and none cross");
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        const Wrinkle wrinkle = wrinkler.wrinkle(i);
        require(i == 0 || wrinkle.id > wrinkler.wrinkle(i - 1).id, "wrinkles stand in order of birth");
        require(all_finite(wrinkle.points) && all_finite(wrinkle.widths) && all_finite(wrinkle.heights), "wrinkles are finite");
        for (std::size_t k = 0; k < wrinkle.t.size(); ++k) {
            require(wrinkle.t[k] >= 0.0f && wrinkle.t[k] <= 1.0f, "t lies in [0, 1]");
            require(wrinkle.widths[k] >= 0.0f && wrinkle.heights[k] >= 0.0f, "widths and heights are not negative");
        }
    }
}

void step(Wrinkler& wrinkler, std::span<const Vector3> positions, float dt) {
    const std::vector<std::uint8_t> before(wrinkler.labels().begin(), wrinkler.labels().end());
    const std::vector<Matrix2> reference(wrinkler.reference().begin(), wrinkler.reference().end());
    const int frame_count = wrinkler.frame_count(), wrinkle_count = wrinkler.wrinkle_count();
    const StepStatus status = wrinkler.step(positions, dt);
    ++call_count;
    if (status != StepStatus::done) {
        require(status == StepStatus::not_finite && !all_finite(positions), "only frames that are not finite are refused");
        require(std::equal(before.begin(), before.end(), wrinkler.labels().begin()), "a refused frame changes no label");
        require(std::equal(reference.begin(), reference.end(), wrinkler.reference().begin()), "nor the reference");
        require(wrinkler.frame_count() == frame_count, "nor the count of frames");
        require(wrinkler.wrinkle_count() == wrinkle_count, "nor the count of wrinkles");
        return;
    }
    ++accepted_frame_count;
    for (const std::uint8_t label : wrinkler.labels()) {
        require(label < label_count, "labels are 0, 1 and 2");
    }
    require(all_finite(wrinkler.current()) && all_finite(wrinkler.reference()), "edge matrices are finite");
    for (const StretchSpans& result : {wrinkler.motion(), wrinkler.field()}) {
        require(all_finite(result.min) && all_finite(result.max) && all_finite(result.compression), "stretches are finite");
        require(all_finite(std::span<const Vector2>(result.axis)), "axes are finite");
    }
    require_sound_wrinkles(wrinkler);
    require_low_energy(wrinkler, frame_count == 0 ? reference_frame_time : dt,
                       frame_count == 0 ? std::vector<std::uint8_t>{} : before);
}

// Checks that saving and restoring do not change the state, even for collapsed cloth.
void require_restorable(Wrinkler& wrinkler) {
    const std::vector<std::byte> state = wrinkler.state();
    wrinkler.restore(state);
    require(wrinkler.state() == state, "a restored state is the one that was saved");
}

}  // namespace

long accepted_frame_count = 0, call_count = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    Bytes bytes(input, size);
    const WrinklerOptions options = read_options(bytes);
    int vertex_count = 0;
    const std::vector<Face> faces = read_faces(bytes, vertex_count);
    std::vector<Vector3> positions(static_cast<std::size_t>(vertex_count), Vector3::Zero());
    try {
        Wrinkler wrinkler(faces, vertex_count, options);
        while (!bytes.empty()) {
            // each frame moves only some vertices, so that parts of the cloth rest
            for (Vector3& position : positions) {
                if (bytes.below(3) == 0) {
                    position = {bytes.coordinate(), bytes.coordinate(), bytes.coordinate()};
                }
            }
            const float dt = static_cast<float>(1 + bytes.below(8)) / 120.0f;
            step(wrinkler, positions, dt);
            if (wrinkler.frame_count() % 4 == 1) {
                require_restorable(wrinkler);
            }
            // with a position that is not finite, every later frame would be rejected
            for (Vector3& position : positions) {
                position = position.allFinite() ? position : Vector3(Vector3::Zero());
            }
            if (bytes.byte() == 7) {
                wrinkler.reset();
            }
        }
    } catch (const std::invalid_argument&) {
        // an unusable mesh or option: the exception explains it in one sentence
    }
    return 0;
}
