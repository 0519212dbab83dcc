// A list of at most kMost items that needs no heap. Storage that is not used is neither written nor copied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace shardscope {

// A list of at most kMost items inside the object itself.
template <typename Item, std::size_t kMost>
class BoundedList {
    static_assert(std::is_trivially_copyable_v<Item> && std::is_trivially_destructible_v<Item>);

  public:
    BoundedList() {}  // NOLINT(modernize-use-equals-default): `= default` would initialize the storage
    BoundedList(const BoundedList& other) : size_(other.size_) {
        std::uninitialized_copy_n(other.storage_.items, size_, storage_.items);
    }
    BoundedList& operator=(const BoundedList& other) {
        if (this == &other) return *this;
        size_ = other.size_;
        std::uninitialized_copy_n(other.storage_.items, size_, storage_.items);
        return *this;
    }

    // Appends an item and returns it.
    Item& add(const Item& item = {}) { return *std::construct_at(&storage_.items[size_++], item); }
    [[nodiscard]] std::size_t size() const { return size_; }
    Item& operator[](std::size_t i) { return storage_.items[i]; }
    const Item& operator[](std::size_t i) const { return storage_.items[i]; }
    [[nodiscard]] std::span<Item> items() & { return {storage_.items, size_}; }
    [[nodiscard]] std::span<const Item> items() const& { return {storage_.items, size_}; }
    std::span<const Item> items() const&& = delete;  // the list would not outlive the loop over its items
    [[nodiscard]] const Item* begin() const { return storage_.items; }
    [[nodiscard]] const Item* end() const { return storage_.items + size_; }

  private:
    union Storage {
        Storage() {}  // NOLINT(modernize-use-equals-default): as above
        Item items[kMost];
    } storage_;
    std::size_t size_ = 0;
};

}  // namespace shardscope
