// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <upcxx/runtime.hpp>
#include <utility>
#include <vector>

namespace upcxx {

template <class... T>
class future;

namespace detail {

/// What a future waits for.
template <class... T>
class SharedState {
 public:
  bool is_ready() const { return values_.has_value(); }
  const std::tuple<T...>& values() const { return *values_; }

  void fulfil(std::tuple<T...> values) {
    values_.emplace(std::move(values));
    for (auto& continuation : std::exchange(continuations_, {}))
      run_soon(std::move(continuation));
  }
  /// @pre not ready
  void then(std::function<void()> continuation) { continuations_.push_back(std::move(continuation)); }

 private:
  std::optional<std::tuple<T...>> values_;
  std::vector<std::function<void()>> continuations_;
};

/// The future type that a callback's result becomes.
template <class Result>
struct AsFuture {
  using type = future<Result>;
};
template <>
struct AsFuture<void> {
  using type = future<>;
};
template <class... T>
struct AsFuture<future<T...>> {
  using type = future<T...>;
};

}  // namespace detail

/// Values that will be there. They are ready already, or their state is shared with the operation that brings
/// them.
template <class... T>
class future {
 public:
  /// Never ready.
  future() : state_(std::make_shared<detail::SharedState<T...>>()) {}
  explicit future(std::tuple<T...> values) : values_(std::move(values)) {}
  explicit future(std::shared_ptr<detail::SharedState<T...>> state) : state_(std::move(state)) {}

  bool is_ready() const { return values_ || state_->is_ready(); }
  bool ready() const { return is_ready(); }

  /// The value with this index. Without an index: nothing if there are no values, the value if there is one,
  /// a tuple if there are more. @pre is_ready()
  template <int index = -1>
  auto result() const {
    if constexpr (index >= 0) {
      return std::get<index>(values());
    } else if constexpr (sizeof...(T) == 1) {
      return std::get<0>(values());
    } else if constexpr (sizeof...(T) > 1) {
      return values();
    }
  }
  std::tuple<T...> result_tuple() const { return values(); }

  /// Lets communication advance until the values are there. @returns result()
  template <int index = -1>
  auto wait() const {
    while (!is_ready())
      detail::progress_of_wait();
    return result<index>();
  }
  std::tuple<T...> wait_tuple() const {
    wait();
    return values();
  }

  /// Calls `callback` with the values: now if they are there, or as soon as they are. @returns a future
  /// of what the callback returns, which may be a future itself
  template <class Callback>
  auto then(Callback callback) const {
    using Result = typename detail::AsFuture<std::invoke_result_t<Callback, const T&...>>::type;
    if (is_ready()) return call<Result>(std::move(callback), values());
    Result result;
    // Shared, because a std::function must be copyable, but a callback may be one that can only be moved.
    state_->then([state = state_, kept = std::make_shared<Callback>(std::move(callback)), result]() mutable {
      result.follow(call<Result>(std::move(*kept), state->values()));
    });
    return result;
  }

 private:
  template <class...>
  friend class future;

  const std::tuple<T...>& values() const { return values_ ? *values_ : state_->values(); }

  template <class Result, class Callback>
  static Result call(Callback&& callback, const std::tuple<T...>& values) {
    using Returned = std::invoke_result_t<Callback, const T&...>;
    if constexpr (std::is_void_v<Returned>) {
      std::apply(std::move(callback), values);
      return Result(std::tuple<>());
    } else if constexpr (std::is_same_v<Returned, Result>) {
      return std::apply(std::move(callback), values);
    } else {
      return Result(std::tuple<Returned>(std::apply(std::move(callback), values)));
    }
  }

  /// Becomes ready with another future's values. @pre this future is neither ready nor bound to an operation
  void follow(const future& other) {
    if (other.is_ready()) return state_->fulfil(other.values());
    other.state_->then([state = state_, from = other.state_] { state->fulfil(from->values()); });
  }

  std::optional<std::tuple<T...>> values_;
  std::shared_ptr<detail::SharedState<T...>> state_;
};

template <class... T>
future<T...> make_future(T... values) {
  return future<T...>(std::tuple<T...>(std::move(values)...));
}

/// Returns a future unchanged, and turns a value into a future that is ready.
template <class T>
future<T> to_future(T value) {
  return make_future(std::move(value));
}
template <class... T>
future<T...> to_future(future<T...> already) {
  return already;
}

namespace detail {

inline future<> join() {
  return make_future();
}
template <class... T>
future<T...> join(future<T...> only) {
  return only;
}
template <class... A, class... B, class... Rest>
auto join(future<A...> a, future<B...> b, Rest... rest) {
  const auto both = a.then([b](const A&... of_a) {
    return b.then([... of_a = of_a](const B&... of_b) { return make_future(of_a..., of_b...); });
  });
  return join(both, std::move(rest)...);
}

}  // namespace detail

/// A future that is ready when all arguments are, with all their values. An argument that is not a future
/// counts as the value of a ready one.
template <class... Argument>
auto when_all(Argument... arguments) {
  return detail::join(to_future(std::move(arguments))...);
}

}  // namespace upcxx
