// The two dtypes of rows in ruckle._core: WRINKLE has the numbers of a wrinkle, but not the points of its path;
// CURVE_SAMPLE is one sample of its drawn line. Rows do not contain padding, so that equal frames have equal bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ruckle/paths/wrinkler.h"
#include "typed.h"

namespace ruckle::bindings {

// The attributes of ruckle.Wrinkle. Packed, because NumPy copies rows field by field and does not copy padding.
#pragma pack(push, 1)
struct WrinkleRow {
    std::int64_t id;
    float age, kappa, size, fade, crest, middle_width, perimeter, full_width;
    std::array<float, 2> cuts, extent;
    bool fading;
};
#pragma pack(pop)
static_assert(sizeof(WrinkleRow) == sizeof(std::int64_t) + 12 * sizeof(float) + sizeof(bool));

inline WrinkleRow row_of(const Wrinkle& wrinkle) {
    return {.id = wrinkle.id,
            .age = wrinkle.age,
            .kappa = wrinkle.size.kappa,
            .size = wrinkle.size.size,
            .fade = wrinkle.size.fade,
            .crest = wrinkle.size.crest,
            .middle_width = wrinkle.width,
            .perimeter = wrinkle.perimeter,
            .full_width = wrinkle.full_width,
            .cuts = wrinkle.cuts,
            .extent = wrinkle.extent,
            .fading = wrinkle.fading};
}

// CurveSample in a layout for NumPy.
struct CurveRow {
    std::int32_t face;
    std::array<float, 3> barycentric;
    float half_width, height;
};
static_assert(sizeof(CurveRow) == sizeof(CurveSample) && sizeof(CurveRow) == 6 * sizeof(float));

inline std::span<const CurveSample> samples_of(std::span<const CurveRow> rows) {
    return {reinterpret_cast<const CurveSample*>(rows.data()), rows.size()};
}
inline std::span<const CurveRow> rows_of(std::span<const CurveSample> samples) {
    return {reinterpret_cast<const CurveRow*>(samples.data()), samples.size()};
}

}  // namespace ruckle::bindings

namespace pybind11::detail {

template <>
struct handle_type_name<array_t<ruckle::bindings::WrinkleRow>> {
    static constexpr auto name = const_name("numpy.typing.NDArray[numpy.void]");
};
template <>
struct handle_type_name<array_t<ruckle::bindings::CurveRow>> {
    static constexpr auto name = const_name("numpy.typing.NDArray[numpy.void]");
};
template <>
struct handle_type_name<ruckle::bindings::Array<ruckle::bindings::CurveRow>> {
    static constexpr auto name = const_name("numpy.typing.NDArray[numpy.void]");
};

}  // namespace pybind11::detail
