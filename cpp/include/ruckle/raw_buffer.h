// raw_buffer: uninitialised memory for many items of which only few are used.
//
// Example:
//     ruckle::RawBuffer<float> values(1 << 20);
//     values[5] = 1.0f;  // only this page occupies memory
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace ruckle {

// An array with a fixed number of items, which the constructor does not initialise. The operating system provides a
// page of memory when an item in this page is first used, so unused items occupy only address space. Assign an item, or
// call std::construct_at, before you read it.
template <class Item>
class RawBuffer {
    static_assert(std::is_trivially_destructible_v<Item> && alignof(Item) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  public:
    explicit RawBuffer(std::size_t size) : bytes_(new std::byte[size * sizeof(Item)]), size_(size) {}

    Item* begin() { return reinterpret_cast<Item*>(bytes_.get()); }
    const Item* begin() const { return reinterpret_cast<const Item*>(bytes_.get()); }
    Item& operator[](std::size_t i) { return begin()[i]; }
    const Item& operator[](std::size_t i) const { return begin()[i]; }
    std::span<Item> items() { return {begin(), size_}; }
    std::span<const Item> items() const { return {begin(), size_}; }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_;
};

}  // namespace ruckle
