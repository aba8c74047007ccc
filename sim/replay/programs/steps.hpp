// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::replay {

/// What a rank does next, in the terms of the platform: the model of every operation is decided by the
/// compiler (compiler.hpp), the simulation only executes it.
struct Step {
  enum class Kind : std::uint8_t {
    memory,       ///< moves `bytes` over the memory domain `domain`
    delay,        ///< passes `seconds`
    put,          ///< a flow of `bytes` over `route` to the node of `peer`; ends when it has
    get,          ///< a flow of `bytes` over `route` from the node of `peer`; ends when it has
    open,         ///< makes `requests`: what is started or expected from now on is of the last of them
    close,        ///< forgets the last `requests`, which are complete
    start_put,    ///< starts the flow of a put, known to be complete `latency_s` after its end, and goes on
    start_get,    ///< the same for a get
    start_fetch,  ///< as start_put; then a flow comes back over `route_back`, and only then is it complete
    expect,       ///< started what is complete `seconds` later, and goes on
    send,         ///< starts a flow of `bytes` over `connection` to `peer`, on another node, and goes on
    offer,        ///< as send or deliver, but the bytes go once `peer` expects them
    offer_copy,   ///< as copy, but once `peer` expects it
    copy,         ///< as deliver, but `bytes` of memory are moved first, while the rank goes on
    deliver,      ///< gives `peer`, on the same node, `bytes` that it has `latency_s` later
    receive,  ///< expects the next message of `connection`, which is there `latency_s` after its flow's end
    collect,  ///< expects the next message that `peer` delivers over `connection`
    wait,  ///< until all that was sent so far has left, and all that was started or is expected is complete
    wait_some,         ///< the same of `requests`, from the one made `oldest` requests ago on
    collective,        ///< carries out the collective at place `collective` of the body's
    start_collective,  ///< makes a request of it, and carries it out while the rank goes on
    lock_shared,       ///< takes `lock` together with others: until it is free for that
    lock_exclusive,    ///< takes it alone
    unlock,            ///< gives it back
    barrier,           ///< until all ranks are here, then `seconds`
    end_region,        ///< the region's time ends here; of a program, `region` is its place (region_places)
  };
  explicit Step(Kind of) : kind(of) {}

  Kind kind;
  bool any_source = false;  ///< receive and collect: it would have taken any rank's message
  /// send: the rank never waits until it has left. offer: it waits only until the receiver's answer.
  bool is_buffered = false;
  bool is_in_call = false;  ///< delay: the rank answers others meanwhile
  /// delay: the seconds are those at the host's full speed. end_region: it is work between calls.
  bool is_work = false;
  bool are_several = false;  ///< start_put and start_get: one after the other
  bool is_striped = false;   ///< send and offer: divided among all rails
  // Of each group a step has at most one, so that a program of a million ranks takes 40 bytes a step.
  union {
    std::int32_t peer = -1;  ///< the other rank
    std::int32_t requests;   ///< how many
  };
  union {
    double bytes = 0;
    double seconds;
  };
  /// The latency of the way, for start_put, start_get, start_fetch, receive and deliver, and for put and get
  /// where connections keep an order; for offer, that of the answer's way back.
  double latency_s = 0;
  union {  // places in the compiler's, except for the last three
    std::uint32_t domain = 0;
    std::uint32_t route;
    std::uint32_t connection;
    std::uint32_t lock;
    std::uint32_t collective;
    std::uint32_t region;
    std::uint32_t oldest;
  };
  union {
    std::uint32_t route_back = 0;
    /// A send's, and that of an offer to another node: how much longer its message's latency is than that of
    /// its route, by its size.
    float more_latency_s;
  };
};
static_assert(sizeof(Step) == 40);

/// Whether a rank waits in such a step, for others or for the network.
constexpr bool waits(Step::Kind kind) {
  using enum Step::Kind;
  return kind == put || kind == get || kind == wait || kind == wait_some || kind == lock_shared ||
         kind == lock_exclusive || kind == barrier;
}

/// One iteration of one rank.
struct CompiledBody {
  /// A delay that lasts as long as the region's timed work (Loop::regions_s).
  struct TimedStep {
    std::uint32_t step;
    std::uint32_t region;
    bool is_compute;  ///< whose time depends on the platform's cores: ReplayJob::compute_scale

    /// Seconds on the platform. @param recorded_s  the region's
    double seconds(double recorded_s, double compute_scale) const {
      return is_compute ? recorded_s * compute_scale : recorded_s;
    }
  };
  /// A collective operation, carried out round by round.
  struct CollectiveStep {
    collectives::Call call;  ///< its sizes are those of the body
    collectives::Choice choice;
    std::int32_t communicator;
    std::span<const std::int32_t> ranks;  ///< the communicator's; empty: all of the run
  };
  std::vector<Step> steps;
  std::vector<TimedStep> timed_steps;
  std::vector<CollectiveStep> collectives;
  std::vector<std::uint32_t> region_places;  ///< in RankReplay::phases_s, of each region
};

}  // namespace finegrain::replay
