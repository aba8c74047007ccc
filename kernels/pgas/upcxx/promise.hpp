// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <upcxx/future.hpp>
#include <utility>

namespace upcxx {

/// Makes a future that becomes ready when its values are there and a number of dependencies are fulfilled. At
/// first that number is one, which finalize() fulfils. Copies share the future.
template <class... T>
class promise {
 public:
  promise(std::intptr_t dependencies = 1) : state_(std::make_shared<State>()) {
    state_->dependencies = dependencies;
  }

  void require_anonymous(std::intptr_t dependencies) const { state_->dependencies += dependencies; }
  void fulfill_anonymous(std::intptr_t dependencies) const {
    state_->dependencies -= dependencies;
    if (state_->dependencies > 0) return;
    if constexpr (sizeof...(T) == 0) {
      state_->shared.fulfil({});
    } else {
      state_->shared.fulfil(std::move(*state_->values));
    }
  }
  template <class... U>
  void fulfill_result(U&&... values) const {
    fulfill_result(std::tuple<T...>(std::forward<U>(values)...));
  }
  void fulfill_result(std::tuple<T...> values) const {
    state_->values.emplace(std::move(values));
    fulfill_anonymous(1);
  }
  future<T...> finalize() const {
    fulfill_anonymous(1);
    return get_future();
  }
  future<T...> get_future() const {
    return future<T...>(std::shared_ptr<detail::SharedState<T...>>(state_, &state_->shared));
  }

 private:
  struct State {
    detail::SharedState<T...> shared;
    std::intptr_t dependencies = 1;
    std::optional<std::tuple<T...>> values;
  };
  std::shared_ptr<State> state_;
};

}  // namespace upcxx
