// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finegrain {

/// A rank's requests while it is simulated: what is still under way of each, and when the rest is complete.
/// A rank that only ever waits for all of them makes none, and all is of one.
class Requests {
 public:
  /// The number of the newest request. What is started or expected now is of that one.
  std::int64_t newest() const { return first_ + static_cast<std::int64_t>(requests_.size()) - 1; }
  void open(std::int32_t count) { requests_.resize(requests_.size() + static_cast<std::size_t>(count)); }
  /// @pre the newest request is complete, and nobody waits for it
  void close() { requests_.pop_back(); }

  /// Something more of the newest request is under way, until finish().
  void start() { ++requests_.back().under_way; }
  /// Of the newest request, something is complete at this time.
  void expect(double at_s) { requests_.back().expect(at_s); }
  /// Something that start() noted is complete at this time, which may be to come.
  /// @returns whether the rank waits for nothing that is under way any more, and did
  bool finish(std::int64_t number, double at_s) {
    Request& request = requests_[static_cast<std::size_t>(number - first_)];
    request.expect(at_s);
    --request.under_way;
    return number >= awaited_from_ && number < awaited_to_ && --awaited_ == 0;
  }

  /// The rank waits for all requests, or for `count` from the one made `oldest` requests ago on.
  /// @returns whether nothing of them is under way
  bool wait_for_all() { return wait(first_, newest() + 1); }
  bool wait_for(std::int64_t oldest, std::int64_t count) {
    const std::int64_t from = newest() + 1 - oldest;
    return wait(std::max(from, first_), std::max(from + count, first_));
  }
  /// The wait is over. @returns when all of what was awaited is complete
  double end_wait() {
    double complete_s = 0;
    for (std::int64_t number = awaited_from_; number < awaited_to_; ++number) {
      Request& request = requests_[static_cast<std::size_t>(number - first_)];
      complete_s = std::max(complete_s, request.complete_s);
      request.was_awaited = true;
    }
    awaited_from_ = awaited_to_ = 0;
    forget();
    return complete_s;
  }

 private:
  struct Request {
    std::int64_t under_way = 0;
    double complete_s = 0;
    bool was_awaited = false;

    void expect(double at_s) { complete_s = std::max(complete_s, at_s); }
  };

  bool wait(std::int64_t from, std::int64_t to) {
    awaited_from_ = from;
    awaited_to_ = to;
    awaited_ = 0;
    for (std::int64_t number = from; number < to; ++number)
      awaited_ += requests_[static_cast<std::size_t>(number - first_)].under_way;
    return awaited_ == 0;
  }

  /// The oldest requests, if the rank has waited for them: when they are half of those that are kept, so that
  /// each is moved once. The newest stays.
  void forget() {
    if (requests_.size() == 1) return;
    const auto open = std::find_if(requests_.begin(), requests_.end() - 1,
                                   [](const Request& request) { return !request.was_awaited; });
    const auto awaited = static_cast<std::size_t>(open - requests_.begin());
    if (2 * awaited < requests_.size()) return;
    requests_.erase(requests_.begin(), open);
    first_ += static_cast<std::int64_t>(awaited);
  }

  std::vector<Request> requests_{1};
  std::int64_t first_ = 0;  ///< number of the oldest that is kept
  std::int64_t awaited_from_ = 0;
  std::int64_t awaited_to_ = 0;
  std::int64_t awaited_ = 0;  ///< parts of them that are under way
};

}  // namespace finegrain
