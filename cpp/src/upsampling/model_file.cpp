#include "ruckle/upsampling/model_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "constants.h"
#include "support/stored_archive.h"

namespace ruckle {

namespace {

constexpr int newest_version = 2;

constexpr std::string_view integers[] = {"<i4"}, singles[] = {"<f4"}, singles_or_halves[] = {"<f4", "<f2"};

FileError refusal(const std::string& sentence) {
    return FileError("file: " + sentence);
}

// Throws FileError if the version in the JSON text `format` is not supported. The version is the last key, because keys
// are sorted.
void require_version(const StoredArchive& archive) {
    constexpr std::string_view key = "\"version\":";
    const std::string text = archive.text("format");
    std::size_t at = text.rfind(key);
    at = at == text.npos ? at : text.find_first_not_of(' ', at + key.size());
    int version = 0;
    if (at == text.npos || std::from_chars(text.data() + at, text.data() + text.size(), version).ec != std::errc()) {
        throw refusal("is damaged; format has no version");
    }
    if (version > newest_version) {
        throw refusal("has format version " + std::to_string(version) + "; this ruckle reads up to " +
                      std::to_string(newest_version));
    }
}

// Returns an array of the archive. Throws FileError if its shape is not (rows, columns), or (rows) if `columns` is 1.
StoredArray shaped(const StoredArchive& archive, std::string_view name, std::span<const std::string_view> types, std::size_t rows,
                   std::size_t columns) {
    StoredArray array = archive.array(name, types);
    const bool fits = columns == 1 ? array.extents.size() == 1 && array.extents[0] == rows
                                   : array.extents.size() == 2 && array.extents[0] == rows && array.extents[1] == columns;
    if (!fits) {
        throw refusal(std::string(name) + " does not fit the operator; expected the shape (" + std::to_string(rows) +
                      (columns == 1 ? ",)" : ", " + std::to_string(columns) + ")"));
    }
    return array;
}

// Returns a half-precision number as a float; the conversion is exact. The Upsampler rejects infinite values.
float from_half(std::uint16_t half) {
    const std::uint32_t magnitude = half & 0x7fffu, sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    // the exponent bias of a float is larger by 112; multiplying by 2^112 corrects this, also for subnormal numbers
    const std::uint32_t scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
    return std::bit_cast<float>((magnitude >= 0x7c00u ? 0x7f800000u | magnitude << 13 : scaled) | sign);
}

std::vector<float> entries_of(const StoredArray& array) {
    if (array.type == "<f4") {
        return array.numbers<float>();
    }
    const std::vector<std::uint16_t> halves = array.numbers<std::uint16_t>();
    std::vector<float> entries(halves.size());
    std::transform(halves.begin(), halves.end(), entries.begin(), from_half);
    return entries;
}

std::vector<Face> faces_of(const StoredArchive& archive, std::string_view name) {
    const StoredArray array = archive.array(name, integers);
    if (array.extents.size() != 2 || array.extents[1] != 3) {
        throw refusal(std::string(name) + " is not of shape (T, 3)");
    }
    const std::vector<std::int32_t> corners = array.numbers<std::int32_t>();
    std::vector<Face> faces(array.extents[0]);
    for (std::size_t i = 0; i < corners.size(); ++i) {
        faces[i / 3][i % 3] = corners[i];
    }
    return faces;
}

std::vector<Vector3> points_of(const StoredArray& array) {
    const std::vector<float> numbers = array.numbers<float>();
    std::vector<Vector3> points(numbers.size() / 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        points[i / 3][static_cast<int>(i % 3)] = numbers[i];
    }
    return points;
}

// Reads the arrays of the neural detail. NeuralDetail checks their sizes.
void read_detail(const StoredArchive& archive, std::size_t coarse, UpsamplingFile& found) {
    found.detail_grids = shaped(archive, "detail_grids", integers, 5, 1).numbers<std::int32_t>();
    found.coarse_rest = points_of(shaped(archive, "coarse_rest", singles, coarse, 3));
    const std::pair<const char*, std::vector<float>*> arrays[] = {{"detail_feature_mean", &found.detail_feature_mean},
                                                                  {"detail_feature_size", &found.detail_feature_size},
                                                                  {"detail_first", &found.detail_first},
                                                                  {"detail_first_bias", &found.detail_first_bias},
                                                                  {"detail_second", &found.detail_second},
                                                                  {"detail_second_bias", &found.detail_second_bias},
                                                                  {"detail_patches", &found.detail_patches},
                                                                  {"detail_mean", &found.detail_mean},
                                                                  {"detail_gains", &found.detail_gains}};
    for (const auto& [name, numbers] : arrays) {
        *numbers = archive.array(name, singles).numbers<float>();
    }
}

}  // namespace

UpsamplingModel UpsamplingFile::model() const {
    UpsamplingModel found{coarse_vertex_count, rows, fine_faces, attachment, oscillations, frequencies, {}};
    if (!detail_grids.empty()) {
        found.detail = {detail_grids[0], detail_grids[1],     detail_grids[2],     detail_grids[3], detail_grids[4] != 0,
                        coarse_rest,     detail_feature_mean, detail_feature_size, detail_first,    detail_first_bias,
                        detail_second,   detail_second_bias,  detail_patches,      detail_mean,     detail_gains};
    }
    return found;
}

UpsamplingFile read_upsampling_file(std::span<const std::byte> file) {
    const StoredArchive archive(file);
    require_version(archive);
    const StoredArray entries = archive.array("operator", singles_or_halves);
    if (entries.extents.size() != 2 || entries.count() == 0 || entries.extents[0] > most_vertices) {
        throw refusal("operator is not a matrix (N, M)");
    }
    const std::size_t fine = entries.extents[0], coarse = entries.extents[1];
    const StoredArray frequencies = archive.array("frequencies", singles);
    const StoredArray shapes = shaped(archive, "oscillation_shapes", singles, 2 * frequencies.count(), fine);
    UpsamplingFile found{static_cast<int>(coarse),
                         entries_of(entries),
                         faces_of(archive, "coarse_faces"),
                         faces_of(archive, "fine_faces"),
                         shaped(archive, "holders", integers, fine, 1).numbers<std::int32_t>(),
                         points_of(shaped(archive, "barycentric", singles, fine, 3)),
                         shaped(archive, "attachment", singles, fine, 1).numbers<float>(),
                         shapes.numbers<float>(),
                         frequencies.numbers<float>()};
    if (archive.has("detail_grids")) {
        read_detail(archive, coarse, found);
    }
    for (std::size_t i = 0; i < fine; ++i) {
        // indices of coarse faces are checked here, because callers use them directly; the Upsampler checks fine faces
        // when it builds their topology
        if (found.holders[i] < 0 || static_cast<std::size_t>(found.holders[i]) >= found.coarse_faces.size()) {
            throw refusal("holders refers to coarse face " + std::to_string(found.holders[i]) + ", which does not exist");
        }
    }
    for (const Face& face : found.coarse_faces) {
        for (const std::int32_t corner : face) {
            if (corner < 0 || static_cast<std::size_t>(corner) >= coarse) {
                throw refusal("coarse_faces refers to vertex " + std::to_string(corner) + ", which does not exist");
            }
        }
    }
    return found;
}

}  // namespace ruckle
