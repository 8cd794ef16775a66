// Reader for an uncompressed NPZ file, as numpy.savez writes it, in place from memory.
//
// Games keep files in archives of their own, and read models without an unpacking library. Every length is compared with the
// available bytes before use, so that arbitrary bytes are either read or refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ruckle {

// One array of such a file, little-endian and in C order.
struct StoredArray {
    std::string_view type{};             // of NumPy, such as "<f4"
    std::vector<std::size_t> extents{};  // at most two
    std::span<const std::byte> bytes{};

    std::size_t count() const;  // of numbers

    // A copy, because numbers in the file are not aligned.
    template <class Number>
    std::vector<Number> numbers() const {
        std::vector<Number> copied(count());
        if (!copied.empty()) {
            std::memcpy(copied.data(), bytes.data(), bytes.size());
        }
        return copied;
    }
};

class StoredArchive {
  public:
    // Keeps a view of the bytes. Throws FileError if they are not an archive.
    explicit StoredArchive(std::span<const std::byte> file);

    bool has(std::string_view name) const;
    // Throws FileError for an array that is missing, compressed, damaged, or not of one of these types.
    StoredArray array(std::string_view name, std::span<const std::string_view> types) const;
    // A text scalar, without characters beyond ASCII.
    std::string text(std::string_view name) const;

  private:
    struct Member {
        std::string_view name;
        std::span<const std::byte> bytes;
        bool stored;
    };
    StoredArray member_array(std::string_view name) const;

    std::vector<Member> members_{};
};

}  // namespace ruckle
