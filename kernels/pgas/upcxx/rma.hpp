// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>

namespace upcxx {

namespace detail {

enum class Direction { get, put };

/// Moves bytes between this rank's memory and a rank's segment on another node. `completed` is called by
/// progress(): of a get when the bytes are here, of a put when they are there.
void transfer(Direction direction, void* here, intrank_t rank, std::ptrdiff_t offset, std::size_t size_bytes,
              std::function<void()> completed);

template <class T>
constexpr void require_trivial() {
  static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable types are transferred");
}

}  // namespace detail

/// The object's value. Within the node it is loaded at once.
template <class T>
future<std::remove_const_t<T>> rget(global_ptr<T> source) {
  using Value = std::remove_const_t<T>;
  detail::require_trivial<Value>();
  if (source.is_local()) return make_future(Value(*source.local()));
  struct Arrival {
    detail::SharedState<Value> state;
    Value value;
  };
  const auto arrival = std::make_shared<Arrival>();
  detail::transfer(detail::Direction::get, &arrival->value, source.where(), source.offset(), sizeof(Value),
                   [arrival] { arrival->state.fulfil({arrival->value}); });
  return future<Value>(std::shared_ptr<detail::SharedState<Value>>(arrival, &arrival->state));
}

/// Copies `count` elements to private memory, which must stay until the future is ready.
template <class T>
future<> rget(global_ptr<T> source, std::remove_const_t<T>* target, std::size_t count) {
  detail::require_trivial<std::remove_const_t<T>>();
  if (source.is_local()) {
    if (count > 0) std::memcpy(target, source.local(), count * sizeof(T));
    return make_future();
  }
  const auto state = std::make_shared<detail::SharedState<>>();
  detail::transfer(detail::Direction::get, target, source.where(), source.offset(), count * sizeof(T),
                   [state] { state->fulfil({}); });
  return future<>(state);
}

/// Copies `count` elements from private memory, which must stay until the future is ready: then they are
/// there.
template <class T>
future<> rput(const T* source, global_ptr<T> target, std::size_t count) {
  detail::require_trivial<T>();
  if (target.is_local()) {
    if (count > 0) std::memcpy(target.local(), source, count * sizeof(T));
    return make_future();
  }
  const auto state = std::make_shared<detail::SharedState<>>();
  detail::transfer(detail::Direction::put, const_cast<T*>(source), target.where(), target.offset(),
                   count * sizeof(T), [state] { state->fulfil({}); });
  return future<>(state);
}

template <class T>
future<> rput(T value, global_ptr<T> target) {
  detail::require_trivial<T>();
  if (target.is_local()) {
    *target.local() = value;
    return make_future();
  }
  const auto kept = std::make_shared<T>(value);
  return rput(kept.get(), target, 1).then([kept] {});
}

}  // namespace upcxx
