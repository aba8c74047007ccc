// SPDX-License-Identifier: MIT
#include "sim/calibration/platform_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "kernels/machine/memory.hpp"
#include "sim/calibration/fits.hpp"
#include "sim/calibration/quietness.hpp"

namespace finegrain::calibration {
namespace {

/// Links of a route in a cluster with one switch: one link of each node.
constexpr double links_of_a_route = 2;

Measured scaled(const Measured& measured, double factor) {
  return {measured.median * factor, measured.p10 * factor, measured.p90 * factor, measured.samples};
}

std::string fit_note(const char* what, const micro::LineFit& fit) {
  return fmt::format("{} of a relative least squares fit to ping-pong, at worst {:+.0f} % (at {} B)", what,
                     100 * fit.worst_deviation, fit.worst_x);
}

/// A fit's value. Its spread comes from the measured times that decide it.
Measured fitted(double value, double at_lowest, double at_highest, std::int64_t samples) {
  return {value, std::min(value, at_lowest), std::max(value, at_highest), samples};
}

/// The latency of a fit, which the smallest message's times decide.
Measured fitted_latency_s(const micro::LineFit& fit, const Messages& messages) {
  const Measured& smallest = messages.times.front().half_round_trip_s;
  return fitted(fit.intercept, smallest.p10, smallest.p90, smallest.samples);
}

/// The bandwidth of a fit, which the largest message's times decide.
Measured fitted_bandwidth_bytes_per_s(const micro::LineFit& fit, const Messages& messages) {
  const auto& [size_bytes, seconds] = messages.times.back();
  return fitted(1 / fit.slope, size_bytes / seconds.p90, size_bytes / seconds.p10, seconds.samples);
}

pugi::xml_node append_comment(pugi::xml_node parent, const std::string& text) {
  pugi::xml_node comment = parent.append_child(pugi::node_comment);
  comment.set_value((" " + text + " ").c_str());
  return comment;
}

std::string spelled(const CalibratedProperty& property) {
  if (property.unit == "B") return fmt::format("{:.0f}B", property.value.median);  // exact to the byte
  return fmt::format("{:.6g}{}", property.value.median, property.unit);
}

std::string with_spread(const CalibratedProperty& property) {
  return fmt::format("{}; {} samples, {:.4g} to {:.4g} {}", property.origin, property.value.samples,
                     property.value.p10, property.value.p90, property.unit);
}

/// The element that holds the properties: a cluster of nodes, or a zone around the only node.
pugi::xml_node append_zone(pugi::xml_node platform, const Calibration& found,
                           const std::vector<CalibratedProperty>& properties) {
  const auto set = [](pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  };
  append_comment(
      platform,
      "speed is used only for traces whose work is in flops; otherwise finegrain replays bytes over memory.");
  if (found.nodes == 1) {
    pugi::xml_node zone = platform.append_child("zone");
    set(zone, "id", "this-machine");
    set(zone, "routing", "Full");
    return zone;
  }
  for (const CalibratedProperty& property : properties)
    if (property.name == "lat" || property.name == "bw")
      append_comment(platform, property.name + ": " + with_spread(property));
  pugi::xml_node cluster = platform.append_child("cluster");
  set(cluster, "id", "this-machine");
  set(cluster, "prefix", "node-");
  set(cluster, "suffix", "");
  set(cluster, "radical", fmt::format("0-{}", found.nodes - 1));
  set(cluster, "speed", "1Gf");
  set(cluster, "core", fmt::format("{}", found.cores));
  for (const CalibratedProperty& property : properties)
    if (property.name == "lat" || property.name == "bw")
      set(cluster, property.name.c_str(), spelled(property));
  set(cluster, "sharing_policy", "SPLITDUPLEX");
  return cluster;
}

void append_property(pugi::xml_node zone, const std::string& id, const std::string& value) {
  pugi::xml_node property = zone.append_child("prop");
  property.append_attribute("id") = id.c_str();
  property.append_attribute("value") = value.c_str();
}

/// @returns the names of the properties
std::string append_factors(pugi::xml_node zone, const NetworkFit& fit) {
  if (fit.pieces.empty()) return {};
  append_comment(zone,
                 fmt::format("Between nodes, ping-pong lies on {} lines, at worst {:+.0f} % (at {} B); one "
                             "more would be no better than chance.",
                             fit.pieces.size(), 100 * fit.line.worst_deviation, fit.line.worst_x));
  append_property(zone, "latency_factors", text_of(fit.factors.latency));
  append_property(zone, "bandwidth_factors", text_of(fit.factors.bandwidth));
  return "latency_factors bandwidth_factors ";
}

}  // namespace

std::vector<CalibratedProperty> calibrated_properties(const Calibration& found) {
  const ByRanks& alone = found.triad_bytes_per_s.front();
  const ByRanks& all = found.triad_bytes_per_s.back();
  const micro::LineFit local = fit_messages(found.within_node);
  std::vector<CalibratedProperty> properties = {
      {"memory_bandwidth", scaled(all.value, 1e-9), "GBps",
       fmt::format("STREAM triad, {} rank{}, median", all.ranks, all.ranks == 1 ? "" : "s")},
      {"memory_bandwidth_per_core", scaled(alone.value, 1e-9), "GBps", "STREAM triad, 1 rank, median"},
      {"local_latency", scaled(fitted_latency_s(local, found.within_node), 1e6), "us",
       fit_note("within a node: latency", local)}};
  const Messages& of_protocol = found.between_nodes ? *found.between_nodes : found.within_node;
  if (of_protocol.eager_limit_bytes) {
    const double limit = *of_protocol.eager_limit_bytes;
    properties.push_back({"eager_limit",
                          {limit, limit, limit, 1},
                          "B",
                          fmt::format("{}: the longest MPI_Send that returns before its receive is posted",
                                      found.between_nodes ? "between nodes" : "within the node")});
  }
  if (!found.between_nodes) return properties;
  if (const double limit = of_protocol.buffered_bytes(); limit > 0) {
    const auto longer = of_protocol.longer_sends.find(limit);
    const Messages::EagerSend& send =
        longer == of_protocol.longer_sends.end() ? *of_protocol.eager_send : longer->second;
    properties.push_back(
        {"buffered_limit",
         {limit, limit, limit, send.returned_s.samples},
         "B",
         fmt::format("between nodes: MPI_Send of so much returned after {:.4g} us, the answer "
                     "came after {:.4g} us",
                     1e6 * send.returned_s.median, 1e6 * send.answered_s.median)});
  }

  const Messages& remote = *found.between_nodes;
  const NetworkFit of_network = fit_network(found);
  const micro::LineFit& network = of_network.line;
  // In the replay, a message costs the sender's overhead, then the route's latency and the time of its bytes,
  // but the receiver has no cost. So o_r is part of the latency, and o_s is not.
  Measured latency_s = fitted_latency_s(network, remote);
  for (double* value : {&latency_s.median, &latency_s.p10, &latency_s.p90})
    *value = std::max(*value - remote.send_overhead_s.median, 0.0) / links_of_a_route;
  const Measured bandwidth = fitted_bandwidth_bytes_per_s(network, remote);
  properties.push_back(
      {"message_overhead", scaled(remote.send_overhead_s, 1e6), "us", "between nodes: o_s of LogGP, median"});
  properties.push_back(
      {"tau", scaled(remote.get_s, 1e6), "us", "between nodes: one random 8-byte get, median"});
  properties.push_back(
      {"remote_bandwidth", scaled(bandwidth, 1e-9), "GBps", fit_note("between nodes: bandwidth", network)});
  if (found.replies) {
    const double request = found.replies->request_bytes();
    properties.push_back(
        {"request_bytes",
         {request, request, request, found.replies->late_s.samples},
         "B",
         fmt::format("between nodes: of {:.0f} B, what had come when the receive was posted late",
                     found.replies->bytes)});
    if (const auto lead = found.replies->connection_lead_bytes())
      properties.push_back({"connection_lead",
                            {*lead, *lead, *lead, found.replies->answers_apart_s->samples},
                            "B",
                            fmt::format("between nodes: two messages that were sent at once were answered "
                                        "{:.4g} us apart, median",
                                        1e6 * found.replies->answers_apart_s->median)});
  }
  properties.push_back({"bw", scaled(bandwidth, 1e-9), "GBps", "as remote_bandwidth"});
  properties.push_back(
      {"lat", scaled(latency_s, 1e6), "us",
       fit_note("half (a route has two links) the latency, less message_overhead,", network)});
  return properties;
}

FileKind calibrated_platform_kind() {
  return {"a platform of finegrain calibrate", {".xml"}, [](std::string_view content) {
            // The mark is in the comment before everything else.
            const std::string_view before = content.substr(0, content.find("<platform "));
            return content.starts_with("<?xml") &&
                   before.find("by finegrain calibrate; CPUs of the ranks: ") != std::string_view::npos;
          }};
}

std::string platform_xml(const Calibration& found) {
  const std::vector<CalibratedProperty> properties = calibrated_properties(found);
  pugi::xml_document document;
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  append_comment(
      document,
      fmt::format("{} node{}: {}, {} cores. Measured on {} by finegrain calibrate; CPUs of the ranks: "
                  "{}.{} Spreads: first to last decile of the samples.",
                  found.nodes, found.nodes == 1 ? "" : "s", found.cpu, found.cores, found.date, found.pinning,
                  found.oversubscribed ? " OVERSUBSCRIBED: more ranks than cores." : ""));
  pugi::xml_node platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  pugi::xml_node zone = append_zone(platform, found, properties);
  std::string measured;
  if (found.between_nodes) measured += append_factors(zone, fit_network(found));
  for (const CalibratedProperty& property : properties) {
    if (property.name == "lat" || property.name == "bw") continue;
    append_comment(zone, with_spread(property));
    append_property(zone, property.name, spelled(property));
    measured += property.name + " ";
  }
  if (found.replies) {
    append_comment(zone, fmt::format("An answer took {:.4g} us alone, {:.4g} us while data came the same "
                                     "way, which took {:.4g} us more.",
                                     1e6 * found.replies->answer_s.median,
                                     1e6 * found.replies->answer_beside_data_s.median,
                                     1e6 * found.replies->rest_of_data_s.median));
    append_property(zone, "replies", found.replies->wait_behind_data() ? "behind_data" : "at_once");
  }
  if (found.replies && found.replies->answer_beside_others_s) {
    append_comment(
        zone, fmt::format("An answer took {:.4g} us while two others sent {:.0f} B each to who answered.",
                          1e6 * found.replies->answer_beside_others_s->median, found.replies->bytes));
    append_property(zone, "link_queues", *found.replies->links_in_order() ? "in_order" : "shared");
  }
  append_comment(zone, "As the system says.");
  append_property(zone, "cache_line", fmt::format("{}B", machine::cache_line_bytes()));
  append_property(zone, "measured", measured + "cache_line");
  append_comment(zone, "Where: errors are shown of runs that were recorded there, and of no others.");
  append_property(zone, "measured_on", found.machine);
  const std::string quietness = describe_quietness(found);
  if (is_quiet(found)) {
    append_comment(zone, "Quiet: " + quietness + ".");
  } else {
    append_comment(zone, "BUSY: what is measured on a busy machine is no property of the machine.");
    append_property(zone, "disturbed_by", quietness);
  }
  if (found.nodes == 1) {
    append_comment(
        zone,
        "Between nodes nothing was measured (there is one): no message_overhead, tau, remote_bandwidth.");
    pugi::xml_node host = zone.append_child("host");
    host.append_attribute("id") = "node-0";
    host.append_attribute("speed") = "1Gf";
    host.append_attribute("core") = found.cores;
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace finegrain::calibration
