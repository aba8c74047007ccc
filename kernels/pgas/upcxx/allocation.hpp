// SPDX-License-Identifier: MIT
#pragma once

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
/// From this rank's shared heap. @returns null if there is no room
void* allocate_bytes(std::size_t size_bytes, std::size_t alignment);
void deallocate_bytes(void* memory);
}  // namespace detail

/// Room for so many objects, not constructed; null if there is none.
template <class T>
global_ptr<T> allocate(std::size_t count = 1, std::size_t alignment = alignof(T)) {
  return to_global_ptr(static_cast<T*>(detail::allocate_bytes(count * sizeof(T), alignment)));
}
/// @pre the memory is this rank's
template <class T>
void deallocate(global_ptr<T> memory) {
  if (memory) detail::deallocate_bytes(memory.local());
}

template <class T, class... Arguments>
global_ptr<T> new_(Arguments&&... arguments) {
  const global_ptr<T> memory = allocate<T>();
  if (!memory) throw bad_shared_alloc();
  ::new (memory.local()) T(std::forward<Arguments>(arguments)...);
  return memory;
}

/// Elements are default-constructed, as new T[n] does: those of arithmetic types are left unset.
template <class T>
global_ptr<T> new_array(std::size_t count) {
  // Room for the count before the first element, for delete_array.
  constexpr std::size_t header = alignof(T) > alignof(std::size_t) ? alignof(T) : sizeof(std::size_t);
  if (count > (static_cast<std::size_t>(-1) - header) / sizeof(T)) throw bad_shared_alloc();
  constexpr std::size_t alignment = alignof(T) > alignof(std::size_t) ? alignof(T) : alignof(std::size_t);
  auto* memory = static_cast<std::byte*>(detail::allocate_bytes(header + count * sizeof(T), alignment));
  if (memory == nullptr) throw bad_shared_alloc();
  ::new (memory) std::size_t(count);
  T* elements = reinterpret_cast<T*>(memory + header);
  std::uninitialized_default_construct_n(elements, count);
  return to_global_ptr(elements);
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
