// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "traces/scaling/typical_program.hpp"

namespace finegrain::scaling {
namespace {

std::string percent_off(double predicted, double recorded) {
  if (recorded <= 0) return predicted > 0 ? "none there" : "";
  constexpr double percent = 100;
  return fmt::format("{:+.1f} %", percent * (predicted / recorded - 1));
}

/// The largest recording is predicted from the others.
std::string error_held_out(std::vector<MatchedRecording> matched, const Sites& sites) {
  const auto largest =
      std::ranges::max_element(matched, {}, [](const MatchedRecording& one) { return one.messages.ranks(); });
  const ProgramTotals recorded = totals_of(largest->messages);
  const int ranks = largest->messages.ranks();
  matched.erase(largest);
  const ProgramTotals predicted = TypicalProgram(matched, sites, ranks).totals();
  std::string text;
  const auto add = [&](const char* what, double off, double from) {
    if (const std::string percent = percent_off(off, from); !percent.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, percent);
  };
  add("messages", predicted.messages, recorded.messages);
  add("bytes", predicted.bytes, recorded.bytes);
  add("calls of collectives", predicted.collectives, recorded.collectives);
  add("their bytes", predicted.collective_bytes, recorded.collective_bytes);
  return fmt::format("{} ranks, predicted from fewer: {}", ranks, text);
}

}  // namespace

TypicalTrace write_typical(const std::vector<Recording>& recordings, const Sites& sites, int ranks,
                           const std::filesystem::path& folder,
                           const std::function<formats::Origin(const std::string& error)>& origin_of,
                           const std::function<void(int written)>& progress) {
  std::vector<MatchedRecording> matched;
  for (const Recording& recording : recordings)
    matched.push_back({&recording, MatchedMessages(recording)});
  const TypicalProgram program(matched, sites, ranks);
  TypicalTrace typical{.written = {}, .error = error_held_out(matched, sites)};
  formats::ImportedTrace trace(folder, ranks, program.communicators());
  for (int rank = 0; rank < ranks; ++rank) {
    trace.write(rank, program.make(rank));
    progress(rank + 1);
  }
  typical.written = trace.finish(origin_of(typical.error));
  return typical;
}

}  // namespace finegrain::scaling
