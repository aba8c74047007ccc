// SPDX-License-Identifier: MIT
#include "sim/replay/loaded_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sim/platform/enlarged.hpp"
#include "sim/platform/link_changes.hpp"
#include "sim/platform/natural_order.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

namespace {

/// SimGrid's settings of every replay. Each is set even where it is SimGrid's default: the <config> of a
/// platform file may change only what has not been set.
constexpr const char* settings[] = {
    "network/model:CM02",          // no TCP correction factors
    "network/latency-factor:1",    //
    "network/bandwidth-factor:1",  //
    "network/weight-S:0",          // shares do not depend on links' bandwidths
    "network/crosstraffic:0",      // a flow does not slow the opposite direction
    "network/optim:Lazy",          // recomputes only what a change touches
    "cpu/optim:Lazy",              //
    "maxmin/precision:1e-5",       // a rate's
    "contexts/stack-size:256",     // KiB an actor
#ifdef __SANITIZE_ADDRESS__
    "contexts/factory:thread",  // the address sanitizer understands threads, not SimGrid's own contexts
#endif
};

constexpr double longest_latency_s = 1e6;

/// SimGrid's links without FATPIPE and Wi-Fi are shared.
bool is_private(const sg4::Link* link) {
  return link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE;
}

/// Changes links as the file says. @throws InputError if one is not there, or has a number of its own
/// otherwise
void change_links(const std::filesystem::path& file, const platform::SimgridFile& input) {
  for (const platform::LinkChange& change : platform::link_changes(platform::PlatformDocument(file))) {
    const bool has_profile = std::ranges::find(input.profiles(), change.link, &platform::LinkProfile::link) !=
                             input.profiles().end();
    if (has_profile || input.wifi_links().contains(change.link))
      throw InputError(change.where,
                       has_profile ? "a <trace_connect> gives this link its numbers during the run"
                                   : "this is a Wi-Fi link, whose rates are its stations'",
                       "Change it in the file");
    bool is_there = false;
    for (const char* direction : {"", "_UP", "_DOWN"}) {
      sg4::Link* const link = sg4::Link::by_name_or_null(change.link + direction);
      if (link == nullptr) continue;
      is_there = true;
      if (change.bandwidth_bytes_per_s)
        link->set_bandwidth(change.bandwidth_bytes_per_s->applied_to(link->get_bandwidth()));
      if (change.latency_s) link->set_latency(change.latency_s->applied_to(link->get_latency()));
    }
    if (!is_there)
      throw InputError(change.where, "the platform has no link of this name",
                       "finegrain platform FILE --links prints their names");
  }
}

/// The names of a host's zones, from the platform's inwards, and its own.
std::vector<std::string> path_of(const sg4::Host* host) {
  std::vector<std::string> names{host->get_name()};
  // SimGrid 3.32 may not be asked for the parent of the outermost zone.
  const sg4::NetZone* const outermost = sg4::Engine::get_instance()->get_netzone_root();
  const sg4::NetZone* zone = host->get_englobing_zone();
  for (; zone != outermost; zone = zone->get_parent())
    names.push_back(zone->get_name());
  names.push_back(outermost->get_name());
  std::ranges::reverse(names);
  return names;
}

/// A platform's file as a user knows it: flags such as --nodes make copies in a folder of their own.
std::string shown(const std::filesystem::path& file) {
  const bool is_copy = file.parent_path().filename().string().starts_with("finegrain-platform.");
  return is_copy ? file.filename().string() : file.string();
}

/// The first line of what SimGrid says, which may go on with all it knows.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

LoadedPlatform::LoadedPlatform(const std::filesystem::path& file, int nodes, std::span<const int> hosts)
    : file_(file), input_(file), engine_("finegrain") {
  for (const char* setting : settings)
    sg4::Engine::set_config(setting);
  sg4::Engine::set_config("surf/precision", clock_resolution_s);
  load();
  take_hosts(nodes, hosts);
  find_links();
  if (rails().count > 1 && latencies_change())
    throw InputError(rails().where,
                     "a LATENCY profile changes a link, which is not followed where nodes have rails",
                     "Leave one of them out");
  // Routes may be asked for only afterwards.
  engine_.seal_platform();
}

void LoadedPlatform::load() {
  try {
    engine_.load_platform(input_.path().string());
  } catch (const std::out_of_range& error) {
    constexpr std::string_view unknown = "Bad config key: ";
    const std::string reason = first_line(error.what());
    if (!reason.starts_with(unknown)) throw;
    const std::string key = reason.substr(unknown.size());
    throw InputError(input_.place_of_setting(key),
                     fmt::format("the setting '{}' is not one of SimGrid 3.32's", key),
                     "Correct it, or leave it out: finegrain sets the network model itself");
  } catch (const simgrid::Exception& error) {
    // "Parse error at FILE:LINE: ..."
    std::string reason = error.what();
    const std::string copy = input_.path().string();
    if (const std::size_t place = reason.find(copy); place != std::string::npos)
      reason.replace(place, copy.size(), file_.string());
    throw std::runtime_error(reason);
  }
  if (engine_.get_netzone_root() == nullptr) {
    throw InputError(file_.string(), "no <zone> or <cluster> (a platform needs hosts)", "Add one");
  }
}

void LoadedPlatform::take_hosts(int nodes, std::span<const int> hosts) {
  hosts_ = engine_.get_all_hosts();
  std::sort(hosts_.begin(), hosts_.end(), [](const auto* a, const auto* b) {
    return platform::natural_less(a->get_name(), b->get_name());
  });
  if (!hosts_.empty()) first_host_ = hosts_.front();
  if (input_.nodes()) hosts_.resize(std::min(hosts_.size(), static_cast<std::size_t>(*input_.nodes())));
  if (input_.listed()) {
    hosts_.clear();
    for (const platform::NodeList::Named& node : input_.listed()->nodes) {
      sg4::Host* const host = engine_.host_by_name_or_null(node.host);
      if (host == nullptr)
        throw InputError(file_.string(), fmt::format("node_list names '{}', which is not a host", node.host),
                         "Correct it");
      hosts_.push_back(host);
    }
  }
  if (!hosts.empty()) {
    const std::vector<sg4::Host*> all = std::exchange(hosts_, {});
    for (const int host : hosts) {
      if (host < 0 || static_cast<std::size_t>(host) >= all.size())
        throw InputError(file_.string(),
                         fmt::format("there is no node {} (its {} hosts are nodes 0 to {})", host, all.size(),
                                     all.size() - 1),
                         "Give others, or a larger platform");
      hosts_.push_back(all[static_cast<std::size_t>(host)]);
    }
  }
  if (hosts_.size() >= static_cast<std::size_t>(nodes)) return;
  const std::optional<int> possible = platform::possible_nodes(file_, nodes);
  const std::string file = shown(file_);
  std::string remedy = "Use fewer ranks or more ranks per node";
  if (possible) remedy += fmt::format(", or more nodes: --nodes {}", *possible);
  if (possible && file == file_.string())
    remedy += fmt::format(" (as a file: finegrain platform {} --nodes {} --out larger.xml)", file, *possible);
  throw InputError(file,
                   fmt::format("{} for {} (a node is a host)", format_count(hosts_.size(), "host"),
                               format_count(nodes, "node")),
                   remedy);
}

void LoadedPlatform::find_links() {
  change_links(file_, input_);
  links_ = engine_.get_all_links();
  for (const sg4::Link* link : links_) {
    link_places_.emplace(link, link_bandwidths_bytes_per_s_.size());
    link_bandwidths_bytes_per_s_.push_back(file_bandwidth_bytes_per_s(link));
  }
  for (const auto& [name, wifi] : input_.wifi_links())
    if (sg4::Link* const link = sg4::Link::by_name_or_null(name))
      for (const sg4::Host* host : hosts_)
        link->set_host_wifi_rate(host, 0);
}

double LoadedPlatform::file_bandwidth_bytes_per_s(const sg4::Link* link) const {
  const auto wifi = input_.wifi_links().find(link->get_name());
  return wifi == input_.wifi_links().end() ? link->get_bandwidth() : wifi->second.rates_bytes_per_s.front();
}

sg4::NetZone* LoadedPlatform::new_zone(const std::string& name) {
  // Beside the platform's: a zone within it would change how SimGrid finds its routes.
  sg4::NetZone* zone = sg4::create_empty_zone(name);
  const auto* root = engine_.get_netzone_root()->get_impl();
  zone->get_impl()->set_cpu_pm_model(root->get_cpu_pm_model());
  zone->get_impl()->set_host_model(root->get_host_model());
  return zone;
}

std::vector<sg4::Host*> LoadedPlatform::make_changing_cores(std::span<const int> nodes) {
  std::vector<sg4::Host*> cores(nodes.size(), nullptr);
  const std::vector<const platform::SpeedProfile*> profiles = speed_profiles();
  if (profiles.empty()) return cores;
  sg4::NetZone* zone = new_zone("finegrain cores");
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const platform::SpeedProfile* const profile = profiles[static_cast<std::size_t>(nodes[rank])];
    if (profile == nullptr) continue;
    const std::string name = fmt::format("finegrain core {}", rank);
    std::string lines;
    for (const platform::Profile::Point& point : profile->factors().points) {
      if (point.value == 0)
        throw InputError(profile->where(),
                         fmt::format("host {} stands still at {} s (with one SimGrid flow a message, SimGrid "
                                     "3.32 simulates its work, and ends there)",
                                     profile->host(), point.at_s),
                         "Leave one of them out");
      lines += fmt::format("{} {}\n", point.at_s, point.value);
    }
    const double period_s = profile->factors().period_s;
    cores[rank] = zone->create_host(name, changing_core_flops_per_s)
                      ->set_speed_profile(simgrid::kernel::profile::ProfileBuilder::from_string(
                          name, lines, period_s > 0 ? period_s : -1))
                      ->seal();
  }
  zone->seal();
  return cores;
}

std::vector<sg4::Host*> LoadedPlatform::make_memories(std::span<const double> bandwidths_bytes_per_s,
                                                      int domains) {
  sg4::NetZone* zone = new_zone("finegrain memories");
  std::vector<sg4::Host*> memories;
  for (const double bandwidth_bytes_per_s : bandwidths_bytes_per_s)
    for (int domain = 0; domain < domains; ++domain)
      memories.push_back(zone->create_host(fmt::format("finegrain memory {}", memories.size()),
                                           bandwidth_bytes_per_s / domains)
                             ->seal());
  zone->seal();
  return memories;
}

const sg4::Host* LoadedPlatform::adapter(int node, int rail) const {
  const sg4::Host* const host = hosts_[static_cast<std::size_t>(node)];
  if (rail == 0) return host;
  const std::string name = platform::rail_host(host->get_name(), rail);
  if (const sg4::Host* const found = sg4::Host::by_name_or_null(name)) return found;
  throw InputError(
      rails().where,
      fmt::format("there is no host {}, the adapter of {} on rail {}", name, host->get_name(), rail),
      "Add it, or give fewer rails");
}

std::vector<sg4::Link*> LoadedPlatform::links_between(int from, int to, int rail, double& latency_s) const {
  const sg4::Host* source = adapter(from, rail);
  const sg4::Host* target = adapter(to, rail);
  std::vector<sg4::Link*> links;
  latency_s = 0;
  if (!input_.askable_routes().may_ask(path_of(source), path_of(target))) return links;
  try {
    source->route_to(target, links, &latency_s);
  } catch (const std::exception&) {  // "No route from ..."
    links.clear();
    latency_s = 0;
  }
  return links;
}

void LoadedPlatform::throw_no_route(int from, int to) const {
  throw InputError(shown(file_),
                   fmt::format("no links from host {} to host {} (messages need a route)",
                               hosts_[static_cast<std::size_t>(from)]->get_name(),
                               hosts_[static_cast<std::size_t>(to)]->get_name()),
                   "Add one");
}

int LoadedPlatform::count_links(int from, int to) const {
  double latency_s = 0;
  const std::vector<sg4::Link*> links = links_between(from, to, 0, latency_s);
  if (links.empty() && latency_s == 0) throw_no_route(from, to);
  return static_cast<int>(links.size());
}

void LoadedPlatform::check_link(const sg4::Link* link) const {
  const double bandwidth_bytes_per_s = link_bandwidths_bytes_per_s_[link_places_.at(link)];
  const auto wifi = input_.wifi_links().find(link->get_name());
  if (wifi != input_.wifi_links().end() && wifi->second.rates_bytes_per_s.size() > 1)
    throw InputError(wifi->second.where,
                     fmt::format("Wi-Fi link {} has {} rates (a platform file cannot say which of them a "
                                 "station has)",
                                 wifi->first, wifi->second.rates_bytes_per_s.size()),
                     "Give it one bandwidth");
  if (bandwidth_bytes_per_s > 0 && std::isfinite(bandwidth_bytes_per_s) && link->get_latency() >= 0 &&
      link->get_latency() <= longest_latency_s)
    return;
  throw InputError(file_.string(),
                   fmt::format("link {} has a bandwidth of {} B/s and a latency of {} s (no network has)",
                               link->get_name(), bandwidth_bytes_per_s, link->get_latency()),
                   "Correct it");
}

/// In SimGrid, only the first and the last link of a route may be Wi-Fi: those of a station and its access
/// point.
void LoadedPlatform::check_wifi(int from, int to, const std::vector<sg4::Link*>& links) const {
  if (input_.wifi_links().empty()) return;
  for (std::size_t place = 1; place + 1 < links.size(); ++place)
    if (input_.wifi_links().contains(links[place]->get_name()))
      throw InputError(
          file_.string(),
          fmt::format("the route from host {} to host {} crosses Wi-Fi link {} between other "
                      "links (only stations use it)",
                      hosts_[static_cast<std::size_t>(from)]->get_name(),
                      hosts_[static_cast<std::size_t>(to)]->get_name(), links[place]->get_name()),
          "Name the zone's access_point, and make it the gateway");
}

LoadedPlatform::Route LoadedPlatform::measured_route(int from, int to, const std::vector<sg4::Link*>& links,
                                                     double latency_s) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Route route{.from = from,
              .to = to,
              .latency_s = latency_s,
              .bandwidth_bytes_per_s = infinite,
              .shared_links = {},
              .private_links = {},
              .most_bytes_per_s = infinite};
  double links_latency_s = 0;
  check_wifi(from, to, links);
  for (const sg4::Link* link : links) {
    check_link(link);
    const std::size_t place = link_places_.at(link);
    const double bandwidth_bytes_per_s = link_bandwidths_bytes_per_s_[place];
    links_latency_s += link->get_latency();
    if (!late_s_.empty()) route.late_s += late_s_[place];
    route.bandwidth_bytes_per_s = std::min(route.bandwidth_bytes_per_s, bandwidth_bytes_per_s);
    if (is_private(link)) {
      route.most_bytes_per_s = std::min(route.most_bytes_per_s, bandwidth_bytes_per_s);
      route.private_links.push_back(place);
    } else {
      route.shared_links.push_back(place);
    }
  }
  route.has_links_latency = std::abs(latency_s - links_latency_s) <= 1e-9 * latency_s;
  return route;
}

const LoadedPlatform::Route* LoadedPlatform::find_route(int from, int to, int rail) {
  const auto known = routes_.find({from, to, rail});
  if (known != routes_.end()) return &known->second;
  double latency_s = 0;
  const std::vector<sg4::Link*> links = links_between(from, to, rail, latency_s);
  if (links.empty() && latency_s == 0) return nullptr;
  return &routes_.emplace(Ends(from, to, rail), measured_route(from, to, links, latency_s)).first->second;
}

const LoadedPlatform::Route& LoadedPlatform::route(int from, int to, int rail) {
  const Route* found = find_route(from, to, rail);
  if (found == nullptr) throw_no_route(from, to);
  return *found;
}

bool LoadedPlatform::latencies_change() const {
  return std::ranges::any_of(profiles(), [](const platform::LinkProfile& profile) {
    return profile.kind == platform::LinkProfile::Kind::latency;
  });
}

std::vector<const platform::SpeedProfile*> LoadedPlatform::speed_profiles() const {
  std::vector<const platform::SpeedProfile*> of_nodes;
  for (const platform::SpeedProfile& profile : input_.speed_profiles()) {
    const sg4::Host* const host = sg4::Host::by_name_or_null(profile.host());
    if (host == nullptr)
      throw InputError(profile.where(), fmt::format("there is no host '{}'", profile.host()),
                       "Correct its name");
    of_nodes.resize(hosts_.size(), nullptr);
    const auto node = std::ranges::find(hosts_, host);
    if (node != hosts_.end()) of_nodes[static_cast<std::size_t>(node - hosts_.begin())] = &profile;
  }
  return of_nodes;
}

std::vector<std::size_t> LoadedPlatform::links_of(const platform::LinkProfile& profile) const {
  std::vector<std::size_t> places;
  for (const char* direction : {"", "_UP", "_DOWN"})
    if (const sg4::Link* link = sg4::Link::by_name_or_null(profile.link + direction))
      places.push_back(link_places_.at(link));
  if (places.empty())
    throw InputError(profile.where, fmt::format("there is no link '{}'", profile.link), "Correct its name");
  return places;
}

void LoadedPlatform::forget_changes() {
  for (std::size_t link = 0; link < links_.size(); ++link) {
    set_bandwidth(link, file_bandwidth_bytes_per_s(links_[link]));
    if (!late_s_.empty()) set_latency(link, links_[link]->get_latency());
  }
}

void LoadedPlatform::set_bandwidth(std::size_t link, double bytes_per_s) {
  if (std::exchange(link_bandwidths_bytes_per_s_[link], bytes_per_s) == bytes_per_s) return;
  for (auto& [ends, route] : routes_) {
    if (std::ranges::find(route.private_links, link) == route.private_links.end()) continue;
    route.most_bytes_per_s = std::numeric_limits<double>::infinity();
    for (const std::size_t place : route.private_links)
      route.most_bytes_per_s = std::min(route.most_bytes_per_s, link_bandwidths_bytes_per_s_[place]);
  }
}

void LoadedPlatform::set_latency(std::size_t link, double seconds) {
  late_s_.resize(links_.size(), 0);
  const double late_s = seconds - links_[link]->get_latency();
  const double change_s = late_s - late_s_[link];
  late_s_[link] = late_s;
  for (auto& [ends, route] : routes_)
    route.late_s += change_s * static_cast<double>(std::ranges::count(route.shared_links, link) +
                                                   std::ranges::count(route.private_links, link));
}

void LoadedPlatform::set_bandwidth_in_simgrid(std::size_t link, double bytes_per_s) {
  links_[link]->set_bandwidth(bytes_per_s);
}

std::vector<std::string> LoadedPlatform::link_names() const {
  std::vector<std::string> names;
  for (const sg4::Link* link : links_)
    names.push_back(link->get_name());
  return names;
}

void LoadedPlatform::share_bandwidth_equally() {
  for (sg4::Link* link : links_)
    link->set_latency(0);
}

}  // namespace finegrain::replay
