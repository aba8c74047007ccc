// SPDX-License-Identifier: MIT
#include "sim/replay/loaded_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sim/platform/enlarged.hpp"
#include "sim/platform/link_changes.hpp"
#include "sim/replay/regular_wires.hpp"
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

/// Changes links as the file says. @throws InputError if one is not there, or has a number of its own
/// otherwise
void change_links(const std::filesystem::path& file, const platform::SimgridFile& input, Wires& wires) {
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
      const std::optional<std::size_t> link = wires.find_link(change.link + direction);
      if (!link) continue;
      is_there = true;
      if (change.bandwidth_bytes_per_s)
        wires.set_bandwidth(*link,
                            change.bandwidth_bytes_per_s->applied_to(wires.bandwidth_bytes_per_s(*link)));
      if (change.latency_s) wires.set_latency(*link, change.latency_s->applied_to(wires.latency_s(*link)));
    }
    if (!is_there)
      throw InputError(change.where, "the platform has no link of this name",
                       "finegrain platform FILE --links prints their names");
  }
}

/// The first line of what SimGrid says, which may go on with all it knows.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

LoadedPlatform::LoadedPlatform(const std::filesystem::path& file, int nodes, std::span<const int> hosts,
                               platform::Clusters clusters)
    : file_(file), input_(file, clusters), engine_("finegrain") {
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

/// @param reason  "Parse error at FILE:LINE: problem"
void LoadedPlatform::throw_parse_error(std::string_view reason) const {
  const std::string before = fmt::format("Parse error at {}:", input_.path().string());
  if (!reason.starts_with(before)) throw std::runtime_error(std::string(reason));
  reason.remove_prefix(before.size());
  const std::size_t line = reason.find(':');
  std::string problem(reason.substr(std::min(line, reason.size() - 1) + 1));
  // The line of what SimGrid reads is said already.
  const std::size_t place = problem.find(" (XML input line ");
  if (const std::size_t end = problem.find("): ", place); place < end && end != std::string::npos)
    problem.erase(place, end + 1 - place);
  problem.erase(0, problem.find_first_not_of(' '));
  problem.erase(problem.find_last_not_of(" .:") + 1);
  throw InputError(fmt::format("{}:{}", file_.string(), reason.substr(0, line)),
                   fmt::format("{} (SimGrid 3.32 refuses it)", problem), "Correct the file");
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
  } catch (const std::range_error& error) {
    throw InputError(
        input_.place_of_settings(),
        fmt::format("SimGrid 3.32 refuses the value of a setting ({})", first_line(error.what())),
        "Correct it, or leave it out: finegrain sets the network model itself");
  } catch (const simgrid::Exception& error) {
    throw_parse_error(error.what());
  }
  if (engine_.get_netzone_root() == nullptr) {
    throw InputError(file_.string(), "no <zone> or <cluster> (a platform needs hosts)", "Add one");
  }
  if (input_.by_rule()) {
    wires_ = std::make_unique<RegularWires>(*input_.by_rule());
  } else {
    auto in_simgrid = std::make_unique<SimgridWires>(input_);
    in_simgrid_ = in_simgrid.get();
    wires_ = std::move(in_simgrid);
  }
}

void LoadedPlatform::take_hosts(int nodes, std::span<const int> hosts) {
  std::size_t count = wires_->hosts();
  if (input_.nodes()) count = std::min(count, static_cast<std::size_t>(*input_.nodes()));
  hosts_.resize(count);
  std::iota(hosts_.begin(), hosts_.end(), std::size_t{0});
  if (input_.listed()) {
    hosts_.clear();
    for (const platform::NodeList::Named& node : input_.listed()->nodes) {
      const std::optional<std::size_t> host = wires_->find_host(node.host);
      if (!host)
        throw InputError(file_.string(), fmt::format("node_list names '{}', which is not a host", node.host),
                         "Correct it");
      hosts_.push_back(*host);
    }
  }
  if (!hosts.empty()) {
    const std::vector<std::size_t> all = std::exchange(hosts_, {});
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
  const std::string file = file_.string();
  // Flags such as --nodes make copies in a folder of their own.
  const bool is_copy = file_.parent_path().filename().string().starts_with("finegrain-platform.");
  std::string remedy = "Use fewer ranks or more ranks per node";
  if (possible) remedy += fmt::format(", or more nodes: --nodes {}", *possible);
  if (possible && !is_copy)
    remedy += fmt::format(" (as a file: finegrain platform {} --nodes {} --out larger.xml)", file, *possible);
  throw InputError(file,
                   fmt::format("{} for {} (a node is a host)", format_count(hosts_.size(), "host"),
                               format_count(nodes, "node")),
                   remedy);
}

void LoadedPlatform::find_links() {
  change_links(file_, input_, *wires_);
  for (std::size_t link = 0; link < wires_->links(); ++link)
    link_bandwidths_bytes_per_s_.push_back(wires_->bandwidth_bytes_per_s(link));
  for (const auto& [name, wifi] : input_.wifi_links())
    if (sg4::Link* const link = sg4::Link::by_name_or_null(name))
      for (int node = 0; node < nodes(); ++node)
        link->set_host_wifi_rate(simgrid_host(node), 0);
}

std::size_t LoadedPlatform::adapter(int node, int rail) const {
  if (rail == 0) return host_of(node);
  const std::string name = platform::rail_host(host_name(node), rail);
  if (const std::optional<std::size_t> found = wires_->find_host(name)) return *found;
  throw InputError(
      rails().where,
      fmt::format("there is no host {}, the adapter of {} on rail {}", name, host_name(node), rail),
      "Add it, or give fewer rails");
}

Wires::Way LoadedPlatform::way_between(int from, int to, int rail) const {
  const std::size_t source = adapter(from, rail);
  return wires_->way(source, adapter(to, rail));
}

void LoadedPlatform::throw_no_route(int from, int to) const {
  throw InputError(
      file_.string(),
      fmt::format("no links from host {} to host {} (messages need a route)", host_name(from), host_name(to)),
      "Add one");
}

int LoadedPlatform::count_links(int from, int to) const {
  const Wires::Way way = way_between(from, to, 0);
  if (way.links.empty() && way.latency_s == 0) throw_no_route(from, to);
  return static_cast<int>(way.links.size());
}

void LoadedPlatform::check_link(std::size_t link) const {
  const double bandwidth_bytes_per_s = link_bandwidths_bytes_per_s_[link];
  const double latency_s = wires_->latency_s(link);
  const auto wifi = input_.wifi_links().empty() ? input_.wifi_links().end()
                                                : input_.wifi_links().find(wires_->link_name(link));
  if (wifi != input_.wifi_links().end() && wifi->second.rates_bytes_per_s.size() > 1)
    throw InputError(wifi->second.where,
                     fmt::format("Wi-Fi link {} has {} rates (a platform file cannot say which of them a "
                                 "station has)",
                                 wifi->first, wifi->second.rates_bytes_per_s.size()),
                     "Give it one bandwidth");
  if (bandwidth_bytes_per_s > 0 && std::isfinite(bandwidth_bytes_per_s) && latency_s >= 0 &&
      latency_s <= longest_latency_s)
    return;
  throw InputError(file_.string(),
                   fmt::format("link {} has a bandwidth of {} B/s and a latency of {} s (no network has)",
                               wires_->link_name(link), bandwidth_bytes_per_s, latency_s),
                   "Correct it");
}

/// In SimGrid, only the first and the last link of a route may be Wi-Fi: those of a station and its access
/// point.
void LoadedPlatform::check_wifi(int from, int to, const std::vector<std::size_t>& links) const {
  if (input_.wifi_links().empty()) return;
  for (std::size_t place = 1; place + 1 < links.size(); ++place)
    if (input_.wifi_links().contains(wires_->link_name(links[place])))
      throw InputError(file_.string(),
                       fmt::format("the route from host {} to host {} crosses Wi-Fi link {} between other "
                                   "links (only stations use it)",
                                   host_name(from), host_name(to), wires_->link_name(links[place])),
                       "Name the zone's access_point, and make it the gateway");
}

LoadedPlatform::Route LoadedPlatform::measured_route(int from, int to, const Wires::Way& way) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Route route{.from = from,
              .to = to,
              .latency_s = way.latency_s,
              .bandwidth_bytes_per_s = infinite,
              .shared_links = {},
              .private_links = {},
              .most_bytes_per_s = infinite};
  double links_latency_s = 0;
  check_wifi(from, to, way.links);
  for (const std::size_t place : way.links) {
    check_link(place);
    const double bandwidth_bytes_per_s = link_bandwidths_bytes_per_s_[place];
    links_latency_s += wires_->latency_s(place);
    if (!late_s_.empty()) route.late_s += late_s_[place];
    route.bandwidth_bytes_per_s = std::min(route.bandwidth_bytes_per_s, bandwidth_bytes_per_s);
    if (wires_->is_private(place)) {
      route.most_bytes_per_s = std::min(route.most_bytes_per_s, bandwidth_bytes_per_s);
      route.private_links.push_back(place);
    } else {
      route.shared_links.push_back(place);
    }
  }
  route.has_links_latency = std::abs(way.latency_s - links_latency_s) <= 1e-9 * way.latency_s;
  return route;
}

const LoadedPlatform::Route* LoadedPlatform::find_route(int from, int to, int rail) {
  const auto known = routes_.find({from, to, rail});
  if (known != routes_.end()) return &known->second;
  const Wires::Way way = way_between(from, to, rail);
  if (way.links.empty() && way.latency_s == 0) return nullptr;
  Route route = measured_route(from, to, way);
  route.rail = rail;
  return &routes_.emplace(Ends(from, to, rail), std::move(route)).first->second;
}

LoadedPlatform::Route LoadedPlatform::striped_route(int from, int to) {
  Route all{.from = from,
            .to = to,
            .shared_links = {},
            .private_links = {},
            .most_bytes_per_s = std::numeric_limits<double>::infinity(),
            .rail = platform::all_rails};
  for (int rail = 0; rail < rails().count; ++rail) {
    const Route& one = route(from, to, rail);
    all.stripes.push_back({&one, one.bandwidth_bytes_per_s});
    all.latency_s = std::max(all.latency_s, one.latency_s);
    all.bandwidth_bytes_per_s += one.bandwidth_bytes_per_s;
    all.shared_links.insert(all.shared_links.end(), one.shared_links.begin(), one.shared_links.end());
  }
  for (Route::Stripe& stripe : all.stripes) {
    stripe.part /= all.bandwidth_bytes_per_s;
    all.parts.insert(all.parts.end(), stripe.route->shared_links.size(), static_cast<float>(stripe.part));
  }
  return all;
}

const LoadedPlatform::Route& LoadedPlatform::route(int from, int to, int rail) {
  if (rail == platform::all_rails) {
    const auto known = routes_.find({from, to, rail});
    if (known != routes_.end()) return known->second;
    return routes_.emplace(Ends(from, to, rail), striped_route(from, to)).first->second;
  }
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
    const std::optional<std::size_t> host = wires_->find_host(profile.host());
    if (!host)
      throw InputError(profile.where(), fmt::format("there is no host '{}'", profile.host()),
                       "Correct its name");
    of_nodes.resize(hosts_.size(), nullptr);
    const auto node = std::ranges::find(hosts_, *host);
    if (node != hosts_.end()) of_nodes[static_cast<std::size_t>(node - hosts_.begin())] = &profile;
  }
  return of_nodes;
}

std::vector<std::size_t> LoadedPlatform::links_of(const platform::LinkProfile& profile) const {
  std::vector<std::size_t> places;
  for (const char* direction : {"", "_UP", "_DOWN"})
    if (const std::optional<std::size_t> link = wires_->find_link(profile.link + direction))
      places.push_back(*link);
  if (places.empty())
    throw InputError(profile.where, fmt::format("there is no link '{}'", profile.link), "Correct its name");
  return places;
}

void LoadedPlatform::forget_changes() {
  for (std::size_t link = 0; link < wires_->links(); ++link) {
    set_bandwidth(link, wires_->bandwidth_bytes_per_s(link));
    if (!late_s_.empty()) set_latency(link, wires_->latency_s(link));
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
  late_s_.resize(wires_->links(), 0);
  const double late_s = seconds - wires_->latency_s(link);
  const double change_s = late_s - late_s_[link];
  late_s_[link] = late_s;
  for (auto& [ends, route] : routes_)
    route.late_s += change_s * static_cast<double>(std::ranges::count(route.shared_links, link) +
                                                   std::ranges::count(route.private_links, link));
}

void LoadedPlatform::set_bandwidth_in_simgrid(std::size_t link, double bytes_per_s) {
  wires_->set_bandwidth(link, bytes_per_s);
}

std::vector<std::string> LoadedPlatform::link_names() const {
  std::vector<std::string> names;
  for (std::size_t link = 0; link < wires_->links(); ++link)
    names.push_back(wires_->link_name(link));
  return names;
}

void LoadedPlatform::share_bandwidth_equally() {
  for (std::size_t link = 0; link < wires_->links(); ++link)
    wires_->set_latency(link, 0);
}

}  // namespace finegrain::replay
