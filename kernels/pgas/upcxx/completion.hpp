// SPDX-License-Identifier: MIT
#pragma once

#include <upcxx/future.hpp>
#include <upcxx/promise.hpp>
#include <utility>

namespace upcxx {

namespace detail {

struct FutureCompletion {};
template <class... T>
struct PromiseCompletion {
  promise<T...> notified;
};

/// What an operation returns, by how its completion is reported.
template <class... T>
future<T...> complete(future<T...> operation, FutureCompletion) {
  return operation;
}
template <class... T, class... Promised>
void complete(future<T...> operation, PromiseCompletion<Promised...> completion) {
  completion.notified.require_anonymous(1);
  operation.then([notified = std::move(completion.notified)](const T&... values) {
    if constexpr (sizeof...(T) == 0) {
      notified.fulfill_anonymous(1);
    } else {
      notified.fulfill_result(values...);
    }
  });
}

}  // namespace detail

/// How the completion of an operation is reported: by the future it returns, or to a promise.
struct operation_cx {
  static detail::FutureCompletion as_future() { return {}; }
  template <class... T>
  static detail::PromiseCompletion<T...> as_promise(promise<T...> notified) {
    return {std::move(notified)};
  }
};

}  // namespace upcxx
