// Common to all fuzz targets of the C interface: creates arguments from arbitrary bytes, and checks the rules of every
// call.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz_input.h"
#include "ruckle/ruckle_c.h"
#include "support/saved_state.h"

namespace ruckle::tests {

// Returns true for RUCKLE_OK. Any other status must have a message with one sentence that names an argument.
inline bool done(ruckle_status status) {
    ++call_count;
    require(status >= RUCKLE_OK && status <= RUCKLE_BAD_FILE, "a status is one of those that the header lists");
    if (status != RUCKLE_OK) {
        const char* sentence = ruckle_error_message();
        require(std::strchr(sentence, ':') && !std::strchr(sentence, '\n'), "a refusal is one sentence after a name");
    }
    return status == RUCKLE_OK;
}

// read_number, read_count and read_pointer return `usual` in most cases. Otherwise they return a float with arbitrary
// bits, an arbitrary or small count, or null.
inline float read_number(Bytes& bytes, float usual) {
    return bytes.below(24) ? usual : std::bit_cast<float>(bytes.word());
}
inline std::int32_t read_count(Bytes& bytes, std::int32_t usual) {
    return bytes.below(24) ? usual : bytes.below(2) ? bytes.below(3) - 1 : std::bit_cast<std::int32_t>(bytes.word());
}
template <class Item>
Item* read_pointer(Bytes& bytes, Item* usual) {
    return bytes.below(64) ? usual : nullptr;
}
inline std::int32_t read_threads(Bytes& bytes) {
    return bytes.below(32) ? 1 : bytes.below(4) - 1;
}

inline bool all_finite(const float* values, std::size_t count) {
    return all_finite(std::span(values, count));
}

// Moves some vertices in each frame, so that parts of the cloth rest. Resets coordinates that are not finite, because
// every later frame would be rejected.
inline void move(Bytes& bytes, std::vector<float>& positions) {
    for (float& coordinate : positions) {
        coordinate = std::isfinite(coordinate) ? coordinate : 0.0f;
        coordinate = bytes.below(3) ? coordinate : bytes.coordinate();
    }
}

// A mesh. It is usually a sheet, because most calls reject triangles without area.
struct Input {
    std::vector<Face> faces;
    std::vector<float> rest;
    std::int32_t vertex_count, face_count;

    const std::int32_t* corners() const { return faces.empty() ? nullptr : faces[0].data(); }
};

inline Input read_input(Bytes& bytes) {
    Input input;
    input.faces = read_faces(bytes, input.vertex_count);
    input.face_count = static_cast<std::int32_t>(input.faces.size());
    for (int v = 0; v < input.vertex_count; ++v) {
        for (const float usual : {0.25f * static_cast<float>(v % 5), 0.0f, 0.25f * static_cast<float>(v / 5)}) {
            input.rest.push_back(bytes.below(64) ? usual : bytes.coordinate());
        }
    }
    return input;
}

// Changes a few bytes of a saved state, or none. Returns true if the checksum was corrected, too. In this case the
// library can find invalid values only by validating each of them.
inline bool spoil(Bytes& bytes, std::vector<std::uint8_t>& state, bool has_one_checksum = true) {
    constexpr std::uint32_t troubles[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x7fc00000,
                                          0x7f800000, 0xff800000, 0x7f7fffff, 0x3f800001, 0x5f3759df, 0x60ad78ec};
    constexpr std::size_t checksum_place = state_header_size - sizeof(std::uint64_t);
    const bool is_signed = bytes.below(2) && has_one_checksum && state.size() > state_header_size + 4;
    const std::size_t first = is_signed ? state_header_size : 0;
    for (int change = bytes.below(4); change > 0 && state.size() > first + 4; --change) {
        std::uint8_t* at = &state[first + bytes.word() % ((state.size() - first) / 4) * 4];
        if (bytes.below(2)) {
            std::memcpy(at, &troubles[bytes.below(static_cast<int>(std::size(troubles)))], 4);
        } else {
            at[bytes.below(4)] ^= bytes.byte();
        }
    }
    if (is_signed) {
        const std::uint64_t checksum = hash_bytes(std::as_bytes(std::span(state)).subspan(state_header_size));
        std::memcpy(&state[checksum_place], &checksum, sizeof checksum);
    }
    return is_signed;
}

// The state functions of one class of the C interface, and checks of them.
template <class Object>
struct StateCalls {
    size_t (*size_of)(const Object*);
    ruckle_status (*save)(const Object*, void*, size_t);
    ruckle_status (*restore)(Object*, const void*, size_t);
    bool has_one_checksum = true;  // false if the state consists of several states
    bool moves_origin = false;     // true if a rejected frame may move the origin of coordinates, which changes the bytes

    std::vector<std::uint8_t> state(const Object* object) const {
        std::vector<std::uint8_t> found(size_of(object));
        require(done(save(object, found.data(), found.size())), "a state is saved");
        return found;
    }

    // Restores a state that may be damaged. An unchanged state must be restored; a rejected state must not change the
    // object.
    void restore_spoiled(Bytes& bytes, Object* object, std::vector<std::uint8_t> given) const {
        const std::vector<std::uint8_t> sound = given, before = state(object);
        const bool is_signed = spoil(bytes, given, has_one_checksum), is_sound = given == sound;
        const bool is_restored = done(restore(object, given.data(), given.size()));
        require(is_restored || !is_sound, "an unchanged state is restored");
        require(!is_restored || is_sound || is_signed, "a changed state is refused");
        require(is_restored || state(object) == before, "a refused state changes nothing");
        require(!is_restored || done(restore(object, state(object).data(), size_of(object))),
                "the object's own state is restored");
    }

    // Checks that a rejected frame does not change the state.
    template <class Step>
    void step_and_restore(Bytes& bytes, Object* object, const Step& step) const {
        const std::vector<std::uint8_t> before = state(object);
        if (done(step())) {
            ++accepted_frame_count;
        } else {
            require(state(object) == before || moves_origin, "a refused frame leaves the state as it was");
        }
        if (bytes.below(4) == 0) {
            restore_spoiled(bytes, object, before);
        }
    }
};

}  // namespace ruckle::tests
