// SPDX-License-Identifier: MIT
#include "sim/model/partitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/model/published.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::model {
namespace {

constexpr std::array all_patterns{ReferencePattern::baseline, ReferencePattern::vector,
                                  ReferencePattern::coalesce, ReferencePattern::local};

}  // namespace

std::string_view to_string(ReferencePattern pattern) {
  switch (pattern) {
    case ReferencePattern::baseline:
      return "baseline";
    case ReferencePattern::vector:
      return "vector";
    case ReferencePattern::coalesce:
      return "coalesce";
    case ReferencePattern::local:
      return "local";
  }
  return "";
}

double communication_s(const Partition& partition, const ReferenceRates& rates) {
  return static_cast<double>(partition.remote) / rates.rate(partition.remote_pattern, partition.writes) +
         static_cast<double>(partition.local) / rates.rate(ReferencePattern::local, partition.writes);
}

double communication_s(std::span<const Partition> partitions, const ReferenceRates& rates) {
  double sum_s = 0;
  for (const Partition& partition : partitions)
    sum_s += communication_s(partition, rates);
  return sum_s;
}

double gap(double shared_rate, double private_rate, ClosedForm form) {
  return form == ClosedForm::as_printed ? shared_rate / private_rate : private_rate / shared_rate;
}

double speedup(double sequential, double private_accesses, std::span<const Partition> partitions,
               const ReferenceRates& rates, double private_rate, ClosedForm form) {
  double parallel = private_accesses;
  for (const Partition& partition : partitions) {
    parallel += static_cast<double>(partition.local) *
                gap(rates.rate(ReferencePattern::local, partition.writes), private_rate, form);
    parallel += static_cast<double>(partition.remote) *
                gap(rates.rate(partition.remote_pattern, partition.writes), private_rate, form);
  }
  return sequential / parallel;
}

std::optional<ReferenceRates> published_rates(std::string_view platform, int threads) {
  if (std::ranges::find(published_rate_platforms, platform) == published_rate_platforms.end()) {
    throw InputError("rates",
                     fmt::format("'{}' is none of {}", platform, fmt::join(published_rate_platforms, ", ")),
                     "Use one");
  }
  const TextTable table = published_text("upc_platform_rates");
  ReferenceRates rates;
  std::size_t found = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.number_at(row, "threads") != threads) continue;
    const auto pattern = std::ranges::find(all_patterns, table.at(row, "pattern"),
                                           [](ReferencePattern one) { return to_string(one); });
    rates[*pattern] = {table.number_at(row, fmt::format("{}_read", platform)).value(),
                       table.number_at(row, fmt::format("{}_write", platform)).value()};
    ++found;
  }
  if (found != reference_patterns) return std::nullopt;
  return rates;
}

ReferencePattern unit_stride_pattern(std::string_view platform) {
  if (platform == "mupc_cache") return ReferencePattern::vector;
  return platform == "bupc" ? ReferencePattern::coalesce : ReferencePattern::baseline;
}

}  // namespace finegrain::model
