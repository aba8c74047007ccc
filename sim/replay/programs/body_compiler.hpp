// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/programs/memory_volumes.hpp"

namespace finegrain::replay {

/// The steps of one body. What concerns both ends is in body_compiler.cpp, transfers that one rank does alone
/// and locks in one_sided.cpp.
class BodyCompiler {
 public:
  BodyCompiler(Compiler& compiler, const Body& body, int rank, Requested requested, bool goes_on_beside)
      : compiler_(compiler),
        costs_(compiler.costs_),
        body_(body),
        rank_(rank),
        goes_on_beside_(goes_on_beside),
        opens_(requested == Requested::one_by_one) {
    program_.steps.reserve(2 * body.operations.size() + body.regions.size());
    for (const Operation& operation : body.operations) {
      const auto* complete = std::get_if<Complete>(&operation);
      const auto* post = std::get_if<Post>(&operation);
      if (complete != nullptr && complete->is_all()) last_complete_all_ = &operation;
      if (complete != nullptr && !complete->is_all()) completes_some_ = true;
      if (post != nullptr && post->blocking && is_two_sided(post->kind)) opens_ = true;
    }
    opens_ = opens_ || completes_some_;
  }

  CompiledBody compile(std::span<const double> durations_s) &&;

 private:
  using Kind = Step::Kind;

  Step& add(Kind kind) { return program_.steps.emplace_back(kind); }

  void add_delay(double seconds) {
    if (seconds > 0) add(Kind::delay).seconds = seconds;
  }
  void add_delay_in_call(double seconds) {
    if (seconds > 0) {
      Step& step = add(Kind::delay);
      step.is_in_call = true;
      step.seconds = seconds;
    }
  }
  /// The seconds that a region took in a recording.
  void add_recorded_work(double seconds) {
    if (seconds > 0) {
      Step& step = add(Kind::delay);
      step.is_work = true;
      step.seconds = seconds;
    }
  }
  /// What was started with the peer is complete so much later.
  void add_expected(double seconds, std::int32_t peer) {
    Step& step = add(Kind::expect);
    step.peer = peer;
    step.seconds = seconds;
  }
  void add_memory(double bytes, std::uint32_t domain) {
    if (bytes > 0) {
      Step& step = add(Kind::memory);
      step.bytes = bytes;
      step.domain = domain;
    }
  }

  void add_operations(std::span<const Operation> operations);

  void add_work(const Work& work);

  /// Complete or Collective.
  void add_meeting(const Operation& operation);

  /// As the MPI library of the platform does it; without a library, only a barrier of all ranks.
  void add_collective(const Collective& collective);

  /// The request goes to the target, is served there, and the answer comes back. A lock of all ranks
  /// (MPI_Win_lock_all) costs nothing, as in libraries that take each rank's when it is used first.
  void add_lock(const Lock& lock);

  void open(std::size_t requests) {
    if (opens_) add(Kind::open).requests = static_cast<std::int32_t>(requests);
  }

  void add_two_sided(const Post& post);

  void add_send(const Post& post);
  /// Says of a message to another node how it goes: divided among rails or not, and how much longer its
  /// latency is than its route's.
  void add_rails(Step& step, const Post& post);
  /// How much longer the latency of a message to another node is than its route's, by its size.
  float more_latency_s(const Post& post);

  /// put or get that the rank blocks on, as in Listings 4, 5 and 7.
  void add_one_sided(const Post& post);

  /// Puts to one peer or gets from it, one after the other, that are completed later. Alone, one costs what
  /// the blocking one does: the overhead now, the latencies there and back once its flow has ended. Several
  /// are one flow that starts with the first, as they follow one another on a connection.
  /// @pre at least one, all alike
  void start_one_sided(std::span<const Operation> posts);

  /// Accesses of single elements. Their order within the work is unknown, so each peer's are done together.
  struct Elements {
    std::map<std::uint32_t, double> local_bytes;  ///< by memory domain
    double round_trips_s = 0;
    std::map<std::tuple<std::int32_t, TransferKind, bool>, double> bytes;  ///< by peer, kind, private memory
  };

  void add_to(Elements& elements, const Post& post);

  void flush(Elements& elements);

  bool same_node(int peer) const { return compiler_.placement_.same_node(rank_, peer); }
  /// o + 2L: the initiator's overhead, there and back.
  double round_trip_s(int peer) { return costs_.message_overhead_s + there_and_back_s(peer); }
  double there_and_back_s(int peer) {
    return compiler_.fixed_latency_s(rank_, peer) + compiler_.fixed_latency_s(peer, rank_);
  }
  /// How much longer the way of a put's or get's bytes takes by these rails than by its ranks' own.
  double more_latency_s(Kind kind, int peer, By by);

  static bool is_outwards(Kind kind) {
    return kind == Kind::put || kind == Kind::start_put || kind == Kind::start_fetch;
  }

  /// The route of a put or get.
  std::uint32_t route(Kind kind, int peer, By by = By::one_rail);

  /// A put or get that the rank blocks on.
  void add_flow(Kind kind, double bytes, int peer, bool private_memory, By by = By::one_rail);

  /// The bandwidth of a put's or get's route.
  double bandwidth_bytes_per_s(Kind kind, int peer, By by);

  /// The bytes that a put or get takes of its route's links: more than its own if unregistered memory makes
  /// it slower.
  double flow_bytes(Kind kind, double bytes, int peer, bool private_memory, By by);

  /// Seconds of a flow that shares no link.
  double alone_s(Kind kind, double bytes, int peer, bool private_memory, By by);

  /// A two-sided message within the node: its sender copies.
  void add_own_copy(double bytes, int peer) { add_local(copy_volume(bytes, costs_), peer); }

  /// Over the rank's memory domain.
  void add_memory(double bytes) { add_memory(bytes, memory(rank_)); }
  /// Bytes that move between two ranks of a node: half over the memory of each, one after the other.
  void add_local(double bytes, int peer);
  std::uint32_t memory(int rank) const { return compiler_.memory(rank); }

  /// Whether the copy of a send within the node goes on beside the rank's work: where a recorded program
  /// posts it, and waits for it later. The listings' sends are copies that the rank does itself, and so are
  /// those of collective operations.
  bool is_buffered(const Post& post) const;
  bool copies_beside(const Post& post) const {
    return goes_on_beside_ && !post.blocking && post.peer != rank_ && post.size_bytes > 0;
  }

  Compiler& compiler_;
  const platform::PlatformCosts& costs_;
  const Body& body_;
  int rank_;
  std::uint32_t region_ = 0;  ///< at hand
  bool goes_on_beside_;       ///< what is posted and not waited for, of a recorded program
  bool opens_;                ///< whether some requests are waited for without the others
  bool completes_some_ = false;
  const Operation* last_complete_all_ = nullptr;
  CompiledBody program_;
};

}  // namespace finegrain::replay
