// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/scaling/recorded_ranks.hpp"
#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// The communicator that a recorded rank used at a place.
struct MembersSample {
  const Where* where;
  Members members;
};

/// Which ranks are in the communicator of a rank at a place.
struct MembersRule {
  std::function<Members(const Where&)> members;
  std::string text;
};

/// The rules of a communicator, which all samples obey: all ranks; rows, columns and planes of the grid;
/// blocks of so many ranks, or so many blocks; every so-manieth rank; the first so many. @param samples  not
/// empty
std::vector<MembersRule> member_rules(std::span<const MembersSample> samples);

bool same_members(const Members& a, const Members& b);

}  // namespace finegrain::scaling
