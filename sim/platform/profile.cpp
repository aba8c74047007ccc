// SPDX-License-Identifier: MIT
#include "sim/platform/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

constexpr double shortest_period_s = 1e-9;

/// The text as a finite number; none if it is not one.
std::optional<double> finite_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Reads a <trace>, line by line: "seconds value", "PERIODICITY seconds", "LOOPAFTER seconds", and comments.
class ProfileReader {
 public:
  ProfileReader(const PlatformDocument& document, const pugi::xml_node& trace)
      : where_(document.place_of(trace)), id_(trace.attribute("id").value()) {
    period_s_ = finite_number(trace.attribute("periodicity").value()).value_or(0);
    std::string text;
    for (const pugi::xml_node& part : trace.children())
      if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      read_line(line);
  }

  Profile take() && {
    if (points_.empty()) refuse("has no line");
    const double last_s = points_.back().at_s;
    if (loop_after_s_) period_s_ = last_s + *loop_after_s_;
    if (period_s_ > 0 && (period_s_ < last_s || period_s_ < shortest_period_s))
      refuse(fmt::format("has a period of {} s, and {}", period_s_,
                         period_s_ < last_s ? fmt::format("its last line is at {} s", last_s)
                                            : "the shortest is a nanosecond"));
    return {std::move(points_), std::max(0., period_s_)};
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(where_, fmt::format("<trace id=\"{}\"> {}", id_, problem),
                     "Write lines of two numbers, in order: seconds, and bytes a second, a latency in "
                     "seconds or a part of the full speed");
  }

  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    if (!(words >> first) || first.front() == '#' || first.front() == '%') return;
    words >> second;
    const std::optional<double> value = finite_number(second);
    if (first == "PERIODICITY" && value) {
      period_s_ = *value;
    } else if (first == "LOOPAFTER" && value && *value >= 0) {
      loop_after_s_ = *value;
    } else {
      const std::optional<double> at_s = finite_number(first);
      if (!at_s || !value || *at_s < 0)
        refuse(fmt::format("has the line '{}' (profiles that are drawn at random are not read)", line));
      if (!points_.empty() && *at_s < points_.back().at_s)
        refuse(fmt::format("goes back in time at the line '{}'", line));
      points_.push_back({*at_s, *value});
    }
  }

  std::string where_;
  std::string id_;
  double period_s_ = 0;
  std::optional<double> loop_after_s_;
  std::vector<Profile::Point> points_;
};

}  // namespace

double Profile::at_s(std::int64_t change) const {
  const auto of_period = static_cast<std::int64_t>(points.size());
  if (period_s <= 0 && change >= of_period) return std::numeric_limits<double>::infinity();
  return static_cast<double>(change / of_period) * period_s +
         points[static_cast<std::size_t>(change % of_period)].at_s;
}

std::int64_t Profile::last_until(double time_s) const {
  constexpr double most_periods = 1e15;
  const auto of_period = static_cast<std::int64_t>(points.size());
  // One period early, because the quotient is rounded.
  const std::int64_t first =
      period_s > 0 ? std::max<std::int64_t>(0, std::llround(std::min(most_periods, time_s / period_s)) - 1)
                   : 0;
  std::int64_t last = first * of_period - 1;
  for (std::int64_t period = first; period <= (period_s > 0 ? first + 2 : first); ++period) {
    const double start_s = static_cast<double>(period) * period_s;
    const auto later = std::ranges::partition_point(
        points, [&](const Point& point) { return start_s + point.at_s <= time_s; });
    if (later != points.begin()) last = period * of_period + (later - points.begin()) - 1;
  }
  return last;
}

std::string kind_of_profile(const pugi::xml_node& connect) {
  return connect.attribute("kind").as_string("SPEED");
}

std::vector<ConnectedProfile> connected_profiles(const PlatformDocument& document,
                                                 std::initializer_list<std::string_view> kinds) {
  std::map<std::string, pugi::xml_node> traces;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//trace"))
    traces.emplace(match.node().attribute("id").value(), match.node());
  std::vector<ConnectedProfile> profiles;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//trace_connect")) {
    const pugi::xml_node connect = match.node();
    const std::string kind = kind_of_profile(connect);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    const std::string where = document.place_of(connect);
    const auto trace = traces.find(connect.attribute("trace").value());
    if (trace == traces.end())
      throw InputError(where,
                       fmt::format("there is no <trace id=\"{}\">", connect.attribute("trace").value()),
                       "Write it into the file");
    profiles.push_back({kind, connect.attribute("element").value(),
                        ProfileReader(document, trace->second).take(), trace->first, where,
                        document.place_of(trace->second)});
  }
  return profiles;
}

void check_all_are_followed(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  for (const pugi::xpath_node& match : document.xml().select_nodes("//trace_connect")) {
    const pugi::xml_node connect = match.node();
    const std::string kind = kind_of_profile(connect);
    if (kind == "BANDWIDTH" || kind == "LATENCY" || kind == "SPEED") continue;
    throw InputError(document.place_of(connect),
                     fmt::format("<trace_connect kind=\"{}\" element=\"{}\"> (profiles of bandwidths, "
                                 "latencies and speeds are followed, those of states are not)",
                                 kind, connect.attribute("element").value()),
                     "Leave it out");
  }
}

}  // namespace finegrain::platform
