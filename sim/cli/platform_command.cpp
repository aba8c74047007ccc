// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/enlarged.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/platform/text_properties.hpp"
#include "sim/replay/engine/network.hpp"
#include "sim/replay/link_list.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

struct PlatformFlags {
  PlatformOptions named;      ///< its one file, or what the flags have made of it
  std::string own;            ///< the file that was named
  std::string file;           ///< that is shown
  std::filesystem::path out;  ///< for what the flags make of the file
  bool force = false;
  std::vector<std::string> overrides;
  bool links = false;
  std::string format = "table";
};

struct Scale {
  double factor;
  std::string name;
};

Scale scale_of(platform::CostUnit unit) {
  switch (unit) {
    case platform::CostUnit::bandwidth:
      return {1e9, "GB/s"};
    case platform::CostUnit::time:
      return {1e-6, "us"};
    case platform::CostUnit::size:
      return {1, "B"};
  }
  return {1, ""};
}

/// The property's value in the unit of the table; bytes are whole.
output::Cell in_unit(double value, platform::CostUnit unit) {
  constexpr double most_exact = 1e15;
  if (unit == platform::CostUnit::size && value < most_exact && value == std::floor(value))
    return static_cast<std::int64_t>(value);
  return value / scale_of(unit).factor;
}

/// "line 12", "--set tau", "default", "optional" or "missing".
std::string origin(const platform::CostProperty& property) {
  if (!property.given)
    return property.fallback ? "default" : property.without.empty() ? "missing" : "optional";
  if (property.source.starts_with("--set")) return property.source;
  return "line " + property.source.substr(property.source.rfind(':') + 1);
}

std::optional<double> value_of(std::string_view name, const std::vector<platform::CostProperty>& properties) {
  return std::ranges::find(properties, name, &platform::CostProperty::name)->value();
}

/// What the closed form takes where neither the file nor --set says it.
std::optional<double> derived_value(const platform::CostProperty& property,
                                    const std::vector<platform::CostProperty>& properties,
                                    const replay::PlatformSummary& summary) {
  const replay::RouteSummary* route = summary.first_route();
  if (property.given || route == nullptr) return {};
  if (property.name == "remote_bandwidth")
    return route->rails * flow_bytes_per_s(*route, value_of("tcp_window", properties));
  if (property.name != "tau") return {};
  return get_s(*route, value_of("message_overhead", properties).value_or(0));
}

/// The rows of one direction between two hosts: latency and narrowest link, or that there is no route.
void add_way(const std::string& ends, const std::optional<replay::WaySummary>& way, output::Table& table) {
  const auto add = [&](const output::Cell& value, const char* unit) {
    table.rows.push_back({ends, value, std::string(unit), std::string("SimGrid"), std::string("replay"), {}});
  };
  if (!way) {
    table.rows.push_back(
        {ends, {}, std::string("no route"), std::string("SimGrid"), std::string("replay"), {}});
    table.notes.push_back(fmt::format("No route from {}: a message there ends the replay", ends));
    return;
  }
  add(way->latency_s / 1e-6, "us");
  add(way->bandwidth_bytes_per_s / 1e9, "GB/s");
}

/// The way back only where it differs, or is missing, too.
void add_route(const replay::RouteSummary& route, output::Table& table) {
  add_way(fmt::format("{} to {}", route.from, route.to), route.there, table);
  if (route.back != route.there || !route.back)
    add_way(fmt::format("{} to {}", route.to, route.from), route.back, table);
}

/// Cores of a host; where hosts are unlike one another, also their speeds and memories, of each kind of them.
void add_nodes(output::Table& table, const PlatformFlags& options,
               const std::vector<platform::CostProperty>& properties,
               const replay::PlatformSummary& summary) {
  const auto add = [&](const std::string& what, output::Cell value, output::Cell unit, const char* used_by) {
    table.rows.push_back(
        {what, std::move(value), std::move(unit), std::string("SimGrid"), std::string(used_by), {}});
  };
  const std::vector<platform::Node> nodes = platform::read_nodes(options.file, properties);
  if (nodes.empty()) return add("cores of a host", summary.cores_per_host, {}, "ranks a node");
  for (const std::vector<platform::Node>& kind : platform::kinds_of(nodes)) {
    std::vector<std::string> all_names;
    for (const platform::Node& node : kind)
      all_names.push_back(node.name);
    const std::string names = platform::names_of(all_names);
    const platform::Node& one = kind.front();
    add("cores of " + names, one.cores ? output::Cell(std::int64_t{*one.cores}) : output::Cell(), {},
        "ranks a node");
    add("speed of " + names, one.speed, {}, "work in flops");
    for (const platform::CostProperty& property : properties) {
      if (property.of_nodes.empty()) continue;
      const auto place =
          static_cast<std::size_t>(std::ranges::find(nodes, one.name, &platform::Node::name) - nodes.begin());
      add(fmt::format("{} of {}", property.name, names),
          in_unit(*property.given * property.of_nodes[place], property.unit), scale_of(property.unit).name,
          std::string(property.used_by).c_str());
    }
  }
}

/// @param changes  the flags that make another machine
void check_is_changed(const PlatformFlags& options, const std::vector<CLI::Option*>& changes) {
  if (!options.overrides.empty())
    throw InputError(
        "--out", "what --set gives would not be in the file",
        "Give --set where the file is used, or write it there as <prop id=\"...\" value=\"...\"/>");
  if (std::ranges::all_of(changes, [](const CLI::Option* change) { return change->empty(); }))
    throw InputError("--out", fmt::format("nothing makes another machine of {}", options.own),
                     "Give --nodes, --without, --hostfile or --rankfile");
}

void write_changed(const PlatformFlags& options) {
  std::ifstream changed(options.file);
  std::ostringstream text;
  text << changed.rdbuf();
  AtomicFile out(options.out, platform::enlarged_platform_kind(), {{options.own}, options.force});
  out.write(text.str());
  out.commit();
}

/// "n0", "n0 to n7", for the ends of a link; none where it is not known.
output::Cell end_of_link(const std::vector<std::string>& nodes) {
  return nodes.empty() ? output::Cell() : output::Cell(platform::names_of(nodes));
}

/// Every link with its ends, rate and latency.
void show_links(const PlatformFlags& options) {
  const output::Format format = output::parse_format(options.format);
  platform::read_cost_properties(options.file, options.overrides);  // names that --set may not have
  const platform::FileWithFactors scaled = platform::with_link_factors(options.file, options.overrides);
  output::Table table;
  table.name = "links";
  table.title = options.file;
  table.columns = {{"link", "link"},
                   {"from", "from"},
                   {"to", "to"},
                   {"bandwidth_gb_per_s", "GB/s", 3},
                   {"latency_us", "us", 3}};
  for (const replay::LinkSummary& link : replay::summarize_links(scaled.path))
    table.rows.push_back({link.name, end_of_link(link.from), end_of_link(link.to),
                          link.bandwidth_bytes_per_s / 1e9, link.latency_s / 1e-6});
  table.notes = {fmt::format("from, to: the nodes whose messages cross the link, and those that these go to. "
                             "Empty: no route of two nodes crosses it, or the platform has more "
                             "than {} nodes",
                             replay::most_nodes_of_ends),
                 "One of them changes with --set 'link:NAME bandwidth=x0.25,latency=2us'"};
  print(std::cout, {table}, format);
}

void show_platform(const PlatformFlags& options) {
  if (options.links) return show_links(options);
  const platform::PlatformDocument kept(options.file);  // reads it once
  const output::Format format = output::parse_format(options.format);
  const std::vector<platform::CostProperty> properties =
      platform::read_cost_properties(options.file, options.overrides);
  const platform::FileWithFactors scaled = platform::with_link_factors(options.file, options.overrides);
  const replay::PlatformSummary summary = replay::summarize_platform(scaled.path);

  output::Table table;
  table.title = options.file;
  table.columns = {{"property", "property"}, {"value", "value", 3},  {"unit", "unit"},
                   {"from", "from"},         {"used_by", "used by"}, {"known", "known"}};
  table.rows.push_back(
      {std::string("hosts"), summary.hosts, {}, std::string("SimGrid"), std::string("replay"), {}});
  add_nodes(table, options, properties, summary);
  for (const replay::RouteSummary& route : summary.routes)
    add_route(route, table);
  std::vector<std::string> missing;
  for (const platform::CostProperty& property : properties) {
    const std::optional<double> derived = derived_value(property, properties, summary);
    const auto value = derived ? derived : property.value();
    table.rows.push_back(
        {std::string(property.name), value ? in_unit(*value, property.unit) : output::Cell(),
         scale_of(property.unit).name, derived ? "derived" : origin(property), std::string(property.used_by),
         property.given ? output::Cell(std::string(property.measured ? "measured" : "declared"))
                        : output::Cell()});
    if (property.given) continue;
    if (derived) {
      table.notes.push_back(fmt::format(
          "Derived: {}, of the route from {} to {}: {}", property.name, summary.routes.front().from,
          summary.routes.front().to,
          property.name == "tau"
              ? "message_overhead + " + way_of_tau(summary.routes.front())
              : (summary.routes.front().rails > 1 ? fmt::format("{} rails x ", summary.routes.front().rails)
                                                  : "") +
                    limit_of_flow(summary.routes.front(), value_of("tcp_window", properties))));
      continue;
    }
    if (property.without.empty())
      missing.push_back(fmt::format("{}={}", property.name, property.example));
    else
      table.notes.push_back(fmt::format("Optional: {}, e.g. {}. Without it, {}", property.name,
                                        property.example, property.without));
  }
  if (missing.empty())
    replay::check_network(platform::read_platform(options.file, options.overrides));
  else
    table.notes.insert(table.notes.begin(), fmt::format("Missing, e.g.: --set {}", fmt::join(missing, ",")));
  if (!table.notes.empty()) {
    table.notes.emplace_back(
        "Each can be given by --set, or in the file's zone or cluster: <prop id=\"tau\" value=\"3.4us\"/>");
  }
  for (const platform::TextProperty& property : platform::text_properties(options.file, options.overrides))
    table.notes.push_back(fmt::format("{} = {}", property.where, property.text));
  const platform::PlatformFacts facts = platform::platform_facts(options.file);
  const std::vector<platform::Node> nodes = platform::read_nodes(options.file, properties);
  if (!nodes.empty())
    table.notes.push_back(
        fmt::format("Hosts are unlike one another: each is simulated as it is. The closed form takes one "
                    "machine: every host as {}, whose costs are in the table",
                    nodes.front().name));
  table.notes.emplace_back(
      "cores: this many ranks are put on a node where --ranks-per-node is not given. More are refused "
      "without --oversubscribe");
  table.notes.push_back(
      facts.measured_on.empty()
          ? "Not measured by calibrate, so it is no recorded run's machine: compare shows no "
            "errors"
          : "Measured on " + facts.measured_on);
  if (!facts.disturbed_by.empty())
    table.notes.push_back("Measured while the machine was BUSY, so do not trust it: " + facts.disturbed_by);
  print(std::cout, {table}, format);
}

}  // namespace

void add_platform_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("platform",
                         "Shows a SimGrid platform file as finegrain reads it: hosts and routes (latency,\n"
                         "narrowest link) as SimGrid sees them, and the costs of memory and messages, with\n"
                         "the line each comes from and who uses it. For what is missing it says how\n"
                         "to give it; for what is optional, what happens without it. docs/platforms.md "
                         "explains every property.");
  const auto options = std::make_shared<PlatformFlags>();
  CLI::Option* file = command
                          ->add_option("file", options->named.files,
                                       "SimGrid platform file (XML), or the name of one of finegrain's own")
                          ->expected(1)
                          ->transform(platform_by_name())
                          ->each([options](const std::string& name) { options->own = name; });
  const std::vector<CLI::Option*> changes = add_machine_changes(*command, options->named);
  CLI::Option* out = command->add_option(
      "--out", options->out,
      "File for the machine that --nodes, --without, --hostfile and --rankfile make, e.g. larger.xml. Its "
      "hosts, links and costs are shown");
  for (CLI::Option* change : changes)
    change->needs(out);
  add_force(*command, options->force);
  add_overrides(
      *command, options->overrides,
      "Costs that the file lacks, or that replace its own, e.g. tau=3.4us; or those of one link, e.g. "
      "'link:leaf3 bandwidth=x0.25'");
  command->add_flag("--links", options->links, "Show each link instead: its ends, bandwidth and latency");
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain platform platforms/abel.xml --set message_overhead=1us\n"
      "         finegrain platform abel --nodes 4096 --out abel_4096.xml\n"
      "         finegrain platform abel --hostfile hosts --out mine.xml   # e.g. for a study");
  add_platform_make(*command, [options](const std::string& made) {
    options->file = made;
    show_platform(*options);
  });
  command->callback([options, command, file, changes] {
    if (!command->get_subcommands().empty()) return;
    if (file->empty()) throw CLI::RequiredError("file");
    options->file = options->named.files.front();
    if (!options->out.empty()) {
      check_is_changed(*options, changes);
      write_changed(*options);
      options->file = options->out.string();
    }
    show_platform(*options);
  });
}

}  // namespace finegrain::cli
