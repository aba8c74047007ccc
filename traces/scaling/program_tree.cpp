// SPDX-License-Identifier: MIT
#include "traces/scaling/program_tree.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace finegrain::scaling {
ProgramTree::ProgramTree(const std::vector<Recording>& recordings, const Sites& sites, Nesting nesting)
    : node_of_site_(static_cast<std::size_t>(sites.size()), -1) {
  for (std::size_t r = 0; r < recordings.size(); ++r)
    for (std::size_t rank = 0; rank < recordings[r].ranks.size(); ++rank)
      origins_.push_back({static_cast<int>(r), static_cast<int>(rank), &recordings[r].ranks[rank]});
  const std::vector<int> order = order_of_sites(sites);
  std::vector<int> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  make_nodes(order, find_loops(place, nesting));
  parse();
  divide_loops();
}

/// In the order in which they are called first: of the sites that may come next, the one that follows the
/// last.
std::vector<int> ProgramTree::order_of_sites(const Sites& all) const {
  const int sites = all.size();
  const auto count = static_cast<std::size_t>(sites);
  std::vector<std::set<int>> after(count);
  std::vector<int> before(count, 0);
  std::vector<int> earliest(count, sites);  // place among the first calls of any rank
  for (const Origin& origin : origins_) {
    std::vector<bool> seen(count, false);
    int last = -1;
    int place = 0;
    for (const RecordedCall& call : origin.recorded->calls) {
      const auto site = static_cast<std::size_t>(call.site);
      if (seen[site]) continue;
      seen[site] = true;
      earliest[site] = std::min(earliest[site], place++);
      if (last >= 0 && !all.is_before(call.site, last) &&
          after[static_cast<std::size_t>(last)].insert(call.site).second)
        ++before[site];
      last = call.site;
    }
  }
  for (int a = 0; a < sites; ++a)
    for (int b = 0; b < sites; ++b)
      if (all.is_before(a, b) && after[static_cast<std::size_t>(a)].insert(b).second)
        ++before[static_cast<std::size_t>(b)];
  std::vector<int> order;
  std::vector<bool> placed(count, false);
  while (std::ssize(order) < sites) {
    int next = -1;
    // From the last site back, whose followers are free.
    for (auto last = order.rbegin(); last != order.rend() && next < 0; ++last)
      for (const int follower : after[static_cast<std::size_t>(*last)])
        if (!placed[static_cast<std::size_t>(follower)] && before[static_cast<std::size_t>(follower)] == 0 &&
            (next < 0 ||
             earliest[static_cast<std::size_t>(follower)] < earliest[static_cast<std::size_t>(next)]))
          next = follower;
    // Ranks whose first calls are in opposite order: the one that comes earlier is first.
    if (next < 0)
      for (int site = 0; site < sites; ++site) {
        const auto own = static_cast<std::size_t>(site);
        if (placed[own]) continue;
        if (next < 0 ||
            std::pair(before[own] > 0, earliest[own]) < std::pair(before[static_cast<std::size_t>(next)] > 0,
                                                                  earliest[static_cast<std::size_t>(next)]))
          next = site;
      }
    placed[static_cast<std::size_t>(next)] = true;
    order.push_back(next);
    for (const int follower : after[static_cast<std::size_t>(next)])
      --before[static_cast<std::size_t>(follower)];
  }
  return order;
}

/// @returns stretches of which any two are apart, or one within the other
std::vector<Ends> ProgramTree::find_loops(const std::vector<int>& place, Nesting nesting) const {
  std::set<std::set<Ends>> different;  // what ranks repeat
  for (const Origin& origin : origins_) {
    std::set<Ends> stretches;
    int last = -1;
    for (const RecordedCall& call : origin.recorded->calls) {
      const int next = place[static_cast<std::size_t>(call.site)];
      if (last >= next) stretches.emplace(next, last);
      last = next;
    }
    different.insert(std::move(stretches));
  }
  std::vector<Ends> loops = common_loops(different);
  if (nesting == Nesting::ends_apart)
    std::erase_if(loops, [known = loops](const Ends& inner) {
      return std::ranges::any_of(known, [&](const Ends& outer) {
        return outer.second == inner.second && outer.first < inner.first;
      });
    });
  return loops;
}

void ProgramTree::make_nodes(const std::vector<int>& order, std::vector<Ends> loops) {
  // A loop in a loop of the same calls: of one line of the source, which is reached by both.
  std::ranges::sort(loops, [](const Ends& a, const Ends& b) {
    return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
  });
  nodes_.assign(1, {});
  std::vector<std::pair<int, int>> open{{0, static_cast<int>(order.size())}};  // node, last place
  auto next = loops.begin();
  for (int place = 0; place < std::ssize(order); ++place) {
    while (place > open.back().second)
      open.pop_back();
    for (; next != loops.end() && next->first == place; ++next) {
      nodes_.push_back({.parent = open.back().first});
      nodes_[static_cast<std::size_t>(open.back().first)].children.push_back(size() - 1);
      open.emplace_back(size() - 1, next->second);
    }
    const int site = order[static_cast<std::size_t>(place)];
    nodes_.push_back({.site = site, .parent = open.back().first});
    nodes_[static_cast<std::size_t>(open.back().first)].children.push_back(size() - 1);
    node_of_site_[static_cast<std::size_t>(site)] = size() - 1;
  }
}

void ProgramTree::fill(ProgramNode& node) const {
  const std::size_t steps = nodes_[static_cast<std::size_t>(node.parent)].steps.size();
  if (node.is_loop()) {
    node.first.resize(steps, 0);
    node.count.resize(steps, 0);
  } else {
    node.calls.resize(steps, -1);
  }
}

std::int32_t ProgramTree::begin_step(int loop, std::int32_t parent_step, int origin) {
  ProgramNode& node = nodes_[static_cast<std::size_t>(loop)];
  const auto step = static_cast<std::int32_t>(node.steps.size());
  if (loop == 0) {
    node.steps.push_back({origin, 0, 0});
    return step;
  }
  fill(node);
  const auto parent = static_cast<std::size_t>(parent_step);
  if (node.count[parent] == 0) node.first[parent] = step;
  node.steps.push_back({origin, parent_step, node.count[parent]++});
  return step;
}

void ProgramTree::parse() {
  for (int origin = 0; origin < origins(); ++origin)
    parse(origin);
  for (ProgramNode& node : nodes_)
    if (node.parent >= 0) fill(node);
}

void ProgramTree::parse(int origin) {
  std::vector<std::int32_t> present(nodes_.size(), -1);  // step of each loop that is open
  present[0] = begin_step(0, 0, origin);
  int last = -1;
  const auto is_in = [&](int node, int loop) {
    for (; node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent)
      if (node == loop) return true;
    return false;
  };
  const std::vector<RecordedCall>& calls = origins_[static_cast<std::size_t>(origin)].recorded->calls;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const int node = node_of_site_[static_cast<std::size_t>(calls[c].site)];
    std::vector<int> around;  // the loops around it, from the innermost on
    for (int loop = nodes_[static_cast<std::size_t>(node)].parent; loop >= 0;
         loop = nodes_[static_cast<std::size_t>(loop)].parent)
      around.push_back(loop);
    const auto common = last < 0 ? std::prev(around.end())
                                 : std::ranges::find_if(around, [&](int loop) { return is_in(last, loop); });
    if (last >= node && *common != 0) {
      const int parent = nodes_[static_cast<std::size_t>(*common)].parent;
      present[static_cast<std::size_t>(*common)] =
          begin_step(*common, present[static_cast<std::size_t>(parent)], origin);
    }
    for (auto loop = common; loop != around.begin();) {
      --loop;
      const int parent = nodes_[static_cast<std::size_t>(*loop)].parent;
      present[static_cast<std::size_t>(*loop)] =
          begin_step(*loop, present[static_cast<std::size_t>(parent)], origin);
    }
    ProgramNode& call = nodes_[static_cast<std::size_t>(node)];
    fill(call);
    call.calls[static_cast<std::size_t>(present[static_cast<std::size_t>(call.parent)])] =
        static_cast<std::int32_t>(c);
    last = node;
  }
}

const RecordedCall& ProgramTree::call_at(const ProgramNode& call, std::int32_t step) const {
  const int origin = node(call.parent).steps[static_cast<std::size_t>(step)].origin;
  return recorded(origin).calls[static_cast<std::size_t>(call.calls[static_cast<std::size_t>(step)])];
}

std::span<const RecordedOperation> ProgramTree::operations_at(const ProgramNode& call,
                                                              std::int32_t step) const {
  const int origin = node(call.parent).steps[static_cast<std::size_t>(step)].origin;
  const RecordedCall& made = call_at(call, step);
  return std::span(recorded(origin).operations).subspan(made.first_operation, made.operation_count);
}

}  // namespace finegrain::scaling
