// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <upcxx/completion.hpp>
#include <upcxx/future.hpp>
#include <upcxx/rma.hpp>
#include <upcxx/team.hpp>

namespace upcxx {

/// Returns when all ranks of the team are here; all of them then see what was put and stored before.
void barrier(const team& members = world());
future<> barrier_async(const team& members = world());

struct op_fast_add_t {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct op_fast_mul_t {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a * b;
  }
};
struct op_fast_min_t {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct op_fast_max_t {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
inline constexpr op_fast_add_t op_fast_add{}, op_add{};
inline constexpr op_fast_mul_t op_fast_mul{}, op_mul{};
inline constexpr op_fast_min_t op_fast_min{}, op_min{};
inline constexpr op_fast_max_t op_fast_max{}, op_max{};
inline constexpr std::bit_and<> op_fast_bit_and{}, op_bit_and{};
inline constexpr std::bit_or<> op_fast_bit_or{}, op_bit_or{};
inline constexpr std::bit_xor<> op_fast_bit_xor{}, op_bit_xor{};

namespace detail {

void broadcast_bytes(void* bytes, std::size_t size_bytes, intrank_t root, const team& members,
                     std::function<void()> completed);

/// Combines one element with another.
using Combine = std::function<void(const void* in, void* in_out)>;
/// @param root  the rank that gets the result; -1: all
void reduce_bytes(const void* source, void* target, std::size_t element_bytes, std::size_t count,
                  Combine combine, intrank_t root, const team& members, std::function<void()> completed);

template <class T, class Operation>
Combine combine_with(const Operation& operation) {
  return [operation](const void* in, void* in_out) {
    T& result = *static_cast<T*>(in_out);
    result = operation(*static_cast<const T*>(in), result);
  };
}

template <class T, class Operation>
future<T> reduce(const T& value, const Operation& operation, intrank_t root, const team& members) {
  require_trivial<T>();
  struct Result {
    SharedState<T> state;
    T in, out;
  };
  const auto result = std::make_shared<Result>();
  result->in = result->out = value;
  reduce_bytes(&result->in, &result->out, sizeof(T), 1, combine_with<T>(operation), root, members,
               [result] { result->state.fulfil({result->out}); });
  return future<T>(std::shared_ptr<SharedState<T>>(result, &result->state));
}

template <class T, class Operation>
future<> reduce(const T* source, T* target, std::size_t count, const Operation& operation, intrank_t root,
                const team& members) {
  require_trivial<T>();
  const auto state = std::make_shared<SharedState<>>();
  reduce_bytes(source, target, sizeof(T), count, combine_with<T>(operation), root, members,
               [state] { state->fulfil({}); });
  return future<>(state);
}

}  // namespace detail

/// Root's value, on every rank.
template <class T, class Completion = detail::FutureCompletion>
auto broadcast(T value, intrank_t root, const team& members = world(), Completion completion = {}) {
  detail::require_trivial<T>();
  struct Result {
    detail::SharedState<T> state;
    T value;
  };
  const auto result = std::make_shared<Result>();
  result->value = value;
  detail::broadcast_bytes(&result->value, sizeof(T), root, members,
                          [result] { result->state.fulfil({result->value}); });
  return detail::complete(future<T>(std::shared_ptr<detail::SharedState<T>>(result, &result->state)),
                          completion);
}
template <class T, class Completion = detail::FutureCompletion>
auto broadcast(T* values, std::size_t count, intrank_t root, const team& members = world(),
               Completion completion = {}) {
  detail::require_trivial<T>();
  const auto state = std::make_shared<detail::SharedState<>>();
  detail::broadcast_bytes(values, count * sizeof(T), root, members, [state] { state->fulfil({}); });
  return detail::complete(future<>(state), completion);
}

/// All ranks' values combined: on root (elsewhere the result means nothing), or on all.
template <class T, class Operation, class Completion = detail::FutureCompletion>
auto reduce_one(T value, Operation operation, intrank_t root, const team& members = world(),
                Completion completion = {}) {
  return detail::complete(detail::reduce(value, operation, root, members), completion);
}
template <class T, class Operation, class Completion = detail::FutureCompletion>
auto reduce_one(const T* source, T* target, std::size_t count, Operation operation, intrank_t root,
                const team& members = world(), Completion completion = {}) {
  return detail::complete(detail::reduce(source, target, count, operation, root, members), completion);
}
template <class T, class Operation, class Completion = detail::FutureCompletion>
auto reduce_all(T value, Operation operation, const team& members = world(), Completion completion = {}) {
  return detail::complete(detail::reduce(value, operation, -1, members), completion);
}
template <class T, class Operation, class Completion = detail::FutureCompletion>
auto reduce_all(const T* source, T* target, std::size_t count, Operation operation,
                const team& members = world(), Completion completion = {}) {
  return detail::complete(detail::reduce(source, target, count, operation, -1, members), completion);
}

}  // namespace upcxx
