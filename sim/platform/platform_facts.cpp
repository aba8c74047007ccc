// SPDX-License-Identifier: MIT
#include "sim/platform/platform_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/platform/platform_document.hpp"

namespace finegrain::platform {
namespace {

std::string text_of(const PlatformDocument& document, const char* property) {
  const std::string path = fmt::format("//prop[@id='{}']", property);
  return document.xml().select_node(path.c_str()).node().attribute("value").value();
}

}  // namespace

PlatformFacts platform_facts(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  PlatformFacts facts{.cores = std::nullopt,
                      .measured_on = text_of(document, "measured_on"),
                      .disturbed_by = text_of(document, "disturbed_by")};
  for (const pugi::xpath_node& match : document.xml().select_nodes("//host[@core] | //cluster[@core]")) {
    const int cores = match.node().attribute("core").as_int();
    if (cores > 0) facts.cores = std::min(cores, facts.cores.value_or(cores));
  }
  return facts;
}

std::optional<int> ranks_that_fit(const PlatformFacts& platform, int threads_per_rank) {
  if (!platform.cores) return std::nullopt;
  return std::max(1, *platform.cores / threads_per_rank);
}

std::string oversubscription(const PlatformFacts& platform, int ranks_on_node, int threads_per_rank) {
  if (!platform.cores || std::int64_t{ranks_on_node} * threads_per_rank <= *platform.cores) return {};
  return fmt::format("{} ranks x {} threads on a node, which has {} cores", ranks_on_node, threads_per_rank,
                     *platform.cores);
}

}  // namespace finegrain::platform
