// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/replay/engine/completion.hpp"

namespace finegrain::replay {

/// A rank's requests while it is simulated: which parts of each are still under way, and when the others are
/// complete. A rank that always waits for all requests makes none: all parts belong to one request.
class Requests {
 public:
  /// The number of the newest request. What is started or expected now is of that one.
  std::int64_t newest() const { return newest_number_; }
  void open(std::int32_t count) {
    for (; count > 0; --count, ++newest_number_)
      earlier_.push_back(std::exchange(newest_, Request()));
  }
  /// @pre the newest request is complete, and nobody waits for it
  void close() {
    newest_ = Request();
    newest_.was_awaited = true;  // so was the one before, if it was forgotten
    if (!earlier_.empty()) {
      newest_ = earlier_.back();
      earlier_.pop_back();
    }
    --newest_number_;
  }

  /// Something more of the newest request is under way, until finish().
  void start() { ++newest_.under_way; }
  /// Something of the newest request is complete then.
  void expect(const Completion& done, const Partner& partner = {}) { newest_.expect(done, partner); }
  /// The request's partner has come, what it is about may be under way still.
  void partner_came(std::int64_t number, const Partner& partner) { of(number).partner.or_later(partner); }
  /// Something that start() noted is complete then, which may be to come.
  /// @returns whether the rank's wait has ended by this
  bool finish(std::int64_t number, const Completion& done, const Partner& partner) {
    Request& request = of(number);
    request.expect(done, partner);
    if (--request.under_way == 0 && request.is_passed_over) request.was_awaited = true;
    const std::int64_t place = number - awaited_from_;
    return place >= 0 && place < awaited_count_ && --awaited_ == 0;
  }

  /// The rank waits for all requests, or for `count` from the one made `oldest` requests ago on.
  /// @returns whether nothing of them is under way
  bool wait_for_all() { return wait(first(), newest_number_ + 1 - first()); }
  bool wait_for(std::int64_t oldest, std::int64_t count) {
    const std::int64_t from = newest_number_ + 1 - oldest;
    const std::int64_t forgotten = std::clamp<std::int64_t>(first() - from, 0, count);
    return wait(from + forgotten, count - forgotten);
  }
  bool awaits(std::int64_t number) const {
    return number >= awaited_from_ && number < awaited_from_ + awaited_count_;
  }
  /// The rank goes on, although what it waits for is under way. It never waits for that again.
  void pass_over() {
    for (std::int32_t place = 0; place < awaited_count_; ++place) {
      Request& request = of(awaited_from_ + place);
      (request.under_way > 0 ? request.is_passed_over : request.was_awaited) = true;
    }
    awaited_count_ = 0;
    awaited_ = 0;
  }
  struct Awaited {
    Completion done;  ///< all of it
    Partner partner;  ///< the last of it
  };
  /// The wait is over. @returns what was awaited
  Awaited end_wait() {
    Awaited awaited;
    for (std::int32_t place = 0; place < awaited_count_; ++place) {
      Request& request = of(awaited_from_ + place);
      awaited.done.or_later(request.done);
      awaited.partner.or_later(request.partner);
      request.was_awaited = true;
    }
    awaited_count_ = 0;
    if (!earlier_.empty()) forget();
    return awaited;
  }

 private:
  struct Request {
    Completion done;
    Partner partner;
    std::int32_t under_way = 0;
    bool was_awaited = false;
    bool is_passed_over = false;

    void expect(const Completion& with, const Partner& by) {
      done.or_later(with);
      partner.or_later(by);
    }
  };

  std::int64_t first() const { return newest_number_ - static_cast<std::int64_t>(earlier_.size()); }
  Request& of(std::int64_t number) {
    return number == newest_number_ ? newest_ : earlier_[static_cast<std::size_t>(number - first())];
  }

  bool wait(std::int64_t from, std::int64_t count) {
    awaited_from_ = from;
    awaited_count_ = static_cast<std::int32_t>(count);
    awaited_ = 0;
    for (std::int32_t place = 0; place < awaited_count_; ++place)
      awaited_ += of(from + place).under_way;
    return awaited_ == 0;
  }

  /// The oldest requests, if the rank has waited for them: when they are half of those that are kept, so that
  /// each is moved once.
  void forget() {
    const auto open = std::ranges::find(earlier_, false, &Request::was_awaited);
    if (2 * (open - earlier_.begin()) >= std::ssize(earlier_)) earlier_.erase(earlier_.begin(), open);
  }

  Request newest_;  ///< apart from the others, which most ranks do not have
  std::int64_t newest_number_ = 0;
  std::int64_t awaited_from_ = 0;
  std::int32_t awaited_count_ = 0;
  std::int32_t awaited_ = 0;  ///< parts of them that are under way
  std::vector<Request> earlier_;
};

}  // namespace finegrain::replay
