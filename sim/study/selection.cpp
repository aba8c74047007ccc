// SPDX-License-Identifier: MIT
#include "sim/study/selection.hpp"

#include <algorithm>
#include <map>

namespace finegrain::study {
namespace {

bool is_corner(const StudyPoint& point, const StudyFile& study) {
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    const std::size_t position = point.positions[axis];
    if (position != 0 && position + 1 != study.size(static_cast<Axis>(axis))) return false;
  }
  return true;
}

}  // namespace

std::vector<const StudyPoint*> points_to_simulate(const StudyFile& study,
                                                  const std::vector<StudyPoint>& points,
                                                  const std::vector<std::optional<double>>& closed_form_s) {
  using Kind = SimulationChoice::Kind;
  const SimulationChoice& choice = study.simulate;
  std::vector<bool> chosen(points.size(), choice.kind == Kind::all);
  if (choice.kind == Kind::best) {
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < points.size(); ++i) {
      chosen[i] = is_corner(points[i], study);
      if (!closed_form_s[i]) continue;
      std::vector<std::size_t> group;
      for (const Axis axis : choice.of_each)
        group.push_back(points[i].position(axis));
      groups[group].push_back(i);
    }
    for (auto& [group, members] : groups) {
      std::ranges::stable_sort(members, {}, [&](std::size_t i) { return *closed_form_s[i]; });
      for (std::size_t rank = 0; rank < std::min(members.size(), static_cast<std::size_t>(choice.best));
           ++rank)
        chosen[members[rank]] = true;
    }
  }
  std::vector<const StudyPoint*> result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (chosen[i] && points[i].infeasible.empty()) result.push_back(&points[i]);
  return result;
}

}  // namespace finegrain::study
