// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <upcxx/global_ptr.hpp>
#include <utility>

namespace upcxx {

/// This rank's shared heap has no room. Raise UPCXX_SHARED_HEAP_SIZE.
struct bad_shared_alloc : std::bad_alloc {
  const char* what() const noexcept override;
};

namespace detail {
/// Allocates from this rank's shared heap. @returns null if there is no room
void* allocate_bytes(std::size_t size_bytes, std::size_t alignment);
void deallocate_bytes(void* memory);
/// More bytes than any heap has; two sizes up to it can be added without overflow.
inline constexpr std::size_t most_bytes = std::numeric_limits<std::size_t>::max() / 2;
}  // namespace detail

/// Memory of this rank's shared heap; null if there is none.
inline void* allocate(std::size_t size_bytes, std::size_t alignment = alignof(std::max_align_t)) {
  return detail::allocate_bytes(size_bytes, alignment);
}
/// @pre the memory is null, or allocate() gave it to this rank
inline void deallocate(void* memory) {
  if (memory != nullptr) detail::deallocate_bytes(memory);
}

/// Memory for this many objects, which are not constructed; null if there is not enough.
template <class T>
global_ptr<T> allocate(std::size_t count = 1, std::size_t alignment = alignof(T)) {
  if (count > detail::most_bytes / sizeof(T)) return {};
  return to_global_ptr(static_cast<T*>(detail::allocate_bytes(count * sizeof(T), alignment)));
}
/// @pre the memory is this rank's
template <class T>
void deallocate(global_ptr<T> memory) {
  if (memory) detail::deallocate_bytes(memory.local());
}

namespace detail {
/// Constructs something in memory of the shared heap. The memory is given back if a constructor throws.
template <class Construct>
void construct_in(void* memory, Construct construct) {
  try {
    construct();
  } catch (...) {
    deallocate_bytes(memory);
    throw;
  }
}
}  // namespace detail

/// Null if there is no room.
template <class T, class... Arguments>
global_ptr<T> new_(const std::nothrow_t&, Arguments&&... arguments) {
  const global_ptr<T> memory = allocate<T>();
  if (memory) {
    T* object = memory.local();
    detail::construct_in(object, [&] { ::new (object) T(std::forward<Arguments>(arguments)...); });
  }
  return memory;
}
/// @throws bad_shared_alloc if there is no room
template <class T, class... Arguments>
global_ptr<T> new_(Arguments&&... arguments) {
  const global_ptr<T> object = new_<T>(std::nothrow, std::forward<Arguments>(arguments)...);
  if (!object) throw bad_shared_alloc();
  return object;
}

/// Elements are default-constructed, as new T[n] does: those of arithmetic types are left unset. Null if
/// there is no room.
template <class T>
global_ptr<T> new_array(std::size_t count, const std::nothrow_t&) {
  // Room for the count before the first element, for delete_array.
  constexpr std::size_t header = alignof(T) > alignof(std::size_t) ? alignof(T) : sizeof(std::size_t);
  if (count > detail::most_bytes / sizeof(T)) return {};
  constexpr std::size_t alignment = alignof(T) > alignof(std::size_t) ? alignof(T) : alignof(std::size_t);
  auto* memory = static_cast<std::byte*>(detail::allocate_bytes(header + count * sizeof(T), alignment));
  if (memory == nullptr) return {};
  ::new (memory) std::size_t(count);
  T* elements = reinterpret_cast<T*>(memory + header);
  detail::construct_in(memory, [&] { std::uninitialized_default_construct_n(elements, count); });
  return to_global_ptr(elements);
}
/// @throws bad_shared_alloc if there is no room
template <class T>
global_ptr<T> new_array(std::size_t count) {
  const global_ptr<T> array = new_array<T>(count, std::nothrow);
  if (!array) throw bad_shared_alloc();
  return array;
}

/// @pre made by this rank with new_
template <class T>
void delete_(global_ptr<T> object) {
  if (!object) return;
  std::destroy_at(object.local());
  detail::deallocate_bytes(object.local());
}

/// @pre made by this rank with new_array
template <class T>
void delete_array(global_ptr<T> array) {
  if (!array) return;
  constexpr std::size_t header = alignof(T) > alignof(std::size_t) ? alignof(T) : sizeof(std::size_t);
  auto* memory = reinterpret_cast<std::byte*>(array.local()) - header;
  std::destroy_n(array.local(), *reinterpret_cast<std::size_t*>(memory));
  detail::deallocate_bytes(memory);
}

}  // namespace upcxx
