// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <type_traits>
#include <upcxx/runtime.hpp>
#include <utility>

namespace upcxx {

/// Points to an object in some rank's shared heap. Means the same on every rank.
template <class T>
class global_ptr {
 public:
  using element_type = T;

  global_ptr() = default;
  global_ptr(std::nullptr_t) {}
  /// global_ptr<const T> from global_ptr<T>
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_const_v<U>) global_ptr(const global_ptr<U>& other)
      : rank_(other.where()), offset_(other.offset()) {}

  bool is_null() const { return rank_ < 0; }
  explicit operator bool() const { return !is_null(); }
  /// The rank whose memory it points into.
  intrank_t where() const { return is_null() ? 0 : rank_; }
  bool is_local() const { return is_null() || base() != nullptr; }
  /// @pre is_local()
  T* local() const { return is_null() ? nullptr : reinterpret_cast<T*>(base() + offset_); }

  global_ptr& operator+=(std::ptrdiff_t elements) {
    offset_ += elements * static_cast<std::ptrdiff_t>(sizeof(T));
    return *this;
  }
  global_ptr& operator-=(std::ptrdiff_t elements) { return *this += -elements; }
  global_ptr operator+(std::ptrdiff_t elements) const { return global_ptr(*this) += elements; }
  friend global_ptr operator+(std::ptrdiff_t elements, const global_ptr& pointer) {
    return pointer + elements;
  }
  global_ptr operator-(std::ptrdiff_t elements) const { return global_ptr(*this) -= elements; }
  /// @pre both point into one array
  std::ptrdiff_t operator-(const global_ptr& other) const {
    return (offset_ - other.offset_) / static_cast<std::ptrdiff_t>(sizeof(T));
  }
  global_ptr& operator++() { return *this += 1; }
  global_ptr& operator--() { return *this -= 1; }
  global_ptr operator++(int) { return std::exchange(*this, *this + 1); }
  global_ptr operator--(int) { return std::exchange(*this, *this - 1); }

  friend auto operator<=>(const global_ptr&, const global_ptr&) = default;
  friend std::ostream& operator<<(std::ostream& out, const global_ptr& pointer) {
    return out << "(gp: " << pointer.rank_ << ", " << pointer.offset_ << ")";
  }

  // Not part of UPC++'s API: the offset in the owner's segment, in bytes.
  static global_ptr at(intrank_t rank, std::ptrdiff_t offset) {
    global_ptr pointer;
    pointer.rank_ = rank;
    pointer.offset_ = offset;
    return pointer;
  }
  std::ptrdiff_t offset() const { return offset_; }

 private:
  std::byte* base() const { return detail::segments().bases[static_cast<std::size_t>(rank_)]; }

  intrank_t rank_ = -1;
  std::ptrdiff_t offset_ = 0;
};

template <class T, class U>
global_ptr<T> reinterpret_pointer_cast(const global_ptr<U>& pointer) {
  return pointer.is_null() ? global_ptr<T>() : global_ptr<T>::at(pointer.where(), pointer.offset());
}
template <class T, class U>
requires(requires(U* object) {
  static_cast<T*>(object);
}) global_ptr<T> static_pointer_cast(const global_ptr<U>& pointer) {
  if (pointer.is_null()) return {};
  // A base may begin elsewhere than its object. A pointer of that type into this rank's own segment tells by
  // how many bytes.
  std::byte* own = detail::segments().bases[static_cast<std::size_t>(rank_me())];
  T* moved = static_cast<T*>(reinterpret_cast<U*>(own + pointer.offset()));
  return global_ptr<T>::at(pointer.where(), reinterpret_cast<const std::byte*>(moved) - own);
}
template <class T, class U>
requires(requires(U* object) {
  const_cast<T*>(object);
}) global_ptr<T> const_pointer_cast(const global_ptr<U>& pointer) {
  return reinterpret_pointer_cast<T>(pointer);
}

/// The global pointer to an object in a shared heap of this node; null if it is in none.
template <class T>
global_ptr<T> try_global_ptr(T* object) {
  const auto* address = reinterpret_cast<const std::byte*>(object);
  const detail::Segments& segments = detail::segments();
  for (std::size_t rank = 0; object != nullptr && rank < segments.bases.size(); ++rank) {
    const std::byte* base = segments.bases[rank];
    if (base != nullptr && !std::less<>()(address, base) &&
        std::less<>()(address, base + segments.size_bytes))
      return global_ptr<T>::at(static_cast<intrank_t>(rank), address - base);
  }
  return {};
}
/// @pre the object is null, or in a shared heap of this node
template <class T>
global_ptr<T> to_global_ptr(T* object) {
  return try_global_ptr(object);
}

}  // namespace upcxx

template <class T>
struct std::hash<upcxx::global_ptr<T>> {
  std::size_t operator()(const upcxx::global_ptr<T>& pointer) const {
    return std::hash<std::ptrdiff_t>()(pointer.offset()) * 31 + std::hash<int>()(pointer.where());
  }
};
