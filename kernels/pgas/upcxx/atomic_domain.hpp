// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/team.hpp>
#include <vector>

namespace upcxx {

enum class atomic_op { load, store, add, fetch_add, sub, fetch_sub, inc, fetch_inc, dec, fetch_dec };

namespace detail {

enum class AtomicUpdate { none, replace, add };

/// `target` op= *operand; what was there before goes to *before. Then progress() calls `completed`.
void update_atomically(AtomicUpdate update, MPI_Datatype type, const void* operand, void* before,
                       intrank_t rank, std::ptrdiff_t offset, std::function<void()> completed);

template <std::integral T>
MPI_Datatype mpi_integer() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 8) return is_signed ? MPI_INT64_T : MPI_UINT64_T;
  static_assert(sizeof(T) == 8 || sizeof(T) == 4, "atomics are of 4 or 8 bytes");
  return is_signed ? MPI_INT32_T : MPI_UINT32_T;
}

}  // namespace detail

/// Atomic updates of integers in shared heaps. While it is used on an object, the object is accessed in no
/// other way.
template <std::integral T>
class atomic_domain {
 public:
  explicit atomic_domain(const std::vector<atomic_op>& /*operations: all there are*/, const team& = world()) {
  }
  /// Collective.
  void destroy() {}

  future<T> load(global_ptr<const T> from, std::memory_order /*order*/) const {
    return fetch(detail::AtomicUpdate::none, from, T{});
  }
  future<> store(global_ptr<T> to, T value, std::memory_order /*order*/) const {
    return update(detail::AtomicUpdate::replace, to, value);
  }
  future<> add(global_ptr<T> to, T value, std::memory_order /*order*/) const {
    return update(detail::AtomicUpdate::add, to, value);
  }
  future<T> fetch_add(global_ptr<T> to, T value, std::memory_order /*order*/) const {
    return fetch(detail::AtomicUpdate::add, to, value);
  }
  future<> sub(global_ptr<T> to, T value, std::memory_order order) const {
    return add(to, negative(value), order);
  }
  future<T> fetch_sub(global_ptr<T> to, T value, std::memory_order order) const {
    return fetch_add(to, negative(value), order);
  }
  future<> inc(global_ptr<T> to, std::memory_order order) const { return add(to, T{1}, order); }
  future<T> fetch_inc(global_ptr<T> to, std::memory_order order) const { return fetch_add(to, T{1}, order); }
  future<> dec(global_ptr<T> to, std::memory_order order) const { return sub(to, T{1}, order); }
  future<T> fetch_dec(global_ptr<T> to, std::memory_order order) const { return fetch_sub(to, T{1}, order); }

 private:
  static T negative(T value) { return static_cast<T>(T{0} - value); }

  static future<T> fetch(detail::AtomicUpdate update, global_ptr<const T> object, T operand) {
    struct Operation {
      detail::SharedState<T> state;
      T operand, before;
    };
    const auto operation = std::make_shared<Operation>();
    operation->operand = operand;
    detail::update_atomically(update, detail::mpi_integer<T>(), &operation->operand, &operation->before,
                              object.where(), object.offset(),
                              [operation] { operation->state.fulfil({operation->before}); });
    return future<T>(std::shared_ptr<detail::SharedState<T>>(operation, &operation->state));
  }
  static future<> update(detail::AtomicUpdate kind, global_ptr<T> object, T operand) {
    return fetch(kind, object, operand).then([](const T&) {});
  }
};

}  // namespace upcxx
