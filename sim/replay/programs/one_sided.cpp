// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sim/replay/programs/body_compiler.hpp"

namespace finegrain::replay {

void BodyCompiler::add_lock(const Lock& lock) {
  if (lock.peer < 0) return;
  const bool is_own = lock.peer == rank_;
  const bool is_local = same_node(lock.peer);
  const double there_s = is_own     ? 0
                         : is_local ? costs_.local_latency_s
                                    : costs_.message_overhead_s + compiler_.fixed_latency_s(rank_, lock.peer);
  const double back_s = is_own     ? 0
                        : is_local ? costs_.local_latency_s
                                   : compiler_.fixed_latency_s(lock.peer, rank_);
  const Kind taken = lock.exclusive ? Kind::lock_exclusive : Kind::lock_shared;
  add_delay_in_call(there_s);
  Step& step = add(lock.acquire ? taken : Kind::unlock);
  step.peer = lock.peer;
  step.lock = compiler_.lock(lock.window, lock.peer);
  add_delay_in_call(back_s);
}

void BodyCompiler::add_one_sided(const Post& post) {
  const auto repeat = static_cast<double>(post.repeat);
  const double bytes = repeat * static_cast<double>(post.size_bytes);
  const By by = compiler_.rails_of(static_cast<double>(post.size_bytes));
  if (same_node(post.peer)) {
    add_local(one_sided_volume(post.kind, bytes, costs_), post.peer);
    if (post.peer != rank_) add_delay(repeat * costs_.local_latency_s);
    return;
  }
  // If replies wait, the latencies of the last one are those there and back.
  const bool has_latencies = keeps_order(costs_) && compiler_.options_.puts_and_gets_share_links;
  const double latencies_s = has_latencies ? there_and_back_s(post.peer) : 0;
  if (has_latencies) add_delay_in_call((repeat - 1) * round_trip_s(post.peer));
  const Kind kind = is_incoming(post.kind) ? Kind::get : Kind::put;
  add_delay(has_latencies ? costs_.message_overhead_s
                          : repeat * (round_trip_s(post.peer) + more_latency_s(kind, post.peer, by)));
  if (post.kind == TransferKind::fetch) add_flow(Kind::get, bytes, post.peer, post.private_memory, by);
  add_flow(kind, bytes, post.peer, post.private_memory, by);
  if (has_latencies) program_.steps.back().latency_s = latencies_s;
}

void BodyCompiler::start_one_sided(std::span<const Operation> posts) {
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
    add_local(one_sided_volume(first.kind, bytes, costs_), peer);
    if (peer != rank_) add_expected(costs_.local_latency_s, peer);
    return;
  }
  add_delay(costs_.message_overhead_s);
  const Kind start = first.kind == TransferKind::fetch ? Kind::start_fetch
                     : is_incoming(first.kind)         ? Kind::start_get
                                                       : Kind::start_put;
  const By by = compiler_.rails_of(static_cast<double>(first.size_bytes));
  const double latencies_s = there_and_back_s(peer) + more_latency_s(start, peer, by);
  if (compiler_.options_.puts_and_gets_share_links) {
    Step& step = add(start);
    step.are_several = count > 1;
    step.peer = peer;
    step.bytes = flow_bytes(start, bytes, peer, first.private_memory, by);
    step.latency_s = latencies_s;
    step.route = route(start, peer, by);
    if (start == Kind::start_fetch) program_.steps.back().route_back = route(Kind::get, peer, by);
  } else {
    const double back_s =
        start == Kind::start_fetch ? alone_s(Kind::get, bytes, peer, first.private_memory, by) : 0;
    add_expected(alone_s(start, bytes, peer, first.private_memory, by) + back_s + latencies_s, peer);
  }
  if (count > 1) {
    add_delay((count - 1) * costs_.message_overhead_s);
    // The last one is not complete before this time, however small all are.
    add_expected(latencies_s, peer);
  }
}

void BodyCompiler::add_to(Elements& elements, const Post& post) {
  const auto repeat = static_cast<double>(post.repeat);
  const auto size_bytes = static_cast<double>(post.size_bytes);
  if (same_node(post.peer)) {
    const double half = repeat * element_volume(size_bytes, costs_) / 2;
    elements.local_bytes[memory(rank_)] += half;
    elements.local_bytes[memory(post.peer)] += half;
  } else {
    elements.round_trips_s += repeat * round_trip_s(post.peer);
    elements.bytes[{post.peer, post.kind, post.private_memory}] += repeat * size_bytes;
  }
}

void BodyCompiler::flush(Elements& elements) {
  for (const auto& [domain, bytes] : elements.local_bytes)
    add_memory(bytes, domain);
  add_delay_in_call(elements.round_trips_s);
  for (const auto& [of, bytes] : elements.bytes) {
    const auto& [peer, kind, private_memory] = of;
    add_flow(kind == TransferKind::load ? Kind::get : Kind::put, bytes, peer, private_memory);
  }
  elements = {};
}

double BodyCompiler::more_latency_s(Kind kind, int peer, By by) {
  if (by == By::one_rail) return 0;
  const int from = is_outwards(kind) ? rank_ : peer;
  const int to = is_outwards(kind) ? peer : rank_;
  return compiler_.fixed_latency_s(from, to, by) - compiler_.fixed_latency_s(from, to);
}

std::uint32_t BodyCompiler::route(Kind kind, int peer, By by) {
  const bool outwards = is_outwards(kind);
  return outwards ? compiler_.route(rank_, peer, by) : compiler_.route(peer, rank_, by);
}

void BodyCompiler::add_flow(Kind kind, double bytes, int peer, bool private_memory, By by) {
  if (compiler_.options_.puts_and_gets_share_links) {
    Step& step = add(kind);
    step.peer = peer;
    step.bytes = flow_bytes(kind, bytes, peer, private_memory, by);
    step.route = route(kind, peer, by);
  } else {
    add_delay(alone_s(kind, bytes, peer, private_memory, by));
  }
}

double BodyCompiler::bandwidth_bytes_per_s(Kind kind, int peer, By by) {
  const bool outwards = is_outwards(kind);
  return (outwards ? compiler_.route_of_ranks(rank_, peer, by) : compiler_.route_of_ranks(peer, rank_, by))
      .bandwidth_bytes_per_s;
}

double BodyCompiler::flow_bytes(Kind kind, double bytes, int peer, bool private_memory, By by) {
  const std::optional<double>& unregistered = costs_.unregistered_bandwidth_bytes_per_s;
  if (!unregistered || !private_memory) return bytes;
  return bytes * std::max(1., bandwidth_bytes_per_s(kind, peer, by) / *unregistered);
}

double BodyCompiler::alone_s(Kind kind, double bytes, int peer, bool private_memory, By by) {
  return flow_bytes(kind, bytes, peer, private_memory, by) / bandwidth_bytes_per_s(kind, peer, by);
}

}  // namespace finegrain::replay
