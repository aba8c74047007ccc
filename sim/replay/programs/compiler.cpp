// SPDX-License-Identifier: MIT
#include "sim/replay/programs/compiler.hpp"

#include "sim/replay/programs/body_compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {

CompiledBody Compiler::compile(const Body& body, int rank, std::span<const double> durations_s,
                               Requested requested) {
  const bool is_recorded = requested == Requested::one_by_one && decisions_of(rank) != nullptr;
  return BodyCompiler(*this, body, rank, requested, is_recorded).compile(durations_s);
}

const collectives::Decisions* Compiler::decisions_of(int rank) const {
  const Groups& groups = job_.groups;
  if (groups.decisions.empty()) return job_.decisions;
  return groups.decisions[static_cast<std::size_t>(groups.of_ranks[static_cast<std::size_t>(rank)])];
}

double Compiler::find_work_scale(int rank) const {
  const Groups& groups = job_.groups;
  const std::optional<double> flops_per_s =
      groups.work_flops_per_s.empty()
          ? job_.work_flops_per_s
          : groups
                .work_flops_per_s[static_cast<std::size_t>(groups.of_ranks[static_cast<std::size_t>(rank)])];
  const int node = placement_.node(rank);
  const std::vector<platform::Node>& nodes = job_.platform->nodes;
  const auto place = static_cast<std::size_t>(node);
  const std::size_t host = job_.hosts.empty() ? place : static_cast<std::size_t>(job_.hosts[place]);
  const bool has_own = host < nodes.size() && nodes[host].work.has_value();
  const double own = has_own ? *nodes[host].work : 1;
  if (flops_per_s) return job_.compute_scale * *flops_per_s / loaded_.speed_flops_per_s(node) * own;
  if (nodes.empty()) return job_.compute_scale;
  if (has_own) return job_.compute_scale * own;
  return job_.compute_scale * loaded_.first_speed_flops_per_s() / loaded_.speed_flops_per_s(node);
}

std::uint32_t Compiler::route(int from_rank, int to_rank, By by) {
  const RouteEnds ends(placement_.node(from_rank), placement_.node(to_rank),
                       rails_.of(from_rank, to_rank, by));
  const auto [known, is_new] = route_places_.try_emplace(ends, static_cast<std::uint32_t>(routes_.size()));
  if (is_new) routes_.push_back(&route_of_ranks(from_rank, to_rank, by));
  return known->second;
}

const LoadedPlatform::Route& Compiler::route_of_ranks(int from_rank, int to_rank, By by) {
  return loaded_.route(placement_.node(from_rank), placement_.node(to_rank),
                       rails_.of(from_rank, to_rank, by));
}

std::uint32_t Compiler::connection(int from_rank, int to_rank, const Post& post) {
  const auto [place, is_new] = connections_.find_or_add({from_rank, to_rank, post.communicator, post.tag});
  if (is_new) {
    Connection& connection = connections_.at(place);
    connection.is_local = placement_.same_node(from_rank, to_rank);
    if (!connection.is_local) connection.route = route(from_rank, to_rank);
  }
  return place;
}

double Compiler::latency_s(std::uint32_t connection) const {
  return routes_[connections_.all()[connection].route]->latency_s;
}

double Compiler::latency_s(int from_rank, int to_rank, By by) {
  return route_of_ranks(from_rank, to_rank, by).latency_s;
}

double Compiler::fixed_latency_s(int from_rank, int to_rank, By by) {
  check_fixed_latencies();
  return latency_s(from_rank, to_rank, by);
}

void Compiler::check_fixed_latencies() const {
  if (!loaded_.latencies_change()) return;
  throw InputError(
      job_.platform->file.string(),
      "a LATENCY profile changes a link during the run (sent messages follow it; puts, gets, locks "
      "and the barriers of schedules do not)",
      "Leave its <trace_connect> out");
}

double Compiler::hop_s(std::size_t from_rank, std::size_t to_rank) {
  const auto from = static_cast<int>(from_rank);
  const auto to = static_cast<int>(to_rank);
  return placement_.same_node(from, to) ? costs_.local_latency_s
                                        : costs_.message_overhead_s + fixed_latency_s(from, to);
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
