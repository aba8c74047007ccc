// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <type_traits>
#include <upcxx/collectives.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/team.hpp>
#include <vector>

namespace upcxx {

enum class atomic_op {
  load,
  store,
  compare_exchange,
  add,
  fetch_add,
  sub,
  fetch_sub,
  inc,
  fetch_inc,
  dec,
  fetch_dec
};

namespace detail {

enum class AtomicUpdate { none, replace, add };

/// `target` op= *operand; what was there before goes to *before. Then progress() calls `completed`.
void update_atomically(AtomicUpdate update, MPI_Datatype type, const void* operand, void* before,
                       intrank_t rank, std::ptrdiff_t offset, std::function<void()> completed);
/// `target` = *desired if it equals *expected; everything else is as in update_atomically().
void compare_and_swap(MPI_Datatype type, const void* expected, const void* desired, void* before,
                      intrank_t rank, std::ptrdiff_t offset, std::function<void()> completed);

template <class T>
MPI_Datatype mpi_arithmetic() {
  static_assert(sizeof(T) == 8 || sizeof(T) == 4, "atomics are of 4 or 8 bytes");
  if constexpr (std::floating_point<T>) return sizeof(T) == 8 ? MPI_DOUBLE : MPI_FLOAT;
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 8) return is_signed ? MPI_INT64_T : MPI_UINT64_T;
  return is_signed ? MPI_INT32_T : MPI_UINT32_T;
}

}  // namespace detail

/// Atomic updates of numbers in shared heaps. While a domain is used on an object, the object must not be
/// accessed in any other way.
template <class T>
requires std::is_arithmetic_v<T>
class atomic_domain {
 public:
  atomic_domain() = default;
  /// Collective.
  atomic_domain(const std::vector<atomic_op>& /*operations: all there are*/, const team& members = world())
      : members_(&members) {}
  atomic_domain(atomic_domain&&) = default;
  atomic_domain& operator=(atomic_domain&&) = default;
  /// Collective.
  void destroy(entry_barrier entry = entry_barrier::user) {
    if (entry != entry_barrier::none) barrier(*members_);
  }

  template <class Completion = detail::FutureCompletion>
  auto load(global_ptr<const T> from, std::memory_order /*order*/, Completion completion = {}) const {
    return detail::complete(fetch(detail::AtomicUpdate::none, from, T{}), completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto store(global_ptr<T> to, T value, std::memory_order /*order*/, Completion completion = {}) const {
    return detail::complete(without_value(fetch(detail::AtomicUpdate::replace, to, value)), completion);
  }
  /// Stores `desired` if the value there is `expected`. The result is the value that was there before.
  template <class Completion = detail::FutureCompletion>
  auto compare_exchange(global_ptr<T> to, T expected, T desired, std::memory_order /*order*/,
                        Completion completion = {}) const {
    static_assert(std::integral<T>, "compare_exchange is for integers");
    return detail::complete(exchange(to, expected, desired), completion);
  }

  template <class Completion = detail::FutureCompletion>
  auto fetch_add(global_ptr<T> to, T value, std::memory_order /*order*/, Completion completion = {}) const {
    return detail::complete(fetch(detail::AtomicUpdate::add, to, value), completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto add(global_ptr<T> to, T value, std::memory_order /*order*/, Completion completion = {}) const {
    return detail::complete(without_value(fetch(detail::AtomicUpdate::add, to, value)), completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto fetch_sub(global_ptr<T> to, T value, std::memory_order order, Completion completion = {}) const {
    return fetch_add(to, negative(value), order, completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto sub(global_ptr<T> to, T value, std::memory_order order, Completion completion = {}) const {
    return add(to, negative(value), order, completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto fetch_inc(global_ptr<T> to, std::memory_order order, Completion completion = {}) const {
    return fetch_add(to, T{1}, order, completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto inc(global_ptr<T> to, std::memory_order order, Completion completion = {}) const {
    return add(to, T{1}, order, completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto fetch_dec(global_ptr<T> to, std::memory_order order, Completion completion = {}) const {
    return fetch_sub(to, T{1}, order, completion);
  }
  template <class Completion = detail::FutureCompletion>
  auto dec(global_ptr<T> to, std::memory_order order, Completion completion = {}) const {
    return sub(to, T{1}, order, completion);
  }

 private:
  struct Operation {
    detail::SharedState<T> state;
    T operand, expected, before;
  };

  static T negative(T value) { return static_cast<T>(T{0} - value); }
  static future<> without_value(const future<T>& operation) {
    return operation.then([](const T&) {});
  }
  static future<T> value_before(const std::shared_ptr<Operation>& operation) {
    return future<T>(std::shared_ptr<detail::SharedState<T>>(operation, &operation->state));
  }

  static future<T> fetch(detail::AtomicUpdate update, global_ptr<const T> object, T operand) {
    const auto operation = std::make_shared<Operation>();
    operation->operand = operand;
    detail::update_atomically(update, detail::mpi_arithmetic<T>(), &operation->operand, &operation->before,
                              object.where(), object.offset(),
                              [operation] { operation->state.fulfil({operation->before}); });
    return value_before(operation);
  }
  static future<T> exchange(global_ptr<T> object, T expected, T desired) {
    const auto operation = std::make_shared<Operation>();
    operation->operand = desired;
    operation->expected = expected;
    detail::compare_and_swap(detail::mpi_arithmetic<T>(), &operation->expected, &operation->operand,
                             &operation->before, object.where(), object.offset(),
                             [operation] { operation->state.fulfil({operation->before}); });
    return value_before(operation);
  }

  const team* members_ = nullptr;
};

}  // namespace upcxx
