// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <upcxx/completion.hpp>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>
#include <utility>
#include <vector>

namespace upcxx {

namespace detail {

enum class Direction { get, put };

/// Moves bytes between this rank's memory and a rank's segment on another node. progress() calls `completed`:
/// for a get when the bytes have arrived here, for a put when they have arrived there.
void transfer(Direction direction, void* here, intrank_t rank, std::ptrdiff_t offset, std::size_t size_bytes,
              std::function<void()> completed);

/// A stretch of bytes: its beginning, an address or an offset in a segment, and its length.
struct Stretch {
  std::ptrdiff_t begin;
  std::size_t size_bytes;
};

/// Gets many stretches at once. Both lists hold equally many bytes.
void gather(const std::vector<Stretch>& here, intrank_t rank, const std::vector<Stretch>& there,
            std::function<void()> completed);

template <class T>
constexpr void require_trivial() {
  static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable types are transferred");
}

}  // namespace detail

/// The object's value. Within the node it is loaded at once.
template <class T, class Completion = detail::FutureCompletion>
auto rget(global_ptr<T> source, Completion completion = {}) {
  using Value = std::remove_const_t<T>;
  detail::require_trivial<Value>();
  if (source.is_local()) return detail::complete(make_future(Value(*source.local())), completion);
  struct Arrival {
    detail::SharedState<Value> state;
    Value value;
  };
  const auto arrival = std::make_shared<Arrival>();
  detail::transfer(detail::Direction::get, &arrival->value, source.where(), source.offset(), sizeof(Value),
                   [arrival] { arrival->state.fulfil({arrival->value}); });
  return detail::complete(
      future<Value>(std::shared_ptr<detail::SharedState<Value>>(arrival, &arrival->state)), completion);
}

namespace detail {

/// Within the node the bytes are copied at once.
template <class Value>
future<> move_values(Direction direction, Value* here, global_ptr<const Value> there, std::size_t count) {
  require_trivial<Value>();
  if (there.is_local()) {
    Value* in_heap = const_cast<Value*>(there.local());
    const bool is_get = direction == Direction::get;
    if (count > 0) std::memcpy(is_get ? here : in_heap, is_get ? in_heap : here, count * sizeof(Value));
    return make_future();
  }
  const auto state = std::make_shared<SharedState<>>();
  transfer(direction, here, there.where(), there.offset(), count * sizeof(Value),
           [state] { state->fulfil({}); });
  return future<>(state);
}

}  // namespace detail

/// Copies `count` elements to private memory, which must stay until the operation is complete.
template <class T, class Completion = detail::FutureCompletion>
auto rget(global_ptr<T> source, std::remove_const_t<T>* target, std::size_t count,
          Completion completion = {}) {
  return detail::complete(
      detail::move_values<std::remove_const_t<T>>(detail::Direction::get, target, source, count), completion);
}

/// Copies `count` elements from private memory, which must stay until the operation is complete. Then the
/// elements are at the target.
template <class T, class Completion = detail::FutureCompletion>
auto rput(const T* source, global_ptr<T> target, std::size_t count, Completion completion = {}) {
  return detail::complete(
      detail::move_values<T>(detail::Direction::put, const_cast<T*>(source), target, count), completion);
}

template <class T, class Completion = detail::FutureCompletion>
auto rput(T value, global_ptr<T> target, Completion completion = {}) {
  detail::require_trivial<T>();
  if (target.is_local()) {
    *target.local() = value;
    return detail::complete(make_future(), completion);
  }
  const auto kept = std::make_shared<T>(value);
  return detail::complete(rput(kept.get(), target, 1).then([kept] {}), completion);
}

namespace detail {

/// Within the node: copies the elements of runs of memory, one after the other, to other runs that hold as
/// many.
template <class SourceIterator, class TargetIterator>
void copy_runs(SourceIterator source, SourceIterator source_end, TargetIterator target) {
  std::size_t used = 0;  // elements of the target's run that are filled
  for (; source != source_end; ++source) {
    const auto& [pointer, length] = *source;
    const auto* from = pointer.local();
    for (std::size_t done = 0; done < length;) {
      const auto& [to, room] = *target;
      const std::size_t part = std::min(length - done, room - used);
      std::copy_n(from + done, part, to + used);
      done += part;
      used += part;
      if (used == room) {
        used = 0;
        ++target;
      }
    }
  }
}

}  // namespace detail

/// Copies runs of one rank's elements, pairs of a pointer and a length, to runs of private memory that hold
/// as many, as one transfer. The lists and the memory must stay until the operation is complete. Runs of
/// length 0 are ignored.
template <class SourceIterator, class TargetIterator, class Completion = detail::FutureCompletion>
auto rget_irregular(SourceIterator source, SourceIterator source_end, TargetIterator target,
                    TargetIterator target_end, Completion completion = {}) {
  using Value = std::remove_pointer_t<
      std::tuple_element_t<0, typename std::iterator_traits<TargetIterator>::value_type>>;
  detail::require_trivial<Value>();
  if (source == source_end) return detail::complete(make_future(), completion);
  if (std::get<0>(*source).is_local()) {
    detail::copy_runs(source, source_end, target);
    return detail::complete(make_future(), completion);
  }
  std::vector<detail::Stretch> there;
  std::vector<detail::Stretch> here;
  const intrank_t rank = std::get<0>(*source).where();
  for (; source != source_end; ++source)
    there.push_back({std::get<0>(*source).offset(), std::get<1>(*source) * sizeof(Value)});
  for (; target != target_end; ++target)
    here.push_back(
        {reinterpret_cast<std::ptrdiff_t>(std::get<0>(*target)), std::get<1>(*target) * sizeof(Value)});
  const auto state = std::make_shared<detail::SharedState<>>();
  detail::gather(here, rank, there, [state] { state->fulfil({}); });
  return detail::complete(future<>(state), completion);
}

}  // namespace upcxx
