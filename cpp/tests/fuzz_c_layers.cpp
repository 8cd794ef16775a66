// Turns arbitrary bytes into calls of the other C headers: patterns, upsampling and cloth. Each call must succeed or
// return an error with one sentence, and never crash. A rejected frame must not change the bytes of the object's state.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fuzz_c_input.h"
#include "ruckle/ruckle_c_cloth.h"
#include "ruckle/ruckle_c_patterns.h"
#include "ruckle/ruckle_c_upsampling.h"

namespace {

using namespace ruckle::tests;

constexpr StateCalls<ruckle_modulator> modulator_calls{ruckle_modulator_state_size, ruckle_modulator_save_state,
                                                       ruckle_modulator_restore_state};
constexpr StateCalls<ruckle_upsampler> upsampler_calls{ruckle_upsampler_state_size, ruckle_upsampler_save_state,
                                                       ruckle_upsampler_restore_state};
constexpr StateCalls<ruckle_cloth> cloth_calls{ruckle_cloth_state_size, ruckle_cloth_save_state, ruckle_cloth_restore_state, true,
                                               true};

void use_patterns(Bytes& bytes, const Input& input) {
    ruckle_pattern_grid* grid = nullptr;
    if (done(ruckle_pattern_grid_create(read_pointer(bytes, input.corners()), input.face_count,
                                        read_pointer(bytes, input.rest.data()), input.vertex_count,
                                        read_number(bytes, 0.1f + 0.05f * static_cast<float>(bytes.below(16))), &grid))) {
        const int pattern_count = 1 + bytes.below(3);
        std::vector<float> heights(static_cast<std::size_t>(pattern_count * ruckle_pattern_grid_node_count(grid)));
        for (float& height : heights) {
            height = read_number(bytes, 0.01f * static_cast<float>(bytes.byte()));
        }
        std::vector<float> paint(static_cast<std::size_t>(input.vertex_count), read_number(bytes, 1.0f));
        ruckle_modulator_options options;
        ruckle_modulator_default_options(&options);
        for (float ruckle_modulator_options::* option :
             {&ruckle_modulator_options::rest_slope, &ruckle_modulator_options::slack, &ruckle_modulator_options::sharpness,
              &ruckle_modulator_options::steepest, &ruckle_modulator_options::highest, &ruckle_modulator_options::scale,
              &ruckle_modulator_options::bias, &ruckle_modulator_options::smoothing, &ruckle_modulator_options::r_min}) {
            options.*option = read_number(bytes, options.*option);
        }
        options.conserve = read_count(bytes, bytes.below(2));
        options.corrections = read_count(bytes, bytes.below(3));
        options.threads = read_threads(bytes);
        ruckle_modulator* modulator = nullptr;
        if (done(ruckle_modulator_create(read_pointer(bytes, grid), read_pointer(bytes, heights.data()), pattern_count,
                                         bytes.below(2) ? paint.data() : nullptr, read_pointer(bytes, &options), &modulator))) {
            std::vector<float> positions = input.rest;
            std::vector<float> reference(4 * static_cast<std::size_t>(input.face_count), 1.0f);
            std::vector<float> remaining(static_cast<std::size_t>(input.face_count), read_number(bytes, 0.5f));
            for (int frame = 0; frame < 4; ++frame) {
                move(bytes, positions);
                modulator_calls.step_and_restore(bytes, modulator, [&] {
                    return ruckle_modulator_step(modulator, read_pointer(bytes, positions.data()),
                                                 read_count(bytes, input.vertex_count), read_number(bytes, 1.0f / 30.0f),
                                                 bytes.below(4) ? nullptr : reference.data(),
                                                 bytes.below(4) ? nullptr : remaining.data());
                });
                ruckle_height_source source;
                done(ruckle_modulator_heights(modulator, read_pointer(bytes, positions.data()), input.vertex_count, &source));
            }
            require(all_finite(ruckle_modulator_factors(modulator), paint.size()), "factors are finite");
        }
        ruckle_modulator_destroy(modulator);
    }
    ruckle_pattern_grid_destroy(grid);
}

void use_upsampling(Bytes& bytes, const Input& input) {
    const auto fine = static_cast<std::size_t>(input.vertex_count);
    const int coarse = 1 + bytes.below(6), pairs = bytes.below(3);
    std::vector<float> matrix(fine * static_cast<std::size_t>(coarse), 1.0f / static_cast<float>(coarse));
    for (float& entry : matrix) {
        entry = bytes.below(200) ? entry : read_number(bytes, 0.5f);
    }
    std::vector<float> attachment(fine, read_number(bytes, 0.5f)), waves(2 * static_cast<std::size_t>(pairs) * fine, 0.1f);
    const std::array frequencies = {read_number(bytes, 1.0f), 2.0f};
    const ruckle_upsampling_model model = {coarse,
                                           input.vertex_count,
                                           bytes.below(24) ? input.face_count : -1,
                                           pairs,
                                           read_pointer(bytes, matrix.data()),
                                           read_pointer(bytes, input.corners()),
                                           bytes.below(2) ? attachment.data() : nullptr,
                                           waves.data(),
                                           frequencies.data()};
    ruckle_upsampler_options options;
    ruckle_upsampler_default_options(&options);
    options.precision = read_count(bytes, bytes.below(2));
    options.rate = read_number(bytes, options.rate);
    options.richness = read_number(bytes, options.richness);
    options.threads = read_threads(bytes);
    ruckle_upsampler* upsampler = nullptr;
    std::vector<std::uint8_t> file(bytes.byte());
    std::ranges::generate(file, [&] { return bytes.byte(); });
    require(!done(ruckle_upsampler_create_from_memory(file.data(), file.size(), &options, &upsampler)) && !upsampler,
            "some bytes are no file");
    if (done(ruckle_upsampler_create(read_pointer(bytes, &model), read_pointer(bytes, &options), &upsampler))) {
        std::vector<float> positions(3 * static_cast<std::size_t>(coarse), 0.0f), normals(3 * fine);
        for (int frame = 0; frame < 4; ++frame) {
            move(bytes, positions);
            upsampler_calls.step_and_restore(bytes, upsampler, [&] {
                return ruckle_upsampler_step(upsampler, read_pointer(bytes, positions.data()), read_count(bytes, coarse),
                                             read_number(bytes, 1.0f / 30.0f), read_number(bytes, 1.0f),
                                             bytes.below(2) ? input.rest.data() : nullptr);
            });
            if (done(ruckle_upsampler_write_normals(upsampler, read_pointer(bytes, normals.data())))) {
                // the normals must also be finite before the first accepted step
                require(all_finite(normals.data(), normals.size()), "normals are finite");
            }
        }
    }
    ruckle_upsampler_destroy(upsampler);
}

ruckle_cloth_options read_cloth_options(Bytes& bytes) {
    ruckle_cloth_options options;
    ruckle_cloth_default_options(&options);
    constexpr std::array names = {"jacket", "cotton", "interlock", "denim", "pants", "paper"};
    done(ruckle_cloth_find_material(read_pointer(bytes, names[static_cast<std::size_t>(bytes.below(6))]), &options.material));
    for (float ruckle_cloth_material::* number :
         {&ruckle_cloth_material::density, &ruckle_cloth_material::stretch, &ruckle_cloth_material::bending,
          &ruckle_cloth_material::damping, &ruckle_cloth_material::air_drag, &ruckle_cloth_material::static_friction,
          &ruckle_cloth_material::thickness, &ruckle_cloth_material::least_stretch, &ruckle_cloth_material::largest_stretch}) {
        options.material.*number = read_number(bytes, options.material.*number);
    }
    options.substeps = bytes.below(24) ? 1 + bytes.below(3) : bytes.below(3) - 1;
    options.strain_sweeps = bytes.below(24) ? bytes.below(3) : -1;
    options.compression = read_number(bytes, options.compression);
    options.rest_curvature = bytes.below(2);
    options.attachment_rate = read_number(bytes, options.attachment_rate);
    options.gravity[1] = read_number(bytes, -9.81f);
    options.margin = read_number(bytes, 0.0f);
    options.contact_spacing = bytes.below(4) ? 0.0f : read_number(bytes, 0.25f);
    options.self_distance = bytes.below(2) ? 0.0f : read_number(bytes, 0.02f);
    options.threads = read_threads(bytes);
    return options;
}

void check_cloth(const ruckle_cloth* cloth, std::size_t count) {
    require(all_finite(ruckle_cloth_positions(cloth), 3 * count) && all_finite(ruckle_cloth_velocities(cloth), 3 * count),
            "positions and velocities are finite");
}

void use_cloth(Bytes& bytes, const Input& input) {
    const ruckle_cloth_options options = read_cloth_options(bytes);
    const auto count = static_cast<std::size_t>(input.vertex_count);
    std::vector<float> attachment(count);
    std::ranges::generate(attachment, [&] { return read_number(bytes, 0.5f * static_cast<float>(bytes.below(3))); });
    ruckle_cloth* cloth = nullptr;
    if (done(ruckle_cloth_create(read_pointer(bytes, input.rest.data()), input.vertex_count, read_pointer(bytes, input.corners()),
                                 input.face_count, bytes.below(4) ? attachment.data() : nullptr, read_pointer(bytes, &options),
                                 &cloth))) {
        std::vector<float> pins = input.rest, wind(3 * count, read_number(bytes, 1.0f));
        ruckle_rounded_cone cone = {{0, -1, 0}, read_number(bytes, 0.5f), {1, -1, 1}, 0.25f};
        for (int frame = 0; frame < 5; ++frame) {
            move(bytes, pins);
            cone.first[0] = read_number(bytes, 0.1f * static_cast<float>(frame));
            const std::array<std::int32_t, 3> counts = {0, 1, input.vertex_count};
            const ruckle_cloth_inputs inputs = {bytes.below(3) ? pins.data() : nullptr,
                                                wind.data(),
                                                bytes.below(24) ? counts[static_cast<std::size_t>(bytes.below(3))] : -1,
                                                bytes.below(24) ? 1 : bytes.below(3) - 1,
                                                &cone,
                                                read_number(bytes, 0.0f)};
            constexpr std::array<float, 4> times = {1.0f / 60.0f, 1.0f / 30.0f, 1e-7f, 1e-4f};
            cloth_calls.step_and_restore(bytes, cloth, [&] {
                return ruckle_cloth_step(read_pointer(bytes, cloth), read_pointer(bytes, &inputs),
                                         read_number(bytes, times[static_cast<std::size_t>(bytes.below(4))]));
            });
            check_cloth(cloth, count);
        }
        done(ruckle_cloth_place(cloth, read_pointer(bytes, pins.data()), bytes.below(2) ? wind.data() : nullptr));
        ruckle_cloth_reset(cloth);
        check_cloth(cloth, count);
    }
    ruckle_cloth_destroy(cloth);
}

void use_worn_cloth(Bytes& bytes, const Input& input) {
    constexpr int bone_count = 2;
    const ruckle_cloth_options options = read_cloth_options(bytes);
    const auto count = static_cast<std::size_t>(input.vertex_count);
    const float share = read_number(bytes, 0.5f);
    const std::vector<float> weights(bone_count * count, share), body_weights(bone_count * count, 0.5f);
    const ruckle_rounded_cone cone = {{0, -1, 0}, read_number(bytes, 0.25f), {1, -1, 1}, 0.25f};
    const std::int32_t cone_bone = read_count(bytes, bytes.below(2));
    std::vector<float> body = input.rest;
    for (std::size_t v = 0; v < count; ++v) {
        body[3 * v + 1] -= 1.0f;
    }
    const bool has_body = bytes.below(2) != 0;
    const ruckle_wearer wearer = {bytes.below(24) ? bone_count : bytes.below(3) - 1,
                                  read_pointer(bytes, weights.data()),
                                  bytes.below(2),
                                  &cone,
                                  &cone_bone,
                                  has_body ? input.vertex_count : 0,
                                  has_body ? input.face_count : 0,
                                  read_pointer(bytes, body.data()),
                                  read_pointer(bytes, input.corners()),
                                  read_pointer(bytes, body_weights.data())};
    ruckle_cloth* cloth = nullptr;
    if (done(ruckle_cloth_create_worn(read_pointer(bytes, input.rest.data()), input.vertex_count, input.corners(),
                                      input.face_count, nullptr, read_pointer(bytes, &wearer), &options, &cloth))) {
        std::array<float, 12 * bone_count> bones = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        const std::array<float, 3> wind = {read_number(bytes, 1.0f), 0, 0};
        for (int frame = 0; frame < 4; ++frame) {
            bones[static_cast<std::size_t>(3 + 4 * bytes.below(6))] = read_number(bytes, 0.01f * static_cast<float>(frame));
            cloth_calls.step_and_restore(bytes, cloth, [&] {
                return ruckle_cloth_step_posed(cloth, read_pointer(bytes, bones.data()), read_count(bytes, bone_count),
                                               read_number(bytes, 1.0f / 60.0f), bytes.below(2) ? wind.data() : nullptr);
            });
            check_cloth(cloth, count);
        }
        ruckle_cloth_reset(cloth);
    }
    ruckle_cloth_destroy(cloth);
}

}  // namespace

long accepted_frame_count = 0, call_count = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    Bytes bytes(input, size);
    const Input given = read_input(bytes);
    use_patterns(bytes, given);
    use_upsampling(bytes, given);
    use_cloth(bytes, given);
    use_worn_cloth(bytes, given);
    return 0;
}
