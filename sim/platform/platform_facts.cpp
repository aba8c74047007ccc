// SPDX-License-Identifier: MIT
#include "sim/platform/platform_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/platform/platform_document.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

std::string text_of(const PlatformDocument& document, const char* property) {
  const std::string path = fmt::format("//prop[@id='{}']", property);
  return document.xml().select_node(path.c_str()).node().attribute("value").value();
}

}  // namespace

PlatformFacts platform_facts(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  return {.cores = document.cores(),
          .measured_on = text_of(document, "measured_on"),
          .disturbed_by = text_of(document, "disturbed_by")};
}

std::optional<int> ranks_that_fit(const PlatformFacts& platform, int threads_per_rank) {
  if (!platform.cores) return std::nullopt;
  return std::max(1, *platform.cores / threads_per_rank);
}

std::string oversubscription(const PlatformFacts& facts, const PlatformCosts& costs, int ranks_on_node,
                             int threads_per_rank, const std::string& node) {
  const int of_core = costs.hardware_threads ? costs.hardware_threads->of_core : 1;
  if (!facts.cores || std::int64_t{ranks_on_node} * threads_per_rank <= std::int64_t{*facts.cores} * of_core)
    return {};
  return fmt::format("{} x {} on {}, which has {}{}", format_count(ranks_on_node, "rank"),
                     format_count(threads_per_rank, "thread"), node.empty() ? "a node" : "node " + node,
                     format_count(*facts.cores, "core"),
                     of_core == 1 ? "" : fmt::format(" of {} hardware threads", of_core));
}

}  // namespace finegrain::platform
