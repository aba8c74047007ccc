// SPDX-License-Identifier: MIT
#include "traces/scaling/disturbances.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "traces/scaling/work_trends.hpp"
#include "traces/undisturbed_work.hpp"

namespace finegrain::scaling {
namespace {

constexpr double far_above_usual = 5;          ///< times; a core that is shared by two makes it 2
constexpr double share_in_all = 1. / 2;        ///< the part of a time that each recording has
constexpr double most_of_a_kind = 1. / 20;     ///< a larger share is what the program does
constexpr std::size_t enough_to_be_usual = 8;  ///< stretches of a kind on a rank

/// The work before each call of one kind: shape [ranks][n-th of the rank]
using Stretches = std::vector<std::vector<double*>>;
using Kinds = std::map<Between, Stretches>;

struct Disturbed {
  std::size_t nth;
  double* work_ns;
  double usual_ns;
};

/// What of a kind took longer than usual in one recording.
struct Longer {
  std::vector<Disturbed> disturbed;
  std::vector<double> most_ns = {};  ///< by so much at most, on any rank: shape [n]
};

/// The middle of them; the greater one of two.
double median_ns(std::vector<double> times_ns) {
  const auto middle = times_ns.begin() + std::ssize(times_ns) / 2;
  std::ranges::nth_element(times_ns, middle);
  return *middle;
}

Kinds by_kind(Recording& recording) {
  Kinds kinds;
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
    RecordedRank& own = recording.ranks[rank];
    for (std::size_t call = 0; call < own.calls.size(); ++call) {
      Stretches& stretches = kinds[between(own, call)];
      stretches.resize(recording.ranks.size());
      stretches[rank].push_back(&own.calls[call].work_ns);
    }
  }
  return kinds;
}

std::vector<double> times_ns(const std::vector<double*>& stretches) {
  std::vector<double> times;
  for (const double* time_ns : stretches)
    times.push_back(*time_ns);
  return times;
}

/// The median of the n-th stretch on all ranks that have one. Shape [n]
std::vector<double> medians_of_nth_ns(const Stretches& stretches) {
  std::vector<double> medians;
  while (true) {
    std::vector<double> times;
    for (const std::vector<double*>& of_rank : stretches)
      if (medians.size() < of_rank.size()) times.push_back(*of_rank[medians.size()]);
    if (times.empty()) return medians;
    medians.push_back(median_ns(std::move(times)));
  }
}

Longer longer_than_usual(const Stretches& stretches) {
  const std::vector<double> of_nth_ns = medians_of_nth_ns(stretches);
  Longer longer{{}, std::vector<double>(of_nth_ns.size(), 0)};
  std::size_t count = 0;
  for (const std::vector<double*>& of_rank : stretches) {
    if (of_rank.empty()) continue;
    count += of_rank.size();
    // A rank's few stretches of a kind say nothing about each other.
    const double of_rank_ns = of_rank.size() > 2 ? median_ns(times_ns(of_rank)) : 0;
    for (std::size_t nth = 0; nth < of_rank.size(); ++nth) {
      const double usual_ns = std::max(of_nth_ns[nth], of_rank_ns);
      longer.most_ns[nth] = std::max(longer.most_ns[nth], *of_rank[nth] - usual_ns);
      if (*of_rank[nth] > far_above_usual * usual_ns)
        longer.disturbed.push_back({nth, of_rank[nth], usual_ns});
    }
  }
  if (static_cast<double>(longer.disturbed.size()) >= most_of_a_kind * static_cast<double>(count))
    longer.disturbed.clear();
  return longer;
}

/// Ranks that have equally many stretches of a kind meet the same ones of them.
std::map<std::size_t, Stretches> by_count(const Stretches& stretches) {
  std::map<std::size_t, Stretches> groups;
  for (const std::vector<double*>& of_rank : stretches)
    if (of_rank.size() >= enough_to_be_usual) groups[of_rank.size()].push_back(of_rank);
  return groups;
}

/// @returns by how much the stretches became shorter
double leave_out_what_comes_and_goes(const Stretches& stretches) {
  double before_ns = 0;
  double after_ns = 0;
  for (const auto& group : by_count(stretches)) {
    UndisturbedWork work;
    std::vector<float> usual_s;
    for (const std::vector<double*>& of_rank : group.second) {
      std::vector<float> own_s;
      for (const double time_ns : times_ns(of_rank))
        own_s.push_back(static_cast<float>(time_ns * 1e-9));
      usual_s.push_back(work.add_rank(own_s, group.first).front());
    }
    if (work.moves()) continue;
    const std::vector<float> factors = work.factors();
    for (std::size_t nth = 0; nth < group.first; ++nth) {
      const double factor = factors.empty() ? 1 : static_cast<double>(factors[nth]);
      for (std::size_t rank = 0; rank < group.second.size(); ++rank) {
        double& time_ns = *group.second[rank][nth];
        before_ns += time_ns;
        time_ns = 1e9 * static_cast<double>(usual_s[rank]) * factor;
        after_ns += time_ns;
      }
    }
  }
  return before_ns - after_ns;
}

}  // namespace

LeftOut leave_out_disturbances(std::vector<Recording>& recordings) {
  LeftOut left_out;
  std::vector<std::map<Between, Longer>> longer(recordings.size());
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    for (const auto& kind : by_kind(recordings[r])) {
      for (const std::vector<double*>& of_rank : kind.second) {
        left_out.stretches += std::ssize(of_rank);
        for (const double* work_ns : of_rank)
          left_out.work_ns += *work_ns;
      }
      longer[r][kind.first] = longer_than_usual(kind.second);
    }
  }
  const auto is_in_all = [&](const Between& kind, std::size_t nth, double added_ns) {
    return std::ranges::all_of(longer, [&](const std::map<Between, Longer>& of_recording) {
      const auto found = of_recording.find(kind);
      return found != of_recording.end() && nth < found->second.most_ns.size() &&
             found->second.most_ns[nth] >= share_in_all * added_ns;
    });
  };
  for (const auto& of_recording : longer) {
    for (const auto& kind : of_recording) {
      for (const Disturbed& one : kind.second.disturbed) {
        const double added_ns = *one.work_ns - one.usual_ns;
        if (is_in_all(kind.first, one.nth, added_ns)) continue;
        left_out.added_ns += added_ns;
        ++left_out.disturbed;
        *one.work_ns = one.usual_ns;
      }
    }
  }
  for (Recording& recording : recordings)
    if (recording.shared_cores)
      for (const auto& kind : by_kind(recording))
        left_out.on_shared_cores_ns += leave_out_what_comes_and_goes(kind.second);
  return left_out;
}

}  // namespace finegrain::scaling
