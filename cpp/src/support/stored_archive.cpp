#include "support/stored_archive.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "ruckle/types.h"

namespace ruckle {

namespace {

using Bytes = std::span<const std::byte>;

// signatures and lengths of the records of a ZIP archive (APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.16)
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_length = 30, central_length = 46, end_length = 22;

// largest extent of an array, so that the product of two extents and the size of a number fits into 64 bits
constexpr std::size_t most_extent = std::size_t{1} << 28;

FileError refusal(const std::string& sentence) {
    return FileError("file: " + sentence);
}

// Returns `length` bytes from `begin` on. Throws FileError if `bytes` ends before.
Bytes part(Bytes bytes, std::size_t begin, std::size_t length) {
    if (begin > bytes.size() || length > bytes.size() - begin) {
        throw refusal("is damaged; it ends too early");
    }
    return bytes.subspan(begin, length);
}

// Returns the little-endian number in `length` bytes at `begin`.
std::uint32_t number_at(Bytes bytes, std::size_t begin, std::size_t length) {
    std::uint32_t value = 0;
    for (std::size_t i = length; i-- > 0;) {
        value = value << 8 | static_cast<std::uint32_t>(part(bytes, begin + i, 1)[0]);
    }
    return value;
}

// Returns a text from a file in printable form, for error messages.
std::string printable(std::string_view text) {
    std::string shown(text.substr(0, 40));
    std::ranges::replace_if(shown, [](char character) { return character < ' ' || character > '~'; }, '?');
    return shown;
}

std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the text between `open` and `close` after a key in an array's header. Throws FileError if the key is missing.
// NumPy writes all headers in one form.
std::string_view value_of(std::string_view header, std::string_view key, char open, char close) {
    const std::size_t at = header.find(key), begin = at == header.npos ? at : header.find(open, at + key.size());
    const std::size_t end = begin == header.npos ? begin : header.find(close, begin + 1);
    if (end == header.npos) {
        throw refusal("is damaged; an array has no " + std::string(key));
    }
    return header.substr(begin + 1, end - begin - 1);
}

// Returns the extents in a NumPy shape without its parentheses, such as "3, 4", "3," or "" (a scalar). Throws FileError
// if there are more than two, or one exceeds most_extent.
std::vector<std::size_t> extents_of(std::string_view shape) {
    std::vector<std::size_t> extents;
    while (!shape.empty()) {
        const std::size_t comma = std::min(shape.find(','), shape.size());
        std::string_view digits = shape.substr(0, comma);
        digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
        shape.remove_prefix(std::min(comma + 1, shape.size()));
        if (digits.empty()) {
            continue;  // the part after a comma is empty in a shape with one extent, such as (3,)
        }
        std::size_t extent = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
        if (error != std::errc() || end != digits.data() + digits.size() || extent > most_extent || extents.size() == 2) {
            throw refusal("is damaged; an array has the shape (" + printable(digits) + ", ...)");
        }
        extents.push_back(extent);
    }
    return extents;
}

}  // namespace

std::size_t StoredArray::count() const {
    return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

StoredArchive::StoredArchive(Bytes file) {
    // in a ZIP archive without a comment, the end record is last
    if (file.size() < end_length || number_at(file, file.size() - end_length, 4) != end_mark) {
        throw refusal("is not an NPZ archive, or is truncated");
    }
    const std::size_t end = file.size() - end_length;
    std::size_t at = number_at(file, end + 16, 4);
    for (std::uint32_t left = number_at(file, end + 10, 2); left > 0; --left) {
        if (number_at(file, at, 4) != central_mark) {
            throw refusal("is damaged; its list of arrays is broken");
        }
        const std::size_t size = number_at(file, at + 20, 4), name_length = number_at(file, at + 28, 2);
        const std::size_t local = number_at(file, at + 42, 4);
        if (number_at(file, local, 4) != local_mark) {
            throw refusal("is damaged; an array is not at its listed position");
        }
        // the data follow the local record, whose name and extra field may have other lengths than those in the central
        // record
        const std::size_t begin = local + local_length + number_at(file, local + 26, 2) + number_at(file, local + 28, 2);
        members_.push_back(
            {text_of(part(file, at + central_length, name_length)), part(file, begin, size), number_at(file, at + 10, 2) == 0});
        at += central_length + name_length + number_at(file, at + 30, 2) + number_at(file, at + 32, 2);
    }
}

bool StoredArchive::has(std::string_view name) const {
    return std::ranges::find(members_, std::string(name) + ".npy", &Member::name) != members_.end();
}

// Returns an array of any type. Throws FileError if it is missing, compressed, not in C order, or without a valid
// header.
StoredArray StoredArchive::member_array(std::string_view name) const {
    const auto found = std::ranges::find(members_, std::string(name) + ".npy", &Member::name);
    if (found == members_.end()) {
        throw refusal("is not a model of upsampling; it has no array " + std::string(name));
    }
    if (!found->stored) {
        throw refusal(std::string(name) + " is compressed; load the model in Python and save it again");
    }
    const Bytes bytes = found->bytes;
    if (text_of(part(bytes, 0, 6)) != "\x93NUMPY") {
        throw refusal("is damaged; " + std::string(name) + " is not an array");
    }
    // version 1 has a header of at most 64 kB; NumPy writes other versions only for arrays with named fields
    const std::size_t header_length = number_at(bytes, 8, 2);
    const std::string_view header = text_of(part(bytes, 10, header_length));
    StoredArray array{value_of(header, "'descr':", '\'', '\''), extents_of(value_of(header, "'shape':", '(', ')')),
                      bytes.subspan(10 + header_length)};
    if (header.find("'fortran_order': False") == header.npos) {
        throw refusal(std::string(name) + " is not in C order");
    }
    return array;
}

StoredArray StoredArchive::array(std::string_view name, std::span<const std::string_view> types) const {
    StoredArray array = member_array(name);
    if (std::ranges::find(types, array.type) == types.end()) {
        throw refusal(std::string(name) + " has the unusable type " + printable(array.type));
    }
    // the last character of a type is the size of a number in bytes
    if (array.bytes.size() != array.count() * static_cast<std::size_t>(array.type.back() - '0')) {
        throw refusal("is damaged; " + std::string(name) + " has " + std::to_string(array.bytes.size()) + " bytes");
    }
    return array;
}

std::string StoredArchive::text(std::string_view name) const {
    const StoredArray array = member_array(name);
    std::string text;
    // NumPy stores four bytes per character
    for (std::size_t i = 0; array.type.starts_with("<U") && i + 4 <= array.bytes.size(); i += 4) {
        if (const std::uint32_t character = number_at(array.bytes, i, 4); character < 128) {
            text.push_back(static_cast<char>(character));
        }
    }
    return text;
}

}  // namespace ruckle
