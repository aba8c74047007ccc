// SPDX-License-Identifier: MIT
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <utility>

#include "python/arrays.hpp"
#include "python/data.hpp"
#include "python/workload.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/policy/policy.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

using pattern::PeerCounts;
using pattern::RankCounts;

/// A count of a rank, or of a pair of ranks, and its name: the member's.
template <class Counts>
struct Named {
  const char* name;
  std::int64_t Counts::*count;
};

constexpr std::array<Named<RankCounts>, 19> counts_of_ranks{
    {{"rows", &RankCounts::rows},
     {"interior_rows", &RankCounts::interior_rows},
     {"blocks", &RankCounts::blocks},
     {"accesses_local", &RankCounts::accesses_local},
     {"accesses_remote", &RankCounts::accesses_remote},
     {"blocks_local", &RankCounts::blocks_local},
     {"blocks_remote", &RankCounts::blocks_remote},
     {"block_values_local", &RankCounts::block_values_local},
     {"block_values_remote", &RankCounts::block_values_remote},
     {"blocks_out_local", &RankCounts::blocks_out_local},
     {"blocks_out_remote", &RankCounts::blocks_out_remote},
     {"values_in_local", &RankCounts::values_in_local},
     {"values_in_remote", &RankCounts::values_in_remote},
     {"values_out_local", &RankCounts::values_out_local},
     {"values_out_remote", &RankCounts::values_out_remote},
     {"messages_in_local", &RankCounts::messages_in_local},
     {"messages_in_remote", &RankCounts::messages_in_remote},
     {"messages_out_local", &RankCounts::messages_out_local},
     {"messages_out_remote", &RankCounts::messages_out_remote}}};

constexpr std::array<Named<PeerCounts>, 4> counts_of_pairs{
    {{"needs_accesses", &PeerCounts::accesses},
     {"needs_values", &PeerCounts::values},
     {"needs_blocks", &PeerCounts::blocks},
     {"needs_block_values", &PeerCounts::block_values}}};

/// What one iteration of a workload sends and accesses.
struct Counted {
  int ranks = 0;
  std::vector<RankCounts> counts;  ///< shape [ranks], or empty
  std::vector<std::int64_t> messages;
  std::vector<std::int64_t> bytes;  ///< like messages, of shape [from][to]

  explicit Counted(const Workload& workload) {
    const Run& run = workload.run;
    ranks = run.ranks;
    const problem::Placement placement(run.ranks, run.ranks_per_node);
    counts = std::move(
        policy::counts_of(*workload.pattern, {&run, 1}, {&placement, 1}, pattern::all_cores()).front());
    const graph::RankGraph graph = graph::rank_graph(policy::make_schedule(*workload.pattern, run, counts));
    const auto width = static_cast<std::size_t>(ranks);
    messages.resize(width * width);
    bytes.resize(width * width);
    for (auto [edge, end] = boost::edges(graph); edge != end; ++edge) {
      const std::size_t cell = source(*edge, graph) * width + target(*edge, graph);
      messages[cell] = graph[*edge].messages;
      bytes[cell] = graph[*edge].bytes;
    }
  }

  std::vector<std::int64_t> of_ranks(std::int64_t RankCounts::*count) const {
    std::vector<std::int64_t> values;
    for (const RankCounts& rank : counts)
      values.push_back(rank.*count);
    return values;
  }

  std::vector<std::int64_t> of_pairs(std::int64_t PeerCounts::*count) const {
    const auto width = static_cast<std::size_t>(ranks);
    std::vector<std::int64_t> values(width * width);
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
      for (const PeerCounts& need : counts[rank].needs)
        values[rank * width + static_cast<std::size_t>(need.peer)] = need.*count;
    return values;
  }
};

py::dict counts(const Options& options) {
  Counted counted = [&] {
    const py::gil_scoped_release released;
    return Counted(workload_of(options));
  }();
  const std::vector<py::ssize_t> pairs{counted.ranks, counted.ranks};
  py::dict arrays;
  arrays["messages"] = array_of(std::move(counted.messages), pairs);
  arrays["bytes"] = array_of(std::move(counted.bytes), pairs);
  if (counted.counts.empty()) return arrays;
  for (const auto& [name, count] : counts_of_ranks)
    arrays[name] = array_of(counted.of_ranks(count));
  for (const auto& [name, count] : counts_of_pairs)
    arrays[name] = array_of(counted.of_pairs(count), pairs);
  return arrays;
}

}  // namespace

void add_counts(py::module_& module) {
  module.def("counts", counts, py::arg("options"));
}

}  // namespace finegrain::python
