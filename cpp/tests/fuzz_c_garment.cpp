// Turns arbitrary bytes into calls of the C headers of waves and garments. Each call must succeed or return an error
// with one sentence.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "fuzz_c_input.h"
#include "ruckle/ruckle_c_garment.h"

namespace {

using namespace ruckle::tests;

constexpr StateCalls<ruckle_waves> wave_calls{ruckle_waves_state_size, ruckle_waves_save_state, ruckle_waves_restore_state};
constexpr StateCalls<ruckle_garment> garment_calls{ruckle_garment_state_size, ruckle_garment_save_state,
                                                   ruckle_garment_restore_state, false};

ruckle_wave_options read_wave_options(Bytes& bytes) {
    ruckle_wave_options options;
    if (bytes.below(2)) {
        ruckle_waves_default_options(&options);
    } else {
        ruckle_waves_simulated_options(&options);
    }
    options.r_min = bytes.below(4) ? 0.3f : options.r_min;
    for (float ruckle_wave_options::* option :
         {&ruckle_wave_options::r_min, &ruckle_wave_options::wavelength, &ruckle_wave_options::gain, &ruckle_wave_options::slack,
          &ruckle_wave_options::steepest, &ruckle_wave_options::sharpness, &ruckle_wave_options::detail,
          &ruckle_wave_options::sag, &ruckle_wave_options::lift, &ruckle_wave_options::irregularity,
          &ruckle_wave_options::coherence, &ruckle_wave_options::hang, &ruckle_wave_options::hem, &ruckle_wave_options::calm}) {
        options.*option = read_number(bytes, options.*option);
    }
    options.seed = bytes.word();
    options.threads = read_threads(bytes);
    return options;
}

void use_waves(Bytes& bytes, const Input& input) {
    const auto count = static_cast<std::size_t>(input.vertex_count), faces = static_cast<std::size_t>(input.face_count);
    std::vector<float> paint(count, read_number(bytes, 1.0f)), remaining(faces, read_number(bytes, 0.5f));
    const ruckle_wave_options options = read_wave_options(bytes);
    ruckle_waves *waves = nullptr, *clone = nullptr;
    if (!done(ruckle_waves_create(read_pointer(bytes, input.corners()), input.face_count, read_pointer(bytes, input.rest.data()),
                                  input.vertex_count, bytes.below(2) ? paint.data() : nullptr, read_pointer(bytes, &options),
                                  &waves))) {
        require(!waves, "a failure gives no waves");
        return;
    }
    std::vector<float> positions = input.rest, vertices(6 * count), texels(4 * (count + faces)), profile(4 * count);
    std::vector<std::uint32_t> words(4 * count);
    for (int frame = 0; frame < 4; ++frame) {
        move(bytes, positions);
        wave_calls.step_and_restore(bytes, waves, [&] {
            return ruckle_waves_step(waves, read_pointer(bytes, positions.data()), read_count(bytes, input.vertex_count),
                                     read_number(bytes, 1.0f / 30.0f), bytes.below(2) ? nullptr : remaining.data());
        });
        ruckle_height_source source;
        if (done(ruckle_waves_heights(waves, read_pointer(bytes, positions.data()), input.vertex_count, &source))) {
            const std::array<float, 3> middle = {0.25f, read_number(bytes, 0.25f), 0.5f};
            const std::int32_t face = read_count(bytes, 0);
            std::array<float, 3> gradient{};
            float height = 0.0f;
            done(ruckle_waves_sample(waves, &face, middle.data(), 1, &height, gradient.data()));
        }
        if (done(ruckle_waves_copy_vertices(waves, read_pointer(bytes, vertices.data())))) {
            require(all_finite(vertices.data(), vertices.size()), "waves are finite");
        }
        done(ruckle_waves_write_texels(waves, read_pointer(bytes, words.data())));
        if (bytes.below(4) == 0) {
            const ruckle_wave_options others = read_wave_options(bytes);
            done(ruckle_waves_set_options(waves, read_pointer(bytes, &others)));
            done(ruckle_waves_set_paint(waves, bytes.below(2) ? paint.data() : nullptr));
        }
    }
    if (done(ruckle_waves_clone(read_pointer(bytes, waves), &clone))) {
        require(wave_calls.state(clone) == wave_calls.state(waves), "a clone begins in the same state");
    }
    ruckle_waves_destroy(clone);
    ruckle_waves_reset(waves);
    ruckle_waves_destroy(waves);
}

// Reads results of a garment. The calls return an error if the garment has not made a step yet.
void read_results(Bytes& bytes, ruckle_garment* garment) {
    const auto count = static_cast<std::size_t>(ruckle_garment_vertex_count(garment));
    std::vector<float> vertices(12 * count), strains(8 * count);
    done(ruckle_garment_write_waves(garment, read_pointer(bytes, vertices.data())));
    done(ruckle_garment_write_vertices(garment, read_pointer(bytes, vertices.data())));
    if (done(ruckle_garment_write_strains(garment, read_pointer(bytes, strains.data())))) {
        require(all_finite(strains.data(), strains.size()), "strains are finite");
    }
    if (bytes.below(16) == 0) {
        ruckle_surface_options surface;
        ruckle_default_surface_options(&surface);
        surface.edge_length = read_number(bytes, 0.02f);
        ruckle_fine_mesh fine;
        if (done(ruckle_garment_displace(garment, bytes.below(2) ? nullptr : &surface, &fine))) {
            require(all_finite(fine.positions, 3 * static_cast<std::size_t>(fine.vertex_count)), "fine meshes are finite");
        }
        ruckle_table table;
        done(ruckle_garment_make_table(garment, nullptr, read_pointer(bytes, &table)));
    }
}

void use_garment(Bytes& bytes, const Input& input) {
    ruckle_options paths;
    ruckle_default_options(&paths);
    paths.r_min = read_number(bytes, 0.2f);
    const ruckle_wave_options waves = read_wave_options(bytes);
    const auto* corners = reinterpret_cast<const std::uint32_t*>(input.corners());
    const ruckle_garment_mesh mesh = {read_pointer(bytes, input.rest.data()),
                                      bytes.below(24) ? 0 : bytes.below(3) * 6,
                                      input.vertex_count,
                                      read_pointer(bytes, corners),
                                      bytes.below(24) ? 4 : bytes.below(5),
                                      input.face_count,
                                      bytes.below(2)};
    ruckle_garment *garment = nullptr, *clone = nullptr;
    if (!done(ruckle_garment_create(read_pointer(bytes, &mesh), bytes.below(3) ? &paths : nullptr,
                                    bytes.below(3) ? &waves : nullptr, &garment))) {
        require(!garment, "a failure gives no garment");
        return;
    }
    read_results(bytes, garment);
    std::vector<float> positions = input.rest;
    for (int frame = 0; frame < 5; ++frame) {
        move(bytes, positions);
        garment_calls.step_and_restore(bytes, garment, [&] {
            return ruckle_garment_step(garment, read_pointer(bytes, positions.data()), bytes.below(2) ? 0 : 12,
                                       read_number(bytes, 1.0f / 30.0f));
        });
        read_results(bytes, garment);
        if (bytes.below(8) == 0) {
            const ruckle_wave_options others = read_wave_options(bytes);
            done(ruckle_garment_set_options(garment, bytes.below(2) ? &paths : nullptr, bytes.below(2) ? &others : nullptr));
        }
    }
    if (done(ruckle_garment_clone(garment, &clone))) {
        std::vector<float> strains(8 * static_cast<std::size_t>(ruckle_garment_vertex_count(clone)));
        std::array<ruckle_garment_frame, 2> crowd{};
        for (std::size_t k = 0; k < crowd.size(); ++k) {
            crowd[k].garment = k ? clone : garment;
            crowd[k].positions = read_pointer(bytes, positions.data());
            crowd[k].dt = read_number(bytes, 1.0f / 30.0f);
        }
        crowd[1].strains = strains.data();
        done(ruckle_garments_step(read_pointer(bytes, crowd.data()), 2, nullptr, nullptr));
    }
    ruckle_garment_destroy(clone);
    ruckle_garment_reset(garment);
    ruckle_garment_destroy(garment);
}

}  // namespace

long accepted_frame_count = 0, call_count = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    Bytes bytes(input, size);
    const Input given = read_input(bytes);
    use_waves(bytes, given);
    use_garment(bytes, given);
    return 0;
}
