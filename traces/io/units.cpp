// SPDX-License-Identifier: MIT
#include "traces/io/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr double ki = 1024.0;
constexpr std::array<Unit, 9> size_units{{{"B", 1},
                                          {"kB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"TB", 1e12},
                                          {"KiB", ki},
                                          {"MiB", ki* ki},
                                          {"GiB", ki* ki* ki},
                                          {"TiB", ki* ki* ki* ki}}};
constexpr std::array<Unit, 18> bandwidth_units{{{"Bps", 1},
                                                {"kBps", 1e3},
                                                {"MBps", 1e6},
                                                {"GBps", 1e9},
                                                {"TBps", 1e12},
                                                {"KiBps", ki},
                                                {"MiBps", ki* ki},
                                                {"GiBps", ki* ki* ki},
                                                {"TiBps", ki* ki* ki* ki},
                                                {"bps", 1 / 8.},
                                                {"kbps", 1e3 / 8},
                                                {"Mbps", 1e6 / 8},
                                                {"Gbps", 1e9 / 8},
                                                {"Tbps", 1e12 / 8},
                                                {"Kibps", ki / 8},
                                                {"Mibps", ki* ki / 8},
                                                {"Gibps", ki* ki* ki / 8},
                                                {"Tibps", ki* ki* ki* ki / 8}}};
constexpr std::array<Unit, 5> time_units{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}}};
constexpr std::array<Unit, 3> power_units{{{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}}};

template <std::size_t Count>
double parse(std::string_view text, std::string_view where, const std::array<Unit, Count>& units,
             std::string_view example) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && std::isfinite(number) && number >= 0) {
    std::string unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    // As format_bandwidth() prints it, with or without the space: "12.5 GB/s".
    if (unit.ends_with("/s")) {
      unit.replace(unit.size() - 2, 2, "ps");
      if (unit.starts_with(' ')) unit.erase(0, 1);
    }
    for (const auto& [name, factor] : units) {
      if (unit == name) return number * factor;
    }
    // The first unit is offered and not taken, since others are as likely to be meant.
    if (unit.empty())
      throw InputError(where, fmt::format("'{}' is not a number with a unit", text),
                       fmt::format("Write {0}{1}, if it is in {1}; or another unit, like {2}", text,
                                   units.front().first, example));
  }
  throw InputError(where,
                   error == std::errc::result_out_of_range
                       ? fmt::format("'{}' is a number that is too large, or too small", text)
                       : fmt::format("'{}' is not a number with a unit", text),
                   fmt::format("Write it like {}", example));
}

std::string format(double value, const char* suffix, double step,
                   const std::array<const char*, 5>& prefixes) {
  std::size_t prefix = 0;
  while (prefix + 1 < prefixes.size() && std::abs(value) >= step) {
    value /= step;
    ++prefix;
  }
  return fmt::format("{:.{}f} {}{}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2, prefixes[prefix], suffix);
}

}  // namespace

double parse_bandwidth_bytes_per_s(std::string_view text, std::string_view where) {
  return parse(text, where, bandwidth_units, "12.5GBps or 100Gbps");
}
double parse_time_s(std::string_view text, std::string_view where) {
  return parse(text, where, time_units, "3.4us");
}
double parse_power_w(std::string_view text, std::string_view where) {
  return parse(text, where, power_units, "43W or 1.2kW");
}
double parse_size_bytes(std::string_view text, std::string_view where) {
  return parse(text, where, size_units, "64B or 8KiB");
}

std::string format_bandwidth(double bytes_per_s) {
  return format(bytes_per_s, "B/s", 1e3, {"", "k", "M", "G", "T"});
}
std::string format_size(double bytes) {
  return format(bytes, "B", ki, {"", "Ki", "Mi", "Gi", "Ti"});
}
std::string format_time(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}
std::string format_decimals(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool reads_as_zero = text.find_first_not_of("-0.") == std::string::npos;
  return reads_as_zero && value != 0 ? fmt::format("{:.2g}", value) : text;
}

std::string format_count(std::int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace finegrain
