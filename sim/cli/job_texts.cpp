// SPDX-License-Identifier: MIT
#include "sim/cli/job_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include "sim/pattern/pattern.hpp"
#include "sim/platform/enlarged.hpp"
#include "sim/platform/host_files.hpp"
#include "sim/platform/node_elements.hpp"
#include "sim/platform/node_list.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

constexpr std::string_view begin_numbers = "@nodes=";
constexpr std::string_view begin_hostfile = "@hostfile=";
constexpr const char* example =
    "Write it like runs/cg@nodes=0-15, or '--heat 2000x4000 --ranks 64@nodes=16-31,offset=2ms'";

int parse_node(std::string_view text, const std::string& job, const std::string& where) {
  int node = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), node);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || node < 0 || node >= 1'000'000)
    throw InputError(where, fmt::format("'{}' in '{}' is no node", text, job), example);
  return node;
}

/// "0-15", or several of them: "0-3+8-11". @returns in ascending order
std::vector<int> parse_nodes(const std::string& text, const std::string& job, const std::string& where) {
  std::vector<int> nodes;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, '+');) {
    const std::size_t dash = range.find('-');
    const int first = parse_node(std::string_view(range).substr(0, dash), job, where);
    const int last =
        dash == std::string::npos ? first : parse_node(std::string_view(range).substr(dash + 1), job, where);
    if (last < first)
      throw InputError(where, fmt::format("'{}' in '{}' ends before it begins", range, job), example);
    for (int node = first; node <= last; ++node)
      nodes.push_back(node);
  }
  if (nodes.empty()) throw InputError(where, fmt::format("'{}' names no nodes", job), example);
  std::ranges::sort(nodes);
  if (const auto twice = std::ranges::adjacent_find(nodes); twice != nodes.end())
    throw InputError(where, fmt::format("node {} is twice in '{}'", *twice, job), "Name each node once");
  return nodes;
}

}  // namespace

JobText parse_job(const std::string& text, const JobPlace& place) {
  const std::string& where = place.where;
  const std::size_t by_numbers = text.rfind(begin_numbers);
  const std::size_t at = by_numbers != std::string::npos ? by_numbers : text.rfind(begin_hostfile);
  if (at == std::string::npos || at == 0)
    throw InputError(where, fmt::format("'{}' does not say what runs and on which nodes", text), example);
  const bool has_hostfile = by_numbers == std::string::npos;
  JobText job{.what = text.substr(0, at), .nodes_text = {}, .nodes = {}};
  std::istringstream places(text.substr(at + (has_hostfile ? begin_hostfile : begin_numbers).size()));
  std::getline(places, job.nodes_text, ',');
  if (has_hostfile) {
    if (job.nodes_text.empty()) throw InputError(where, fmt::format("'{}' names no hostfile", text), example);
    job.hostfile = place.folder / job.nodes_text;
  } else {
    job.nodes = parse_nodes(job.nodes_text, text, where);
  }
  bool has_offset = false;
  for (std::string part; std::getline(places, part, ',');) {
    constexpr std::string_view offset = "offset=";
    if (part.starts_with("nodes=") || part.starts_with("hostfile=") ||
        (has_offset && part.starts_with(offset)))
      throw InputError(where, fmt::format("{} is given twice in '{}'", part.substr(0, part.find('=')), text),
                       "Give it once");
    if (!part.starts_with(offset))
      throw InputError(where, fmt::format("'{}' in '{}' is neither nodes nor offset", part, text), example);
    job.start_s = parse_time_s(part.substr(offset.size()), where);
    has_offset = true;
  }
  if (job.is_trace()) job.what = (place.folder / job.what).string();
  return job;
}

void find_hosts(JobText& job, const std::filesystem::path& platform) {
  if (job.hostfile.empty()) return;
  const platform::PlatformDocument document(platform);
  std::vector<std::string> nodes;
  if (const auto listed = platform::node_list(document)) {
    for (const platform::NodeList::Named& node : listed->nodes)
      nodes.push_back(node.host);
  } else {
    nodes = platform::host_names(document);
    if (const auto count = platform::text_property(document, {}, "nodes"))
      nodes.resize(
          std::min(nodes.size(), static_cast<std::size_t>(parse_count(*count, platform::most_nodes))));
  }
  for (const platform::NodeList::Named& host : platform::read_hostfile(job.hostfile, nodes).nodes) {
    job.nodes.push_back(static_cast<int>(std::ranges::find(nodes, host.host) - nodes.begin()));
    job.slots.push_back(host.slots);
  }
}

WorkloadOptions parse_workload(const std::string& flags, const JobPlace& place) {
  WorkloadOptions options;
  CLI::App app("job");
  app.set_help_flag();
  add_workload_options(app, options);
  app.add_option("--iterations", options.iterations)->check(at_least_one());
  try {
    app.parse(flags);
  } catch (const CLI::ParseError& error) {
    throw InputError(place.where, fmt::format("'{}': {}", flags, error.what()), example);
  }
  for (const char* flag : {"--placement", "--map-by", "--ranks-per-node"})
    if (app.count(flag) > 0)
      throw InputError(
          place.where,
          fmt::format("'{}': {} (a job's ranks fill the nodes that it names, in blocks)", flags, flag),
          "Leave it out");
  for (auto& [flag, text] : options.problems)
    if (!text.empty() && pattern::pattern_of_flag(flag)->is_file()) text = (place.folder / text).string();
  return options;
}

CLI::Option* add_job_option(CLI::App& command, std::vector<std::string>& texts) {
  CLI::Option* job = command.add_option(
      "--job", texts,
      "One of several jobs that run at the same time: a trace, or the flags of a schedule in quotes, then "
      "@nodes=0-15, @nodes=0-3+8,offset=2ms or @hostfile=FILE (repeatable; docs/jobs.md)");
  job->allow_extra_args(false);
  exclude_run_options(command, *job, false);
  for (const char* const flag : {"--iterations", "--ranks", "--ranks-per-node", "--placement", "--map-by",
                                 "--waiting", "--count", "--ranks-per-socket"})
    job->excludes(command.get_option(flag));
  return job;
}

std::vector<std::filesystem::path> files_of_jobs(const std::vector<std::string>& texts) {
  std::vector<std::filesystem::path> files;
  for (const std::string& text : texts) {
    const JobText job = parse_job(text, {});
    if (!job.hostfile.empty()) files.push_back(job.hostfile);
    const WorkloadOptions workload = job.is_trace() ? WorkloadOptions() : parse_workload(job.what, {});
    std::ranges::copy(
        input_files(workload, {}, job.is_trace() ? std::vector{job.what} : std::vector<std::string>()),
        std::back_inserter(files));
  }
  return files;
}

}  // namespace finegrain::cli
