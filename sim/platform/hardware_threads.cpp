// SPDX-License-Identifier: MIT
#include "sim/platform/hardware_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

template <class Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return number;
}

/// The gains in a text, after the entry for one thread.
std::vector<SmtGain> parse_gains(const TextProperty& property, int of_core) {
  constexpr std::string_view example = "2=1.1,4=1.0";
  std::vector<SmtGain> gains{{1, 1.0}};
  for (const auto& [name, value] : named_values(property, "rate", example)) {
    const auto threads = whole_text_as<int>(name);
    if (!threads || *threads <= gains.back().threads || *threads > of_core)
      throw InputError(
          property.where,
          fmt::format("'{}' does not go on with more and more threads, from 2 to the {} of a core",
                      property.text, of_core),
          fmt::format("Write it like {}", example));
    const auto rate = whole_text_as<double>(value);
    if (!rate || !(*rate > 0 && *rate <= *threads))
      throw InputError(
          property.where,
          fmt::format("'{}' is no rate above 0 (with {} threads a core is at most {} times as fast)", value,
                      *threads, *threads),
          fmt::format("Write it like {}", example));
    gains.push_back({*threads, *rate});
  }
  return gains;
}

}  // namespace

double HardwareThreads::gain(std::int64_t threads_of_core) const {
  const auto above =
      std::ranges::find_if(gains, [&](const SmtGain& point) { return point.threads >= threads_of_core; });
  if (above == gains.end()) return gains.back().rate;
  if (above == gains.begin()) return above->rate;
  const auto below = above - 1;
  return below->rate + (above->rate - below->rate) * static_cast<double>(threads_of_core - below->threads) /
                           (above->threads - below->threads);
}

double HardwareThreads::thread_rate(std::int64_t threads_on_node) const {
  const std::int64_t sharing = threads_on_core(threads_on_node);
  return gain(sharing) / static_cast<double>(sharing);
}

std::optional<HardwareThreads> read_hardware_threads(const PlatformDocument& document,
                                                     const std::vector<std::string>& overrides) {
  const auto of_core = text_property(document, overrides, "hardware_threads_per_core");
  const auto gain = text_property(document, overrides, "smt_gain");
  if (!of_core) {
    if (gain)
      throw InputError(gain->where, "there is no hardware_threads_per_core (how many ranks a core can hold)",
                       "Add it, or leave this out");
    return std::nullopt;
  }
  const std::optional<int> cores = document.cores();
  if (!cores)
    throw InputError(of_core->where, "the file does not say how many cores a node has",
                     "Add core=\"16\" to its hosts or its cluster");
  HardwareThreads threads{.cores = *cores, .of_core = parse_count(*of_core)};
  if (gain) threads.gains = parse_gains(*gain, threads.of_core);
  return threads;
}

}  // namespace finegrain::platform
