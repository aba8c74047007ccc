// SPDX-License-Identifier: MIT
#include "sim/platform_make/point_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/size_pieces.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

constexpr double links_between_neighbours = 2;
/// Messages that are small enough to take no time of their bytes.
constexpr double most_bytes_of_small = 8;
/// Shorter messages are never asked for before they go.
constexpr double least_eager_limit_bytes = 256;

/// The smallest message, of 1 byte or more where there is one: some libraries treat none specially.
const MeasuredPoint* smallest(const std::vector<MeasuredPoint>& points) {
  const auto first =
      std::ranges::find_if(points, [](const MeasuredPoint& point) { return point.size_bytes >= 1; });
  if (first != points.end() && first->size_bytes <= most_bytes_of_small) return &*first;
  return points.empty() || points.front().size_bytes > most_bytes_of_small ? nullptr : &points.front();
}

std::optional<Number> fitted_overhead(const MeasuredPoints& points) {
  const MeasuredPoint* latency = smallest(points.latencies_s);
  const MeasuredPoint* rate = smallest(points.bandwidths_bytes_per_s);
  if (latency == nullptr || rate == nullptr) return std::nullopt;
  const double message_s = rate->size_bytes / rate->value;
  const double overhead_s = (points.window * message_s - 2 * latency->value) / (points.window - 1);
  if (overhead_s <= 0 || overhead_s >= latency->value) return std::nullopt;
  return Number{
      fmt::format("{:.4g}ns", overhead_s * 1e9),
      fmt::format("{}: ({:.0f} x {} - 2 x {}) / {:.0f}, of {:.0f} B in windows of {:.0f} and {} ({})",
                  rate->where, points.window, format_time(message_s), format_time(latency->value),
                  points.window - 1, rate->size_bytes, points.window, "a reply", latency->where)};
}

std::optional<Number> fitted_link_latency(const MeasuredPoints& points, const Number& overhead) {
  const MeasuredPoint* latency = smallest(points.latencies_s);
  if (latency == nullptr) return std::nullopt;
  const double overhead_s = parse_time_s(overhead.text, "message_overhead");
  if (overhead_s >= latency->value)
    throw InputError(latency->where,
                     fmt::format("the latency of {} is not longer than message_overhead, {} ({})",
                                 format_time(latency->value), overhead.text, overhead.origin),
                     "Give the benchmark's output between two nodes, or 'link: message_overhead=...'");
  return Number{
      fmt::format("{:.4g}ns", (latency->value - overhead_s) / links_between_neighbours * 1e9),
      fmt::format("{}: ({} of {:.0f} B - message_overhead {}) / 2 links, if the nodes are neighbours",
                  latency->where, format_time(latency->value), latency->size_bytes, overhead.text)};
}

std::optional<Number> fitted_bandwidth(const MeasuredPoints& points) {
  const auto& rates = points.bandwidths_bytes_per_s;
  if (!rates.empty()) {
    const auto most = std::ranges::max_element(rates, {}, &MeasuredPoint::value);
    return Number{fmt::format("{:.6g}GBps", most->value / 1e9),
                  fmt::format("{}: the most of osu_bw, at {:.0f} B", most->where, most->size_bytes)};
  }
  if (points.latencies_s.size() < 2) return std::nullopt;
  const MeasuredPoint& last = points.latencies_s.back();
  const MeasuredPoint& before = points.latencies_s[points.latencies_s.size() - 2];
  constexpr double least_bytes = 65536;  // in shorter messages, too little is bandwidth
  if (last.value <= before.value || last.size_bytes < least_bytes) return std::nullopt;
  const double bytes_per_s = (last.size_bytes - before.size_bytes) / (last.value - before.value);
  return Number{fmt::format("{:.6g}GBps", bytes_per_s / 1e9),
                fmt::format("{}: ({:.0f} B - {:.0f} B) / ({} - {})", last.where, last.size_bytes,
                            before.size_bytes, format_time(last.value), format_time(before.value))};
}

/// How much longer the point after `at` took than its bytes explain, at the slower of the rates around it.
double step_s(const std::vector<MeasuredPoint>& points, std::size_t at) {
  const auto rise = [&](std::size_t from) { return points[from + 1].value - points[from].value; };
  const auto bytes = [&](std::size_t from) { return points[from + 1].size_bytes - points[from].size_bytes; };
  const double slope = std::max({rise(at - 1) / bytes(at - 1), rise(at + 1) / bytes(at + 1), 0.});
  return rise(at) - slope * bytes(at);
}

std::optional<Number> fitted_eager_limit(const MeasuredPoints& points) {
  const auto& latencies = points.latencies_s;
  const MeasuredPoint* small = smallest(latencies);
  if (small == nullptr) return std::nullopt;
  std::size_t found = 0;
  double largest_s = small->value;
  for (std::size_t at = 1; at + 2 < latencies.size(); ++at) {
    if (latencies[at].size_bytes < least_eager_limit_bytes) continue;
    if (const double step = step_s(latencies, at); step > largest_s) {
      largest_s = step;
      found = at;
    }
  }
  if (found == 0) return std::nullopt;
  return Number{fmt::format("{:.0f}B", latencies[found].size_bytes),
                fmt::format("{}: the next size takes {} longer than its bytes, as if it asked first",
                            latencies[found].where, format_time(largest_s))};
}

}  // namespace

Numbers numbers_of_points(const MeasuredPoints& points, const Numbers& given,
                          const Number& typical_overhead) {
  Numbers numbers = points.numbers;
  const auto add = [&](const char* name, const std::optional<Number>& number) {
    if (number && !given.contains(name)) numbers.emplace(name, *number);
  };
  add("message_overhead", fitted_overhead(points));
  const auto of_line = given.find("message_overhead");
  const auto measured = numbers.find("message_overhead");
  const Number& overhead = of_line != given.end()      ? of_line->second
                           : measured != numbers.end() ? measured->second
                                                       : typical_overhead;
  if (!given.contains("link_latency")) add("link_latency", fitted_link_latency(points, overhead));
  add("link_bandwidth", fitted_bandwidth(points));
  add("eager_limit", fitted_eager_limit(points));
  return numbers;
}

namespace {

/// What a message between neighbours costs without factors.
struct NeighbourCosts {
  double overhead_s;
  double latency_s;
  double bandwidth_bytes_per_s;
  double eager_limit_bytes;
};

/// None: the file does not give all of them, or a message takes no latency.
std::optional<NeighbourCosts> costs_of_neighbours(const Numbers& numbers) {
  for (const char* name : {"message_overhead", "link_latency", "link_bandwidth", "eager_limit"})
    if (!numbers.contains(name)) return std::nullopt;
  const auto text = [&](const char* name) -> const std::string& { return numbers.find(name)->second.text; };
  const NeighbourCosts costs{parse_time_s(text("message_overhead"), "message_overhead"),
                             links_between_neighbours * parse_time_s(text("link_latency"), "link_latency"),
                             parse_bandwidth_bytes_per_s(text("link_bandwidth"), "link_bandwidth"),
                             parse_size_bytes(text("eager_limit"), "eager_limit")};
  if (costs.latency_s <= 0) return std::nullopt;
  return costs;
}

/// The lines without the handshakes of messages above a limit; empty: these take longer than the messages.
std::vector<platform::LinePiece> fitted_pieces(const std::vector<MeasuredPoint>& latencies,
                                               const NeighbourCosts& costs, double limit_bytes) {
  std::vector<platform::TimedSize> times;
  for (const MeasuredPoint& point : latencies) {
    const double handshake_s = point.size_bytes > limit_bytes ? 2 * costs.latency_s : 0;
    times.push_back({point.size_bytes, point.value - handshake_s});
    if (times.back().seconds <= 0) return {};
  }
  return platform::fit_pieces(times, costs.overhead_s);
}

}  // namespace

void add_size_factors(const MeasuredPoints& points, Numbers& numbers) {
  const auto& latencies = points.latencies_s;
  const std::optional<NeighbourCosts> costs = costs_of_neighbours(numbers);
  if (latencies.empty() || !costs || numbers.contains("latency_factors")) return;
  // A typical eager limit says nothing of these latencies. Only if they need factors, these make up for it.
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const bool is_typical = numbers.find("eager_limit")->second.is_typical;
  std::vector<platform::LinePiece> pieces =
      fitted_pieces(latencies, *costs, is_typical ? unlimited : costs->eager_limit_bytes);
  if (pieces.size() > 1 && is_typical) pieces = fitted_pieces(latencies, *costs, costs->eager_limit_bytes);
  if (pieces.size() < 2) return;
  const platform::MessageFactors factors =
      factors_of(pieces, costs->overhead_s, costs->latency_s, costs->bandwidth_bytes_per_s);
  const std::string origin =
      fmt::format("{} to {}: the latencies lie on {} lines, and one more would be no better than chance",
                  latencies.front().where, latencies.back().where, pieces.size());
  numbers.insert_or_assign("latency_factors", Number{text_of(factors.latency), origin});
  numbers.insert_or_assign("bandwidth_factors", Number{text_of(factors.bandwidth), origin});
}

}  // namespace finegrain::platform_make
