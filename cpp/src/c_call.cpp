#include "c_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "support/per_thread.h"

namespace ruckle::c {

namespace {

// Error message of a thread, in a fixed buffer; longer messages are truncated.
struct Message {
    std::array<char, 512> text{};
};

// True after any thread could not allocate its message buffer. A thread without a message then reports a lack of
// memory.
std::atomic<bool> lost_sentence{false};
constexpr const char* no_memory = "memory: the system has no memory left";

// Returns the message buffer of this thread; null if it cannot be allocated.
Message* find_message() noexcept {
    try {
        return &of_this_thread<Message>();
    } catch (...) {
        lost_sentence = true;
        return nullptr;
    }
}

// both enumerations must have the same values, because enumerators are converted by casts
static_assert(RUCKLE_NUMBER == static_cast<int>(ParameterKind::number));
static_assert(RUCKLE_LENGTH == static_cast<int>(ParameterKind::length));
static_assert(RUCKLE_INTEGER == static_cast<int>(ParameterKind::integer));
static_assert(RUCKLE_FLAG == static_cast<int>(ParameterKind::flag));
static_assert(RUCKLE_CHOICE == static_cast<int>(ParameterKind::choice));
static_assert(RUCKLE_MATRIX == static_cast<int>(ParameterKind::matrix));
static_assert(RUCKLE_VECTOR == static_cast<int>(ParameterKind::vector));

}  // namespace

ruckle_status fail(ruckle_status status, const char* format, ...) {
    if (Message* message = find_message()) {
        va_list values;
        va_start(values, format);
        std::vsnprintf(message->text.data(), message->text.size(), format, values);
        va_end(values);
    }
    return status;
}

const char* last_sentence() {
    const Message* message = find_message();
    const bool is_empty = !message || message->text[0] == '\0';
    return is_empty ? (lost_sentence ? no_memory : "") : message->text.data();
}

ruckle_status fail_memory() {
    return fail(RUCKLE_NO_RESOURCES, "%s", no_memory);
}

ruckle_status fail_null(const char* name) {
    return fail(RUCKLE_NULL_ARGUMENT, "%s: expected a pointer, got NULL", name);
}

ruckle_status fail_not_finite(std::span<const Vector3> positions) {
    const auto bad = std::find_if_not(positions.begin(), positions.end(), is_finite);
    if (bad == positions.end()) {
        return fail(RUCKLE_NOT_FINITE, "positions: a vertex that was not finite has changed during the call");
    }
    const Vector3& p = *bad;
    return fail(RUCKLE_NOT_FINITE, "positions: vertex %td is not finite (%g, %g, %g)", bad - positions.begin(),
                static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
}

ruckle_status fail_count(std::int32_t vertex_count, std::int32_t face_count) {
    return fail(RUCKLE_BAD_MESH, "faces: expected counts of at least 0, got %d vertices and %d faces", vertex_count, face_count);
}

ruckle_status fail_time(float dt) {
    return fail(RUCKLE_WRONG_TIME, "dt: expected a number of seconds in (0, 1e6], got %g", static_cast<double>(dt));
}

ruckle_status check_counts(std::int32_t vertex_count, std::int32_t face_count) {
    return vertex_count < 0 || face_count < 0 ? fail_count(vertex_count, face_count) : RUCKLE_OK;
}

ruckle_status check_finite(std::span<const Vector3> positions) {
    return std::ranges::all_of(positions, is_finite) ? RUCKLE_OK : fail_not_finite(positions);
}

ruckle_status check_vertex_count(std::int32_t expected, std::int32_t vertex_count) {
    return vertex_count == expected
               ? RUCKLE_OK
               : fail(RUCKLE_WRONG_VERTEX_COUNT, "positions: expected %d vertices, got %d", expected, vertex_count);
}

std::span<const Vector3> as_positions(const float* positions, std::int32_t count) {
    static_assert(sizeof(Vector3) == 3 * sizeof(float));
    return {reinterpret_cast<const Vector3*>(positions), static_cast<std::size_t>(count)};
}

std::span<const Face> as_faces(const std::int32_t* faces, std::int32_t count) {
    static_assert(sizeof(Face) == 3 * sizeof(std::int32_t));
    return {reinterpret_cast<const Face*>(faces), static_cast<std::size_t>(count)};
}

bool is_finite(const Vector3& position) {
    return position.allFinite();
}

std::optional<float> set(float value) {
    return value == RUCKLE_UNSET ? std::nullopt : std::optional(value);
}

ruckle_parameter described(const Parameter& found) {
    return {.name = found.name,
            .group = found.group,
            .unit = found.unit,
            .help = found.help,
            .derived = found.derived,
            .ceiling = found.ceiling,
            .kind = static_cast<std::int32_t>(found.kind),
            .choice_count = static_cast<std::int32_t>(found.choices.size()),
            .choices = found.choices.data(),
            .least = found.range.least,
            .most = found.range.most,
            .with_least = found.range.with_least,
            .with_most = found.range.with_most,
            .default_value = found.default_value};
}

}  // namespace ruckle::c
