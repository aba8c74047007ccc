// SPDX-License-Identifier: MIT
#include "sim/replay/programs/compiler.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::replay {

using Kind = Step::Kind;

namespace {

bool is_element(TransferKind kind) {
  return kind == TransferKind::load || kind == TransferKind::store;
}

/// Transfers from the first on that follow one another on a connection. @pre there is one
std::size_t count_alike(std::span<const Operation> operations) {
  const Post& first = std::get<Post>(operations.front());
  const auto other = std::ranges::find_if(operations, [&](const Operation& operation) {
    const auto* post = std::get_if<Post>(&operation);
    return post == nullptr || post->kind != first.kind || post->peer != first.peer || post->blocking ||
           post->private_memory != first.private_memory;
  });
  return static_cast<std::size_t>(other - operations.begin());
}

/// Whether all that a region does is work.
bool only_works(std::span<const Operation> operations) {
  return !operations.empty() && std::ranges::all_of(operations, [](const Operation& operation) {
    return std::holds_alternative<Work>(operation);
  });
}

}  // namespace

/// The steps of one body.
class BodyCompiler {
 public:
  BodyCompiler(Compiler& compiler, const Body& body, int rank, Requested requested)
      : compiler_(compiler),
        costs_(compiler.costs_),
        body_(body),
        rank_(rank),
        opens_(requested == Requested::one_by_one) {
    program_.steps.reserve(body.operations.size() + body.regions.size());
    for (const Operation& operation : body.operations) {
      const auto* complete = std::get_if<Complete>(&operation);
      const auto* post = std::get_if<Post>(&operation);
      if (complete != nullptr && complete->is_all()) last_complete_all_ = &operation;
      if (complete != nullptr && !complete->is_all()) completes_some_ = true;
      if (post != nullptr && post->blocking && is_two_sided(post->kind)) opens_ = true;
    }
    opens_ = opens_ || completes_some_;
  }

  CompiledBody compile(std::span<const double> durations_s) && {
    for (std::size_t r = 0; r < body_.regions.size(); ++r) {
      const auto operations = body_.operations_of(body_.regions[r]);
      if (!durations_s.empty() && only_works(operations)) {
        add(Kind::delay, durations_s[r]);
      } else {
        region_ = static_cast<std::uint32_t>(r);
        add_operations(operations);
      }
      add(Kind::end_region, 0);
    }
    program_.region_places.resize(body_.regions.size());
    std::iota(program_.region_places.begin(), program_.region_places.end(), 0U);
    return std::move(program_);
  }

 private:
  void add(Kind kind, double amount, std::int32_t peer = -1, std::uint32_t target = 0, double latency_s = 0) {
    const bool passes_time = kind == Kind::memory || kind == Kind::delay;
    if (!passes_time || amount > 0)
      program_.steps.push_back(
          {.kind = kind, .peer = peer, .amount = amount, .latency_s = latency_s, .target = target});
  }

  void add_operations(std::span<const Operation> operations) {
    Elements elements;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const auto* post = std::get_if<Post>(&operations[o]);
      if (post != nullptr && is_element(post->kind)) {
        add_to(elements, *post);
        continue;
      }
      if (const auto* work = std::get_if<Work>(&operations[o])) {
        add_work(*work);
        continue;
      }
      flush(elements);
      if (post == nullptr) {
        add_meeting(operations[o]);
      } else if (is_two_sided(post->kind)) {
        add_two_sided(*post);
      } else if (post->blocking) {
        add_one_sided(*post);
      } else {
        // A flow each would make the solver's time grow with the square of their number.
        const bool all_together = !completes_some_ && &operations[o] < last_complete_all_;
        const std::size_t count = all_together ? count_alike(operations.subspan(o)) : 1;
        start_one_sided(operations.subspan(o, count));
        o += count - 1;
      }
    }
    flush(elements);
  }

  /// Each scattered store reads its cache line first, and so does a copy, unless the processor knows better.
  void add_work(const Work& work) {
    if (work.is_timed) {
      program_.timed_steps.push_back({static_cast<std::uint32_t>(program_.steps.size()), region_});
      program_.steps.push_back({.kind = Kind::delay});
      return;
    }
    add(Kind::memory,
        static_cast<double>(work.memory_bytes) +
            static_cast<double>(work.scattered_stores) * costs_.write_allocate_bytes +
            static_cast<double>(work.copied_bytes) / costs_.cache_line_bytes * costs_.copy_allocate_bytes);
  }

  /// Complete or Collective.
  void add_meeting(const Operation& operation) {
    if (const auto* collective = std::get_if<Collective>(&operation)) {
      add_collective(*collective);
      return;
    }
    if (std::holds_alternative<Lock>(operation)) return;  // locks that are contended cost no time yet
    const auto& complete = std::get<Complete>(operation);
    if (complete.is_all()) {
      add(Kind::wait, 0);
    } else {
      add(Kind::wait_some, 0, static_cast<std::int32_t>(complete.count),
          static_cast<std::uint32_t>(complete.oldest));
    }
  }

  /// As the MPI library of the platform does it; or, where there is none, a barrier of all ranks.
  void add_collective(const Collective& collective) {
    if (compiler_.job_.decisions == nullptr && collective == Collective{}) {
      add(Kind::barrier, compiler_.barrier_s());
      return;
    }
    CompiledBody::CollectiveStep step = compiler_.collective_step(collective, body_, rank_);
    if (collective.blocking && step.call.ranks == 1) return;
    add(collective.blocking ? Kind::collective : Kind::start_collective, 0, -1,
        static_cast<std::uint32_t>(program_.collectives.size()));
    program_.collectives.push_back(step);
  }

  void open(std::size_t requests) {
    if (opens_) add(Kind::open, 0, static_cast<std::int32_t>(requests));
  }

  void add_two_sided(const Post& post) {
    open(1);
    if (post.kind == TransferKind::send) {
      add_send(post);
    } else {
      const std::uint32_t connection = compiler_.connection(post.peer, rank_, post);
      if (same_node(post.peer)) {
        add(Kind::collect, 0, post.peer, connection);
      } else {
        add(Kind::receive, compiler_.latency_s(post.peer, rank_), post.peer, connection);
      }
      program_.steps.back().any_source = post.any_source;
    }
    if (!post.blocking) return;
    add(Kind::wait_some, 0, 1, 1);
    add(Kind::close, 0);
  }

  void add_send(const Post& post) {
    const auto repeat = static_cast<double>(post.repeat);
    const double bytes = repeat * static_cast<double>(post.size_bytes);
    const std::optional<double>& eager_bytes = costs_.eager_limit_bytes;
    const bool waits_for_receiver =
        post.is_synchronous || (eager_bytes && static_cast<double>(post.size_bytes) > *eager_bytes);
    const bool is_local = same_node(post.peer);
    if (waits_for_receiver && post.peer != rank_) {
      if (is_local) {
        add_own_copy(bytes);
      } else {
        add(Kind::delay, repeat * costs_.message_overhead_s);
      }
      add(Kind::offer, bytes, post.peer, compiler_.connection(rank_, post.peer, post),
          is_local ? costs_.local_latency_s : compiler_.latency_s(rank_, post.peer));
      return;
    }
    if (is_local) {
      add_own_copy(bytes);
      add(Kind::deliver, bytes, post.peer, compiler_.connection(rank_, post.peer, post),
          post.peer == rank_ ? 0 : costs_.local_latency_s);
    } else {
      add(Kind::delay, repeat * costs_.message_overhead_s);
      add(Kind::send, bytes, post.peer, compiler_.connection(rank_, post.peer, post));
    }
  }

  /// put or get that the rank blocks on, as in Listings 4, 5 and 7.
  void add_one_sided(const Post& post) {
    const auto repeat = static_cast<double>(post.repeat);
    const double bytes = repeat * static_cast<double>(post.size_bytes);
    if (same_node(post.peer)) {
      add_own_copy(bytes);
      if (post.peer != rank_) add(Kind::delay, repeat * costs_.local_latency_s);
      return;
    }
    add(Kind::delay, repeat * round_trip_s(post.peer));
    add_flow(is_incoming(post.kind) ? Kind::get : Kind::put, bytes, post.peer, post.private_memory);
  }

  /// Puts to one peer or gets from it, one after the other, that are completed later. Alone, one costs what
  /// the blocking one does: the overhead now, the latencies there and back once its flow has ended. Several
  /// are one flow that starts with the first, as they follow one another on a connection.
  /// @pre at least one, all alike
  void start_one_sided(std::span<const Operation> posts) {
    const Post& first = std::get<Post>(posts.front());
    const int peer = first.peer;
    double count = 0;
    double bytes = 0;
    for_each_post(posts, [&](const Post& post) {
      count += static_cast<double>(post.repeat);
      bytes += static_cast<double>(post.repeat) * static_cast<double>(post.size_bytes);
    });
    open(posts.size());
    if (same_node(peer)) {
      add_own_copy(bytes);
      if (peer != rank_) add(Kind::expect, costs_.local_latency_s, peer);
      return;
    }
    add(Kind::delay, costs_.message_overhead_s);
    const Kind start = is_incoming(first.kind) ? Kind::start_get : Kind::start_put;
    if (compiler_.options_.puts_and_gets_share_links) {
      add(start, flow_bytes(start, bytes, peer, first.private_memory), peer, route(start, peer),
          there_and_back_s(peer));
    } else {
      add(Kind::expect, alone_s(start, bytes, peer, first.private_memory) + there_and_back_s(peer), peer);
    }
    if (count > 1) {
      add(Kind::delay, (count - 1) * costs_.message_overhead_s);
      // The last is not complete before, however small all are.
      add(Kind::expect, there_and_back_s(peer), peer);
    }
  }

  /// Accesses of single elements, whose order within the work is unknown: all of a peer's together.
  struct Elements {
    double local_bytes = 0;
    double round_trips_s = 0;
    std::map<std::tuple<std::int32_t, TransferKind, bool>, double> bytes;  ///< by peer, kind, private memory
  };

  void add_to(Elements& elements, const Post& post) {
    const auto repeat = static_cast<double>(post.repeat);
    const auto size_bytes = static_cast<double>(post.size_bytes);
    if (same_node(post.peer)) {
      // Eq. (9): a scattered access moves a whole cache line.
      elements.local_bytes += repeat * std::max(costs_.cache_line_bytes, size_bytes);
    } else {
      elements.round_trips_s += repeat * round_trip_s(post.peer);
      elements.bytes[{post.peer, post.kind, post.private_memory}] += repeat * size_bytes;
    }
  }

  void flush(Elements& elements) {
    add(Kind::memory, elements.local_bytes);
    add(Kind::delay, elements.round_trips_s);
    for (const auto& [of, bytes] : elements.bytes) {
      const auto& [peer, kind, private_memory] = of;
      add_flow(kind == TransferKind::load ? Kind::get : Kind::put, bytes, peer, private_memory);
    }
    elements = {};
  }

  bool same_node(int peer) const { return compiler_.placement_.same_node(rank_, peer); }
  /// o + 2L: the initiator's overhead, there and back.
  double round_trip_s(int peer) { return costs_.message_overhead_s + there_and_back_s(peer); }
  double there_and_back_s(int peer) {
    return compiler_.latency_s(rank_, peer) + compiler_.latency_s(peer, rank_);
  }

  /// Of a put or get.
  std::uint32_t route(Kind kind, int peer) {
    const bool outwards = kind == Kind::put || kind == Kind::start_put;
    return outwards ? compiler_.route(rank_, peer) : compiler_.route(peer, rank_);
  }

  /// A put or get that the rank blocks on.
  void add_flow(Kind kind, double bytes, int peer, bool private_memory) {
    if (compiler_.options_.puts_and_gets_share_links) {
      add(kind, flow_bytes(kind, bytes, peer, private_memory), peer, route(kind, peer));
    } else {
      add(Kind::delay, alone_s(kind, bytes, peer, private_memory));
    }
  }

  /// Of the route of a put or get.
  double bandwidth_bytes_per_s(Kind kind, int peer) {
    const bool outwards = kind == Kind::put || kind == Kind::start_put;
    const int own = compiler_.placement_.node(rank_);
    const int other = compiler_.placement_.node(peer);
    return (outwards ? compiler_.loaded_.route(own, other) : compiler_.loaded_.route(other, own))
        .bandwidth_bytes_per_s;
  }

  /// What a put or get takes of its route's links: more than its bytes where unregistered memory makes them
  /// slower.
  double flow_bytes(Kind kind, double bytes, int peer, bool private_memory) {
    const std::optional<double>& unregistered = costs_.unregistered_bandwidth_bytes_per_s;
    if (!unregistered || !private_memory) return bytes;
    return bytes * std::max(1., bandwidth_bytes_per_s(kind, peer) / *unregistered);
  }

  /// Seconds of a flow that shares no link.
  double alone_s(Kind kind, double bytes, int peer, bool private_memory) {
    return flow_bytes(kind, bytes, peer, private_memory) / bandwidth_bytes_per_s(kind, peer);
  }

  /// A put or get within the node: the initiator loads and stores, the factor of 2 of eqs. (11) and (13).
  void add_own_copy(double bytes) {
    add(Kind::memory, 2 * bytes + bytes / costs_.cache_line_bytes * costs_.copy_allocate_bytes);
  }

  Compiler& compiler_;
  const platform::PlatformCosts& costs_;
  const Body& body_;
  int rank_;
  std::uint32_t region_ = 0;  ///< at hand
  bool opens_;                ///< whether some requests are waited for without the others
  bool completes_some_ = false;
  const Operation* last_complete_all_ = nullptr;
  CompiledBody program_;
};

CompiledBody Compiler::compile(const Body& body, int rank, std::span<const double> durations_s,
                               Requested requested) {
  return BodyCompiler(*this, body, rank, requested).compile(durations_s);
}

std::uint32_t Compiler::route(int from_rank, int to_rank) {
  const std::pair nodes(placement_.node(from_rank), placement_.node(to_rank));
  const auto [known, is_new] = route_places_.try_emplace(nodes, static_cast<std::uint32_t>(routes_.size()));
  if (is_new) routes_.push_back(&loaded_.route(nodes.first, nodes.second));
  return known->second;
}

std::uint32_t Compiler::connection(int from_rank, int to_rank, const Post& post) {
  const auto [known, is_new] = connection_places_.try_emplace(
      {from_rank, to_rank, post.communicator, post.tag}, static_cast<std::uint32_t>(connections_.size()));
  if (is_new) {
    const bool local = placement_.same_node(from_rank, to_rank);
    connections_.push_back({static_cast<std::size_t>(to_rank), local,
                            local ? 0 : static_cast<std::size_t>(route(from_rank, to_rank))});
  }
  return known->second;
}

double Compiler::latency_s(int from_rank, int to_rank) {
  return loaded_.route(placement_.node(from_rank), placement_.node(to_rank)).latency_s;
}

problem::Placement placement_of(const ReplayJob& job) {
  return job.placement != nullptr
             ? *job.placement
             : problem::Placement(job.schedule->run.ranks, job.schedule->run.ranks_per_node);
}

std::vector<CompiledBody> compile(const ReplayJob& job, Compiler& compiler) {
  std::vector<CompiledBody> programs;
  for (std::size_t rank = 0; rank < job.schedule->ranks.size(); ++rank) {
    const std::span<const double> durations_s = job.durations != nullptr
                                                    ? std::span<const double>((*job.durations)[rank])
                                                    : std::span<const double>();
    programs.push_back(compiler.compile(job.schedule->ranks[rank], static_cast<int>(rank), durations_s));
  }
  return programs;
}

}  // namespace finegrain::replay
