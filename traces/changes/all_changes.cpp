// SPDX-License-Identifier: MIT
#include "traces/changes/all_changes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace finegrain::changes {

AllChanges::AllChanges(const Programs& programs, const std::vector<std::string>& texts) : last_(&programs) {
  std::vector<ProgramChange> together;  // which one pass over the programs can do
  std::int32_t number = 0;
  for (const std::string& text : texts) {
    ProgramChange change = parse_program_change(text);
    change.number = ++number;
    if (!change.merges_messages && !change.overlaps_waits) {
      together.push_back(std::move(change));
      continue;
    }
    add(std::exchange(together, {}));
    const auto keep = [&](auto stage) {
      notes_.push_back(stage->note());
      last_ = stages_.emplace_back(std::move(stage)).get();
    };
    if (change.merges_messages) {
      keep(std::make_unique<MergedMessages>(*last_, std::move(change)));
    } else {
      keep(std::make_unique<OverlappedWaits>(*last_, std::move(change)));
    }
  }
  add(std::move(together));
}

void AllChanges::add(std::vector<ProgramChange> changes) {
  if (changes.empty()) return;
  auto stage = std::make_unique<ChangedPrograms>(*last_, std::move(changes));
  std::ranges::move(stage->notes(), std::back_inserter(notes_));
  for (std::size_t c = 0; c < stage->changes().size(); ++c)
    for (const auto& [kind, blocking] : stage->counts()[c].collectives)
      algorithms_.push_back({.number = stage->changes()[c].number,
                             .kind = kind,
                             .blocking = blocking,
                             .algorithm = stage->changes()[c].algorithm});
  last_ = stages_.emplace_back(std::move(stage)).get();
}

}  // namespace finegrain::changes
