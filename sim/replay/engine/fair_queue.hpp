// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace finegrain::replay {

/// Jobs that are served at the same rate at any time, such as flows on one route, or ranks that use one
/// memory. Who is served next does not depend on how the rate changes, so a job costs a place in a heap,
/// however often it does.
class FairQueue {
 public:
  bool empty() const { return jobs_.empty(); }
  std::size_t jobs() const { return jobs_.size(); }
  double rate() const { return rate_; }

  /// Every job's, in units a second, from now on.
  void set_rate(double rate, double now_s) {
    advance(now_s);
    rate_ = rate;
  }
  /// @param number  what finish() returns when it is done
  void add(double amount, std::uint32_t number, double now_s);

  /// When the next job is done if the rate stays: infinite where there is no job, or no rate.
  double next_end_s() const {
    return rate_ > 0 ? advanced_to_s_ + std::max(0.0, next_end_ - served_) / rate_ : never;
  }
  /// Takes out the job that is done next. @pre not empty(), and now_s is next_end_s()
  std::uint32_t finish(double now_s);

 private:
  struct Job {
    double end;  ///< its end in what one job is served in all
    std::uint32_t number;
  };

  void advance(double now_s) {
    served_ += rate_ * (now_s - advanced_to_s_);
    advanced_to_s_ = now_s;
  }
  static bool ends_later(const Job& a, const Job& b);

  static constexpr double never = std::numeric_limits<double>::infinity();

  std::vector<Job> jobs_;    ///< a heap, the next to end first
  double next_end_ = never;  ///< Job::end of the first
  double served_ = 0;        ///< to one job that was there since the queue was last empty
  double rate_ = 0;
  double advanced_to_s_ = 0;
};

}  // namespace finegrain::replay
