// SPDX-License-Identifier: MIT
#include "sim/replay/engine/matching.hpp"

namespace finegrain::replay {

std::optional<Expectation> Matching::end(std::size_t connection, std::int64_t message,
                                         const Completion& ended) {
  const auto expected = channels_[connection].end(message, ended, pool_);
  if (expected) note_arrival(expected->strand, expected->wildcard, ended.at_s + expected->latency_s);
  return expected;
}

std::optional<Arrival> Matching::expect(std::size_t connection, Expectation expectation, bool any_source) {
  if (any_source) expectation.wildcard = arrivals_[expectation.strand].number_next();
  const auto arrival = channels_[connection].expect(expectation, pool_);
  if (arrival) note_arrival(expectation.strand, expectation.wildcard, arrival->there.at_s);
  return arrival;
}

void Matching::note_arrival(std::size_t rank, std::int64_t wildcard, double at_s) {
  if (wildcard == 0) return;
  ++wildcards_;
  out_of_order_ += arrivals_[rank].note(wildcard, at_s);
}

UnreceivedMessages Matching::unreceived(const std::vector<Connection>& connections) const {
  UnreceivedMessages all;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const std::int64_t count = channels_[c].unreceived();
    const Connection& connection = connections[c];
    if (count == 0) continue;
    if (all.count == 0) all = {0, connection.sender, connection.receiver, connection.tag};
    all.count += count;
  }
  return all;
}

}  // namespace finegrain::replay
