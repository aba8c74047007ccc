// SPDX-License-Identifier: MIT
#include "sim/replay/rank_program.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace finegrain {
namespace {

using Kind = Step::Kind;

class ProgramWriter {
 public:
  ProgramWriter(int rank, const RankSetting& setting) : rank_(rank), setting_(setting) {}

  void add(Kind kind, double amount, std::int32_t peer = -1) {
    const bool passes_time = kind == Kind::memory || kind == Kind::delay;
    if (!passes_time || amount > 0) program_.steps.push_back({kind, peer, amount});
  }

  /// put or get that the rank blocks on, as in Listings 4, 5 and 7.
  void add_one_sided(const Message& message) {
    const auto repeat = static_cast<double>(message.repeat);
    const double bytes = repeat * static_cast<double>(message.size_bytes);
    if (setting_.placement.same_node(rank_, message.peer)) {
      add_own_copy(bytes);
      if (message.peer != rank_) add(Kind::delay, repeat * setting_.costs.local_latency_s);
      return;
    }
    add(Kind::delay, repeat * round_trip_s(message.peer));
    add_flow(message.kind == MessageKind::put ? Kind::put : Kind::get, bytes, message.peer);
  }

  /// Puts to one peer or gets from it, one after the other, that a later wait completes. Alone, one costs
  /// what the blocking one does: the overhead now, the latencies there and back once its flow has ended.
  /// Several are one flow that starts with the first, as they follow one another on a connection. (A flow
  /// each would also make the solver's time grow with the square of their number.)
  /// @pre at least one, of one kind and peer
  void start_one_sided(std::span<const Message> messages) {
    const int peer = messages.front().peer;
    double count = 0;
    double bytes = 0;
    for (const Message& message : messages) {
      count += static_cast<double>(message.repeat);
      bytes += static_cast<double>(message.repeat) * static_cast<double>(message.size_bytes);
    }
    if (setting_.placement.same_node(rank_, peer)) {
      add_own_copy(bytes);
      if (peer != rank_) add(Kind::expect, setting_.costs.local_latency_s, peer);
      return;
    }
    add(Kind::delay, setting_.costs.message_overhead_s);
    const Kind start = messages.front().kind == MessageKind::put ? Kind::start_put : Kind::start_get;
    if (setting_.costs.puts_and_gets_share_links) {
      program_.steps.push_back({start, peer, flow_bytes(start, bytes, peer), there_and_back_s(peer)});
    } else {
      add(Kind::expect, alone_s(start, bytes, peer) + there_and_back_s(peer), peer);
    }
    if (count > 1) {
      add(Kind::delay, (count - 1) * setting_.costs.message_overhead_s);
      add(Kind::expect, there_and_back_s(peer),
          peer);  // the last is not complete before, however small all are
    }
  }

  /// The gets of a compute phase, whose order within the work is unknown: all of a peer's together, after the
  /// work.
  void add_individual(std::span<const Message> messages) {
    double local_bytes = 0;
    double round_trips_s = 0;
    std::map<std::int32_t, double> bytes_of_peer;
    for (const Message& message : messages) {
      const auto repeat = static_cast<double>(message.repeat);
      const auto size_bytes = static_cast<double>(message.size_bytes);
      if (setting_.placement.same_node(rank_, message.peer)) {
        // Eq. (9): a scattered access moves a whole cache line.
        local_bytes += repeat * std::max(setting_.costs.cache_line_bytes, size_bytes);
      } else {
        round_trips_s += repeat * round_trip_s(message.peer);
        bytes_of_peer[message.peer] += repeat * size_bytes;
      }
    }
    add(Kind::memory, local_bytes);
    add(Kind::delay, round_trips_s);
    for (const auto& [peer, bytes] : bytes_of_peer)
      add_flow(Kind::get, bytes, peer);
  }

  void add_send(const Message& message) {
    const auto repeat = static_cast<double>(message.repeat);
    const double bytes = repeat * static_cast<double>(message.size_bytes);
    if (setting_.placement.same_node(rank_, message.peer)) {
      add_own_copy(bytes);
      program_.steps.push_back(
          {Kind::deliver, message.peer, bytes, message.peer == rank_ ? 0 : setting_.costs.local_latency_s});
    } else {
      add(Kind::delay, repeat * setting_.costs.message_overhead_s);
      add(Kind::send, bytes, message.peer);
    }
  }

  void add_receive(const Message& message) {
    if (setting_.placement.same_node(rank_, message.peer)) {
      add(Kind::collect, 0, message.peer);
    } else {
      add(Kind::receive, latency_s(message.peer, rank_), message.peer);
    }
  }

  /// @param bytes  loaded and stored
  void add_copy(double bytes) {
    const double lines = bytes / 2 / setting_.costs.cache_line_bytes;
    add(Kind::memory, bytes + lines * setting_.costs.copy_allocate_bytes);
  }

  /// Each value is written to a scattered place, whose cache line is read first.
  void add_unpack(double bytes) {
    const double values = bytes / setting_.unpack_bytes_per_value;
    add(Kind::memory, bytes + values * setting_.costs.write_allocate_bytes);
  }

  RankProgram finish(std::size_t phases) && {
    program_.phases = phases;
    return std::move(program_);
  }

 private:
  double latency_s(int from, int to) const {
    return setting_.latency_s(setting_.placement.node(from), setting_.placement.node(to));
  }
  /// o + 2L: the initiator's overhead, there and back.
  double round_trip_s(int peer) const { return setting_.costs.message_overhead_s + there_and_back_s(peer); }
  double there_and_back_s(int peer) const { return latency_s(rank_, peer) + latency_s(peer, rank_); }

  /// A put or get that the rank blocks on.
  void add_flow(Kind kind, double bytes, int peer) {
    if (setting_.costs.puts_and_gets_share_links) {
      add(kind, flow_bytes(kind, bytes, peer), peer);
    } else {
      add(Kind::delay, alone_s(kind, bytes, peer));
    }
  }

  /// Of the route of a put or get.
  double bandwidth_bytes_per_s(Kind kind, int peer) const {
    const int own = setting_.placement.node(rank_);
    const int other = setting_.placement.node(peer);
    const bool outwards = kind == Kind::put || kind == Kind::start_put;
    return outwards ? setting_.bandwidth_bytes_per_s(own, other) : setting_.bandwidth_bytes_per_s(other, own);
  }

  /// What a put or get takes of its route's links: more than its bytes where unregistered memory makes them
  /// slower.
  double flow_bytes(Kind kind, double bytes, int peer) const {
    const std::optional<double>& unregistered = setting_.costs.unregistered_bandwidth_bytes_per_s;
    if (!unregistered || !setting_.private_memory) return bytes;
    return bytes * std::max(1., bandwidth_bytes_per_s(kind, peer) / *unregistered);
  }

  /// Seconds of a flow that shares no link.
  double alone_s(Kind kind, double bytes, int peer) const {
    return flow_bytes(kind, bytes, peer) / bandwidth_bytes_per_s(kind, peer);
  }

  /// A put or get within the node: the initiator loads and stores, the factor of 2 of eqs. (11) and (13).
  void add_own_copy(double bytes) { add_copy(2 * bytes); }

  int rank_;
  const RankSetting& setting_;
  RankProgram program_;
};

bool is_local_work(PhaseKind kind) {
  return kind == PhaseKind::pack || kind == PhaseKind::copy || kind == PhaseKind::unpack ||
         kind == PhaseKind::compute;
}

/// Puts and gets before this phase are only started; 0 where there is no wait.
std::size_t last_wait(const Iteration& iteration) {
  std::size_t last = 0;
  for (std::size_t p = 0; p < iteration.phases.size(); ++p) {
    if (iteration.phases[p].kind == PhaseKind::wait) last = p;
  }
  return last;
}

/// Messages from the first on that are of its kind and with its peer. @pre there is one
std::size_t count_alike(std::span<const Message> messages) {
  const auto other = std::find_if(messages.begin(), messages.end(), [&](const Message& message) {
    return message.kind != messages.front().kind || message.peer != messages.front().peer;
  });
  return static_cast<std::size_t>(other - messages.begin());
}

int rounds(int participants) {
  return std::bit_width(static_cast<unsigned>(participants) - 1);
}

}  // namespace

std::vector<std::size_t> phases_of_steps(const RankProgram& program) {
  std::vector<std::size_t> phases;
  std::size_t phase = 0;
  for (const Step& step : program.steps) {
    phases.push_back(phase);
    if (step.kind == Kind::end_phase) ++phase;
  }
  return phases;
}

RankProgram make_program(const Iteration& iteration, int rank, const RankSetting& setting,
                         std::span<const double> durations_s) {
  ProgramWriter writer(rank, setting);
  const std::size_t last_wait_phase = last_wait(iteration);
  for (std::size_t p = 0; p < iteration.phases.size(); ++p) {
    const Phase& phase = iteration.phases[p];
    const auto messages = iteration.messages_of(phase);
    if (!durations_s.empty() && is_local_work(phase.kind) && messages.empty()) {
      writer.add(Kind::delay, durations_s[p]);
    } else if (phase.kind == PhaseKind::unpack) {
      writer.add_unpack(static_cast<double>(phase.memory_bytes));
    } else if (phase.kind == PhaseKind::copy) {
      writer.add_copy(static_cast<double>(phase.memory_bytes));
    } else {
      writer.add(Kind::memory, static_cast<double>(phase.memory_bytes));
    }
    if (phase.kind == PhaseKind::compute) {
      writer.add_individual(messages);
    } else {
      const bool starts =
          p < last_wait_phase && (phase.kind == PhaseKind::put || phase.kind == PhaseKind::get);
      for (std::size_t m = 0; m < messages.size(); ++m) {
        const Message& message = messages[m];
        if (message.kind == MessageKind::send) {
          writer.add_send(message);
        } else if (message.kind == MessageKind::receive) {
          writer.add_receive(message);
        } else if (starts) {
          const std::size_t count = count_alike(messages.subspan(m));
          writer.start_one_sided(messages.subspan(m, count));
          m += count - 1;
        } else {
          writer.add_one_sided(message);
        }
      }
    }
    if (phase.kind == PhaseKind::wait) writer.add(Kind::wait, 0);
    if (phase.kind == PhaseKind::barrier) writer.add(Kind::barrier, setting.barrier_s);
    writer.add(Kind::end_phase, 0);
  }
  return std::move(writer).finish(iteration.phases.size());
}

double barrier_seconds(const Placement& placement, const PlatformCosts& costs,
                       const std::function<double(int, int)>& latency_s) {
  const int nodes = placement.nodes();
  double seconds = rounds(placement.most_ranks_on_a_node()) * costs.local_latency_s;
  for (int distance = 1; distance < nodes; distance *= 2) {
    double slowest_s = 0;
    for (int node = 0; node < nodes; ++node)
      slowest_s = std::max(slowest_s, latency_s(node, (node + distance) % nodes));
    seconds += slowest_s + costs.message_overhead_s;
  }
  return seconds;
}

}  // namespace finegrain
