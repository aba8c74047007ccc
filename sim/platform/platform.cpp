// SPDX-License-Identifier: MIT
#include "sim/platform/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/platform/cost_properties.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

[[noreturn]] void throw_missing(std::string_view where, std::string_view name, std::string_view example) {
  throw InputError(where, fmt::format("no {} (SimGrid's own tags cannot say it)", name),
                   fmt::format("Add <prop id=\"{}\" value=\"{}\"/> to its zone or cluster, or set {}={}",
                               name, example, name, example));
}

int parse_count(const TextProperty& property) {
  constexpr int most = 1024;
  int count = 0;
  const char* const end = property.text.data() + property.text.size();
  const auto [parsed, error] = std::from_chars(property.text.data(), end, count);
  if (error != std::errc() || parsed != end || count < 1 || count > most)
    throw InputError(property.where, fmt::format("'{}' is no number from 1 to {}", property.text, most),
                     "Write it like 2");
  return count;
}

}  // namespace

double PlatformCosts::tau() const {
  if (!tau_s) throw_missing("platform", "tau", "3.4us");
  return *tau_s;
}

double PlatformCosts::remote_bandwidth() const {
  if (!remote_bandwidth_bytes_per_s) throw_missing("platform", "remote_bandwidth", "12GBps");
  return *remote_bandwidth_bytes_per_s;
}

Platform read_platform(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const PlatformDocument document(file);
  const std::vector<CostProperty> properties = cost_properties(document, overrides);
  const auto optional_value = [&](std::string_view name) {
    return std::ranges::find(properties, name, &CostProperty::name)->value();
  };
  const auto value = [&](std::string_view name) {
    const auto property = std::ranges::find(properties, name, &CostProperty::name);
    if (!property->value()) throw_missing(file.string(), name, property->example);
    return *property->value();
  };
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
  costs.unregistered_bandwidth_bytes_per_s = optional_value("unregistered_bandwidth");
  costs.eager_limit_bytes = optional_value("eager_limit");
  costs.buffered_limit_bytes = optional_value("buffered_limit");
  costs.tau_s = optional_value("tau");
  costs.remote_bandwidth_bytes_per_s = optional_value("remote_bandwidth");
  Platform platform{.file = file, .name = file.stem().string(), .costs = costs};
  if (const auto mpi = text_property(document, overrides, "mpi")) platform.mpi = mpi->text;
  if (const auto sockets = text_property(document, overrides, "sockets"))
    platform.sockets = parse_count(*sockets);
  platform.powers = read_powers(document, overrides);
  platform.changes_over_time = document.changes_over_time();
  return platform;
}

double private_bandwidth_bytes_per_s(const PlatformCosts& costs, int busy_ranks, int threads_per_rank) {
  // Where ranks x threads outnumber the cores, the node's own bandwidth is what limits.
  return std::min(threads_per_rank * costs.memory_bandwidth_per_core_bytes_per_s,
                  costs.memory_bandwidth_bytes_per_s / busy_ranks);
}

}  // namespace finegrain::platform
