// SPDX-License-Identifier: MIT
#include "sim/sensitivity/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/platform/scaled_links.hpp"
#include "traces/io/units.hpp"

namespace finegrain::sensitivity {
namespace {

constexpr const char* properties[] = {"memory_bandwidth",
                                      "memory_bandwidth_per_core",
                                      "unregistered_bandwidth",
                                      "message_overhead",
                                      "local_latency",
                                      "call",
                                      "search_step",
                                      "shared_pointer_access",
                                      "affinity_test"};
constexpr std::string_view seldom_felt[] = {"call", "search_step", "shared_pointer_access", "affinity_test"};

bool is_bandwidth_property(std::string_view name) {
  return name.find("bandwidth") != std::string_view::npos;
}

void add_properties(std::vector<Number>& numbers, const platform::Platform& platform) {
  platform::PlatformCosts costs = platform.costs;
  for (const char* const name : properties) {
    const double* const value = cost_of(costs, name);
    if (value == nullptr || *value == 0) continue;
    numbers.push_back(
        {Part::property, name, is_bandwidth_property(name) ? format_bandwidth(*value) : format_time(*value)});
  }
}

void add_links(std::vector<Number>& numbers, const platform::Platform& platform) {
  for (const platform::LinkClass& links : platform::link_classes(platform.file)) {
    if (links.bandwidth_bytes_per_s)
      numbers.push_back({Part::link_bandwidth, links.name, format_bandwidth(*links.bandwidth_bytes_per_s)});
    if (links.latency_s && *links.latency_s > 0)
      numbers.push_back({Part::link_latency, links.name, format_time(*links.latency_s)});
  }
}

void add_work(std::vector<Number>& numbers, const WorkTotals& work, int most_ranks,
              const std::vector<RanksOfNodes>& kinds) {
  const double all = std::accumulate(work.ranks.begin(), work.ranks.end(), 0.0);
  const auto share = [&](double part) { return fmt::format("{:.3g} % of work", 100 * part / all); };
  for (const auto& [region, done] : work.regions)
    numbers.push_back({Part::region, region, share(done)});
  constexpr double least_share = 0.01;
  if (work.parts.size() > 1) {
    for (const auto& [part, done] : work.parts)
      if (done >= least_share * all) numbers.push_back({Part::region, part, share(done)});
  }
  std::vector<std::size_t> ranks(work.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0U);
  std::ranges::stable_sort(ranks, std::ranges::greater(), [&](std::size_t rank) { return work.ranks[rank]; });
  ranks.resize(std::min(ranks.size(), static_cast<std::size_t>(most_ranks)));
  for (const std::size_t rank : ranks)
    if (work.ranks[rank] > 0)
      numbers.push_back(
          {Part::rank, std::to_string(rank), share(work.ranks[rank]), {static_cast<int>(rank)}});
  for (const auto& [nodes, on_nodes] : kinds) {
    double done = 0;
    for (const int rank : on_nodes)
      done += work.ranks[static_cast<std::size_t>(rank)];
    if (done > 0) numbers.push_back({Part::nodes, nodes, share(done), on_nodes});
  }
}

}  // namespace

double* cost_of(platform::PlatformCosts& costs, const std::string& property) {
  if (property == "memory_bandwidth") return &costs.memory_bandwidth_bytes_per_s;
  if (property == "memory_bandwidth_per_core") return &costs.memory_bandwidth_per_core_bytes_per_s;
  if (property == "message_overhead") return &costs.message_overhead_s;
  if (property == "local_latency") return &costs.local_latency_s;
  if (property == "call") return &costs.call_s;
  if (property == "search_step") return &costs.search_step_s;
  if (property == "shared_pointer_access") return &costs.shared_pointer_access_s;
  if (property == "affinity_test") return &costs.affinity_test_s;
  if (property == "unregistered_bandwidth" && costs.unregistered_bandwidth_bytes_per_s)
    return &*costs.unregistered_bandwidth_bytes_per_s;
  return nullptr;
}

std::vector<RanksOfNodes> ranks_of_kinds(const replay::ReplayJob& job) {
  const std::vector<platform::Node>& nodes = job.platform->nodes;
  if (nodes.empty()) return {};
  const Run& run = job.schedule->run;
  const problem::Placement placement =
      job.placement != nullptr ? *job.placement : problem::Placement(run.ranks, run.ranks_per_node);
  std::vector<platform::Node> used;
  std::map<std::string, std::vector<int>> ranks_of_names;
  for (int node = 0; node < placement.nodes(); ++node) {
    const auto place = static_cast<std::size_t>(node);
    const std::size_t host = job.hosts.empty() ? place : static_cast<std::size_t>(job.hosts[place]);
    if (host >= nodes.size() || placement.ranks_of(node).empty()) continue;
    used.push_back(nodes[host]);
    ranks_of_names[nodes[host].name] = placement.ranks_of(node);
  }
  std::vector<RanksOfNodes> kinds;
  for (const std::vector<platform::Node>& kind : kinds_of(used)) {
    std::vector<std::string> names;
    std::vector<int> ranks;
    for (const platform::Node& node : kind) {
      names.push_back(node.name);
      ranks.insert(ranks.end(), ranks_of_names[node.name].begin(), ranks_of_names[node.name].end());
    }
    std::ranges::sort(ranks);
    kinds.push_back({platform::names_of(names), std::move(ranks)});
  }
  return kinds.size() < 2 ? std::vector<RanksOfNodes>() : kinds;
}

bool is_seldom_felt(const Number& number) {
  return number.part == Part::property &&
         std::ranges::find(seldom_felt, number.name) != std::end(seldom_felt);
}

std::string describe(const Number& number) {
  switch (number.part) {
    case Part::property:
      return number.name;
    case Part::link_bandwidth:
      return fmt::format("{}, bandwidth", number.name);
    case Part::link_latency:
      return fmt::format("{}, latency", number.name);
    case Part::region:
      return fmt::format("work of {}", number.name);
    case Part::rank:
      return fmt::format("work of rank {}", number.name);
    case Part::nodes:
      return fmt::format("work on {}", number.name);
    case Part::noise:
      return "noise, length of detours";
  }
  return number.name;
}

bool is_bandwidth(const Number& number) {
  return number.part == Part::link_bandwidth ||
         (number.part == Part::property && is_bandwidth_property(number.name));
}

std::vector<Number> numbers_of(const platform::Platform& platform, const WorkTotals& work, int most_ranks,
                               const replay::Noise* noise, const std::vector<RanksOfNodes>& kinds) {
  std::vector<Number> numbers;
  if (noise != nullptr)
    numbers.push_back({Part::noise, "noise", fmt::format("{:.3g} % of time", 100 * noise->share())});
  add_properties(numbers, platform);
  add_links(numbers, platform);
  add_work(numbers, work, most_ranks, kinds);
  return numbers;
}

}  // namespace finegrain::sensitivity
