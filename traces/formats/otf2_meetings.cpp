// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_meetings.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace finegrain::formats {

void for_each_meeting(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                      std::span<const std::vector<Otf2Collective>> collectives,
                      const std::function<void(const Otf2Meeting&)>& visit) {
  Communicator all;
  all.ranks.resize(ranks.size());
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  // Each rank's collectives, by their communicators, in their order.
  std::vector<std::map<std::int32_t, std::vector<const Otf2Collective*>>> of_ranks(ranks.size());
  std::size_t rank = 0;
  for (const std::vector<Otf2Collective>& of_rank : collectives) {
    for (const Otf2Collective& collective : of_rank)
      of_ranks[rank][collective.communicator].push_back(&collective);
    ++rank;
  }
  for (std::size_t number = 0; number <= communicators.size(); ++number) {
    const auto& members = (number == 0 ? all : communicators[number - 1]).ranks;
    const auto of_rank = [&](std::size_t member) -> const std::vector<const Otf2Collective*>& {
      return of_ranks[static_cast<std::size_t>(members[member])][static_cast<std::int32_t>(number)];
    };
    std::size_t meetings = members.empty() ? 0 : of_rank(0).size();
    for (std::size_t member = 1; member < members.size(); ++member)
      meetings = std::min(meetings, of_rank(member).size());
    for (std::size_t m = 0; m < meetings; ++m) {
      Otf2Meeting meeting{};
      for (std::size_t member = 0; member < members.size(); ++member) {
        const Otf2Collective& recorded = *of_rank(member)[m];
        meeting.sent.push_back(possible_bytes(recorded.sent));
        meeting.received.push_back(possible_bytes(recorded.received));
        meeting.calls.push_back(&ranks[static_cast<std::size_t>(members[member])]);
        meeting.operations.push_back(recorded.operation);
      }
      meeting.kind = meeting.collective(0).kind;
      meeting.root = meeting.collective(0).root;
      for (std::size_t member = 0; member < members.size(); ++member) {
        // Where kinds differ, verify says so.
        if (meeting.collective(member).kind != meeting.kind) meeting.operations.resize(member);
        if (member >= meeting.operations.size()) break;
      }
      visit(meeting);
    }
  }
}

}  // namespace finegrain::formats
