// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "kernels/recorder/of_thread.hpp"

namespace finegrain::recorder {

/// A vector for the time of a call, whose memory the thread's next call takes over. A call inside a call has
/// another one.
template <typename T>
class SpareVector {
 public:
  SpareVector() = default;
  SpareVector(SpareVector&& other) noexcept : elements_(std::exchange(other.elements_, nullptr)) {}
  SpareVector& operator=(SpareVector&&) = delete;
  ~SpareVector() {
    if (elements_ == nullptr) return;
    elements_->clear();
    std::swap(elements_, spare);
    delete elements_;
  }

  std::vector<T>& operator*() {
    if (elements_ == nullptr) elements_ = std::exchange(spare, nullptr);
    if (elements_ == nullptr) {
      free_at_threads_end();
      elements_ = new std::vector<T>;
    }
    return *elements_;
  }
  static void free_spare() { delete std::exchange(spare, nullptr); }

 private:
  static constinit inline thread_local std::vector<T>* spare __attribute__((tls_model("initial-exec"))) =
      nullptr;

  std::vector<T>* elements_ = nullptr;
};

}  // namespace finegrain::recorder
