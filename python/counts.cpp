// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "python/arrays.hpp"
#include "python/data.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

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

using Options = std::map<std::string, std::string>;

/// Takes an option away. Empty: it was not given.
std::string taken(Options& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return {};
  std::string text = found->second;
  options.erase(found);
  return text;
}

int number_of_option(const std::string& text, const std::string& name) {
  const pattern::Parameter whole_number{.name = name, .label = {}, .help = {}};
  const std::int64_t number = std::get<std::int64_t>(parse_value(whole_number, text, name));
  if (number > problem::most_ranks)
    throw InputError(name, fmt::format("{} is too many", number), "Give fewer");
  return static_cast<int>(number);
}

/// The settings among the options. @throws InputError if one is no value of its parameter
Settings settings_of(Options& options, const std::vector<pattern::Parameter>& parameters) {
  Settings settings;
  for (const pattern::Parameter& parameter : parameters)
    if (const std::string text = taken(options, parameter.name); !text.empty())
      settings[parameter.name] = parse_value(parameter, text, parameter.name);
  return settings;
}

struct Workload {
  std::shared_ptr<const pattern::Pattern> pattern;
  Run run;
};

/// @param options  by the names of the command's flags
Workload workload_of(Options options) {
  const pattern::PatternKind* kind = nullptr;
  std::string flags;
  for (const pattern::PatternKind* one : pattern::pattern_kinds()) {
    flags += (flags.empty() ? "" : ", or ") + one->flag();
    if (options.contains(one->flag())) kind = one;
  }
  if (kind == nullptr) throw InputError(flags, "nothing to count", "Give one");
  Workload workload{kind->open(taken(options, kind->flag()), kind->flag()), {}};
  std::string policy = taken(options, "policy");
  if (policy.empty()) policy = policy::usual_policy().name();
  const std::string transfer = taken(options, "transfer");
  const policy::Variant variant = policy::find_variant(*kind, policy, transfer, taken(options, "completion"));
  const Settings settings = settings_of(options, kind->parameters());
  const Settings policy_settings = settings_of(options, policy::policy(policy).parameters());
  const std::string given = taken(options, "ranks");
  const std::optional<int> asked = workload.pattern->ranks(settings);
  if (given.empty() && !asked) throw InputError("ranks", "how many ranks?", "Give one number");
  const int ranks = given.empty() ? *asked : number_of_option(given, "ranks");
  if (asked && *asked != ranks)
    throw InputError("ranks", fmt::format("the other options ask for {}", format_count(*asked, "rank")),
                     "Leave ranks out");
  const std::string on_a_node = taken(options, "ranks-per-node");
  if (!options.empty())
    throw InputError(options.begin()->first, fmt::format("no option of {} with {}", kind->name(), policy),
                     "Leave it out");
  workload.run.problem = workload.pattern->problem(ranks, settings);
  workload.run.policy = policy;
  workload.run.policy_settings = policy_settings;
  workload.run.policy_settings = policy::settings_of(workload.run);
  workload.run.transfer = variant.transfer;
  workload.run.completion = variant.completion;
  workload.run.ranks = ranks;
  workload.run.ranks_per_node = on_a_node.empty() ? ranks : number_of_option(on_a_node, "ranks_per_node");
  return workload;
}

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
