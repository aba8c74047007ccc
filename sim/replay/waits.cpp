// SPDX-License-Identifier: MIT
#include "sim/replay/waits.hpp"

#include <algorithm>
#include <iterator>

namespace finegrain::replay {
namespace {

constexpr WaitCause all_causes[] = {
    {"late_sender_s", "late sender", "seconds until the sender of a message had come to sending it",
     &Waits::late_sender_s},
    {"late_receiver_s", "late receiver",
     "seconds until the receiver of a long message, which waits for it, expected it",
     &Waits::late_receiver_s},
    {"late_collective_s", "late for a collective",
     "seconds until the ranks had entered on which the rank's part of a collective or barrier depends",
     &Waits::late_collective_s},
    {"transfer_s", "transfer",
     "seconds of latency, and of bytes that have all links of their way to themselves", &Waits::transfer_s},
    {"contention_s", "contention",
     "seconds that a transfer takes longer because other bytes use its links or memory, too",
     &Waits::contention_s},
    {"lock_s", "lock", "seconds until another rank had released the lock of a window", &Waits::lock_s},
};

}  // namespace

Waits& Waits::add(const Waits& other, double times) {
  for (const WaitCause& cause : all_causes)
    this->*cause.seconds += times * (other.*cause.seconds);
  return *this;
}

void PhaseWaits::add(std::size_t phase, const Waits& waits) {
  is_known_ = true;
  auto part = std::ranges::lower_bound(parts_, phase, {}, &Part::phase);
  for (std::uint32_t cause = 0; cause < std::size(all_causes); ++cause) {
    const double seconds = waits.*(all_causes[cause].seconds);
    if (seconds == 0) continue;
    while (part != parts_.end() && part->phase == phase && part->cause < cause)
      ++part;
    if (part != parts_.end() && part->phase == phase && part->cause == cause)
      part->seconds += seconds;
    else
      part = parts_.insert(part, {static_cast<std::uint32_t>(phase), cause, seconds});
  }
}

void PhaseWaits::add(const PhaseWaits& other, double times) {
  is_known_ = is_known_ || other.is_known_;
  for (const Part& part : other.parts_) {
    Waits waits;
    waits.*(all_causes[part.cause].seconds) = times * part.seconds;
    add(part.phase, waits);
  }
}

Waits PhaseWaits::of(std::size_t phase) const {
  Waits waits;
  for (auto part = std::ranges::lower_bound(parts_, phase, {}, &Part::phase);
       part != parts_.end() && part->phase == phase; ++part)
    waits.*(all_causes[part->cause].seconds) = part->seconds;
  return waits;
}

Waits PhaseWaits::sum() const {
  Waits sum;
  for (const Part& part : parts_)
    sum.*(all_causes[part.cause].seconds) += part.seconds;
  return sum;
}

std::span<const WaitCause> wait_causes() {
  return all_causes;
}

bool has_cause(const Waits& waits, const WaitCause& cause) {
  constexpr double least_share = 1e-6;
  return waits.*cause.seconds > least_share * waits.total_s();
}

}  // namespace finegrain::replay
