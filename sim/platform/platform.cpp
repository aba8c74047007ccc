// SPDX-License-Identifier: MIT
#include "sim/platform/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sim/platform/cost_properties.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/nearest.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

struct Missing {
  std::string_view name;
  std::string_view example;
};

/// Names all missing properties in one error, so that the user can add all of them at once.
[[noreturn]] void throw_missing(std::string_view where, const std::vector<Missing>& missing,
                                const std::string& question = {}) {
  std::vector<std::string> names, tags, settings;
  for (const Missing& one : missing) {
    names.emplace_back(one.name);
    tags.push_back(fmt::format("<prop id=\"{}\" value=\"{}\"/>", one.name, one.example));
    settings.push_back(fmt::format("{}={}", one.name, one.example));
  }
  throw InputError(where, fmt::format("no {} (SimGrid's own tags cannot say it)", fmt::join(names, ", ")),
                   fmt::format("{}Add {} to its zone or cluster, or give --set {}", question,
                               fmt::join(tags, ""), fmt::join(settings, ",")));
}

/// The property of the file that is named almost like one that is missing, as a question; or nothing.
std::string misspelt(const PlatformDocument& document, const std::vector<Missing>& missing) {
  std::vector<std::string> names;
  for (const Missing& one : missing)
    names.emplace_back(one.name);
  for (const pugi::xpath_node& match : document.xml().select_nodes("//prop")) {
    const std::string id = match.node().attribute("id").value();
    const std::string near = nearest(id, names);
    if (!near.empty() && !is_property(id))
      return fmt::format("{} has '{}': did you mean {}? ", document.place_of(match.node()), id, near);
  }
  return {};
}

[[noreturn]] void throw_no_closed_form(const PlatformCosts& costs) {
  std::vector<Missing> missing;
  if (!costs.tau_s) missing.push_back({"tau", "3.4us"});
  if (!costs.remote_bandwidth_bytes_per_s) missing.push_back({"remote_bandwidth", "12GBps"});
  throw_missing("platform", missing);
}

/// Powers are of sockets that are alike, and of nodes that have equally many.
void check_alike(const Platform& platform) {
  const bool differ_in_cores = std::ranges::any_of(
      platform.nodes, [&](const Node& node) { return node.cores != platform.nodes.front().cores; });
  if (differ_in_cores && platform.powers)
    throw InputError(platform.file.string(),
                     "socket_power is given, and nodes have different numbers of cores (energy is known of "
                     "nodes that are alike)",
                     "Leave it out");
}

}  // namespace

double PlatformCosts::tau() const {
  if (!tau_s) throw_no_closed_form(*this);
  return *tau_s;
}

double PlatformCosts::remote_bandwidth() const {
  if (!remote_bandwidth_bytes_per_s) throw_no_closed_form(*this);
  return *remote_bandwidth_bytes_per_s;
}

namespace {

/// Those of the model. The usual model's own values change nothing.
std::vector<std::string> ignored_settings(const PlatformDocument& document) {
  std::vector<std::string> names;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//config/prop")) {
    const std::string_view name = match.node().attribute("id").value();
    const std::string_view value = match.node().attribute("value").value();
    const bool is_usual = (name == "network/model" && value == "CM02") ||
                          (name == "network/crosstraffic" &&
                           (value == "0" || value == "no" || value == "false" || value == "off"));
    const bool is_followed = name == "smpi/lat-factor" || name == "smpi/bw-factor";
    const bool is_of_model = name.starts_with("network/") || name.starts_with("smpi/") ||
                             name == "cpu/model" || name == "host/model";
    if (is_of_model && !is_usual && !is_followed) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> names_of_files(const std::vector<std::filesystem::path>& files) {
  std::map<std::string, std::vector<std::filesystem::path>> files_of_names;
  for (const std::filesystem::path& file : files)
    if (auto& alike = files_of_names[file.stem().string()]; std::ranges::find(alike, file) == alike.end())
      alike.push_back(file);
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files) {
    const std::string name = file.stem().string();
    const std::vector<std::filesystem::path>& alike = files_of_names.at(name);
    std::set<std::string> folders;
    for (const std::filesystem::path& one : alike)
      if (const std::string folder = one.parent_path().filename().string(); !folder.ends_with(".tmp"))
        folders.insert(folder);
    const std::string folder = file.parent_path().filename().string();
    if (alike.size() == 1)
      names.push_back(name);
    else if (folders.size() == alike.size())
      names.push_back(folder.empty() ? name : folder + '/' + name);
    else
      names.push_back(fmt::format("{} ({})", name, std::ranges::find(alike, file) - alike.begin() + 1));
  }
  return names;
}

Platform read_platform(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const PlatformDocument document(file);
  const std::vector<CostProperty> properties = cost_properties(document, overrides);
  const auto optional_value = [&](std::string_view name) {
    return std::ranges::find(properties, name, &CostProperty::name)->value();
  };
  std::vector<Missing> missing;
  for (const CostProperty& property : properties)
    if (!property.value() &&
        (property.name == "memory_bandwidth" || property.name == "memory_bandwidth_per_core"))
      missing.push_back({property.name, property.example});
  if (!missing.empty()) throw_missing(file.string(), missing, misspelt(document, missing));
  const auto value = [&](std::string_view name) { return optional_value(name).value(); };
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = value("memory_bandwidth");
  costs.memory_bandwidth_per_core_bytes_per_s = value("memory_bandwidth_per_core");
  costs.cache_line_bytes = value("cache_line");
  costs.message_overhead_s = value("message_overhead");
  costs.local_latency_s = value("local_latency");
  costs.write_allocate_bytes = value("write_allocate");
  costs.copy_allocate_bytes = value("copy_allocate");
  costs.call_s = value("call");
  costs.search_step_s = value("search_step");
  costs.shared_pointer_access_s = value("shared_pointer_access");
  costs.affinity_test_s = value("affinity_test");
  costs.unregistered_bandwidth_bytes_per_s = optional_value("unregistered_bandwidth");
  costs.eager_limit_bytes = optional_value("eager_limit");
  costs.stripe_above_bytes = optional_value("stripe_above");
  costs.buffered_limit_bytes = optional_value("buffered_limit");
  costs.request_bytes = value("request_bytes");
  costs.connection_lead_bytes = value("connection_lead");
  costs.tcp_window_bytes = optional_value("tcp_window");
  costs.memory_size_bytes = optional_value("memory_size");
  costs.tau_s = optional_value("tau");
  costs.remote_bandwidth_bytes_per_s = optional_value("remote_bandwidth");
  costs.hardware_threads = read_hardware_threads(document, overrides);
  costs.latency_factors = read_size_factors(document, overrides, "latency_factors");
  costs.bandwidth_factors = read_size_factors(document, overrides, "bandwidth_factors");
  Platform platform{.file = file, .name = file.stem().string(), .costs = costs};
  if (const auto mpi = text_property(document, overrides, "mpi")) platform.mpi = mpi->text;
  if (const auto network = text_property(document, overrides, "network")) platform.network = network->text;
  if (const auto routing = text_property(document, overrides, "routing")) platform.routing = routing->text;
  if (const auto sockets = text_property(document, overrides, "sockets"))
    platform.sockets = parse_count(*sockets);
  if (const auto domains = text_property(document, overrides, "memory_domains")) {
    platform.memory_domains = parse_count(*domains);
    if (platform.memory_domains > 1 && platform.sockets > 1 && platform.memory_domains != platform.sockets)
      throw InputError(domains->where,
                       fmt::format("{} domains on {} (a socket's memory is one, or the node's is)",
                                   platform.memory_domains, format_count(platform.sockets, "socket")),
                       "Make them as many as sockets, or 1");
  }
  const auto says = [&](std::string_view name, std::string_view usual, std::string_view other) {
    const auto word = text_property(document, overrides, name);
    if (word && word->text != usual && word->text != other)
      throw InputError(word->where,
                       fmt::format("{}: '{}' is neither {} nor {}", name, word->text, usual, other),
                       "Write one of them");
    return word && word->text == other;
  };
  platform.costs.replies_wait = says("replies", "at_once", "behind_data");
  platform.costs.links_in_order = says("link_queues", "shared", "in_order");
  platform.powers = read_powers(document, overrides);
  const FileWithFactors scaled = with_link_factors(file, overrides);
  platform.file = scaled.path;
  // What else reads the file finds it read, as long as the platform is there.
  platform.kept = std::make_shared<std::pair<std::shared_ptr<const void>, PlatformDocument>>(
      scaled.kept, PlatformDocument(scaled.path));
  platform.changes_over_time = document.changes_over_time();
  platform.ignored_settings = ignored_settings(document);
  platform.ignores_wattages =
      !platform.powers && document.xml().select_node("//prop[@id='wattage_per_state']");
  platform.nodes = nodes_of(document, properties);
  platform.listed = node_list(document);
  platform.speed = platform.nodes.empty()
                       ? document.xml().select_node("//*[@speed]").node().attribute("speed").value()
                       : platform.nodes.front().speed;
  if (platform.nodes.empty()) return platform;
  if (platform.costs.hardware_threads && platform.nodes.front().cores)
    platform.costs.hardware_threads->cores = *platform.nodes.front().cores;
  check_alike(platform);
  return platform;
}

PlatformCosts Platform::costs_of_node(std::size_t host) const {
  PlatformCosts of_node = costs;
  if (host >= nodes.size()) return of_node;
  const Node& node = nodes[host];
  of_node.memory_bandwidth_bytes_per_s *= node.memory_bandwidth;
  of_node.memory_bandwidth_per_core_bytes_per_s *= node.memory_bandwidth_per_core;
  if (of_node.memory_size_bytes) *of_node.memory_size_bytes *= node.memory_size;
  if (of_node.hardware_threads && node.cores) of_node.hardware_threads->cores = *node.cores;
  return of_node;
}

std::vector<int> ranks_that_fit_nodes(const Platform& platform, int threads_per_rank) {
  const auto ranks_on = [&](int cores) { return std::max(1, cores / threads_per_rank); };
  std::vector<int> room;
  if (!platform.listed) {
    for (const Node& node : platform.nodes)
      if (node.cores) room.push_back(ranks_on(*node.cores));
    const bool differ = std::ranges::adjacent_find(room, std::not_equal_to()) != room.end();
    return differ ? room : std::vector<int>();
  }
  const std::optional<int> of_all =
      platform.nodes.empty() ? platform_facts(platform.file).cores : std::nullopt;
  for (std::size_t place = 0; place < platform.listed->nodes.size(); ++place) {
    const std::optional<int> cores = platform.nodes.empty() ? of_all : platform.nodes[place].cores;
    const std::optional<int> slots = platform.listed->nodes[place].slots;
    if (!slots && !cores) return {};
    room.push_back(slots ? *slots : ranks_on(*cores));
  }
  return room;
}

std::string describe_nodes(const Platform& platform) {
  std::vector<std::string> texts;
  for (const std::vector<Node>& kind : kinds_of(platform.nodes)) {
    std::vector<std::string> names;
    for (const Node& node : kind)
      names.push_back(node.name);
    const Node& one = kind.front();
    texts.push_back(
        fmt::format("{}: {}{}, memory {} and {} a core", names_of(names),
                    one.cores ? format_count(*one.cores, "core") + ", " : std::string(),
                    one.work ? fmt::format("{}, recorded work x {:.3g} of other hosts'", one.speed, *one.work)
                             : one.speed,
                    format_bandwidth(platform.costs.memory_bandwidth_bytes_per_s * one.memory_bandwidth),
                    format_bandwidth(platform.costs.memory_bandwidth_per_core_bytes_per_s *
                                     one.memory_bandwidth_per_core)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

double rank_bandwidth_bytes_per_s(const PlatformCosts& costs, int ranks_on_node, int threads_per_rank) {
  const double of_cores = threads_per_rank * costs.memory_bandwidth_per_core_bytes_per_s;
  if (!costs.hardware_threads) return of_cores;
  return of_cores * costs.hardware_threads->thread_rate(std::int64_t{ranks_on_node} * threads_per_rank);
}

double private_bandwidth_bytes_per_s(const PlatformCosts& costs, int busy_ranks, int threads_per_rank) {
  return std::min(rank_bandwidth_bytes_per_s(costs, busy_ranks, threads_per_rank),
                  costs.memory_bandwidth_bytes_per_s / busy_ranks);
}

}  // namespace finegrain::platform
