// Reads an uncompressed NPZ file, as numpy.savez writes it, from memory without a copy.
//
// Compression is not supported, because games have their own compressed archives. Every length is compared with the
// available bytes before use. Invalid bytes therefore cause an error and never a read outside the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ruckle {

// One array of an NPZ file, little-endian and in C order.
struct StoredArray {
    std::string_view type{};             // NumPy type, such as "<f4"
    std::vector<std::size_t> extents{};  // size of each dimension, at most two
    std::span<const std::byte> bytes{};

    std::size_t count() const;  // number of elements

    // Returns a copy of the elements, because numbers in the file are not aligned.
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
    // Stores a view of the bytes, which must exist as long as this object. Throws FileError if they are not an archive.
    explicit StoredArchive(std::span<const std::byte> file);

    bool has(std::string_view name) const;
    // Returns an array. Throws FileError if it is missing, compressed or damaged, or if its type is not in `types`.
    StoredArray array(std::string_view name, std::span<const std::string_view> types) const;
    // Returns a scalar string; empty if the array is not a string. Skips characters outside ASCII.
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
