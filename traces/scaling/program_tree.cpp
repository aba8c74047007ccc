// SPDX-License-Identifier: MIT
#include "traces/scaling/program_tree.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace finegrain::scaling {
namespace {

std::size_t hash_of(const Operation& operation) {
  std::size_t hash = operation.index();
  if (const auto* post = std::get_if<Post>(&operation)) {
    boost::hash_combine(hash, static_cast<int>(post->kind));
    boost::hash_combine(hash, post->peer);
    boost::hash_combine(hash, post->size_bytes);
    boost::hash_combine(hash, post->tag);
    boost::hash_combine(hash, post->communicator);
  }
  if (const auto* collective = std::get_if<Collective>(&operation)) {
    boost::hash_combine(hash, static_cast<int>(collective->kind));
    boost::hash_combine(hash, collective->root);
    boost::hash_combine(hash, collective->size_bytes);
    boost::hash_combine(hash, collective->communicator);
  }
  if (const auto* lock = std::get_if<Lock>(&operation)) {
    boost::hash_combine(hash, lock->acquire);
    boost::hash_combine(hash, lock->exclusive);
    boost::hash_combine(hash, lock->peer);
    boost::hash_combine(hash, lock->window);
  }
  return hash;
}

std::size_t hash_of(const RecordedOperation& recorded) {
  std::size_t hash = hash_of(recorded.operation);
  boost::hash_range(hash, recorded.sizes.begin(), recorded.sizes.end());
  if (recorded.completion) {
    boost::hash_combine(hash, recorded.completion->first);
    boost::hash_combine(hash, recorded.completion->count);
  }
  return hash;
}

/// The least number of steps after which a list repeats exactly; its length, if it does not.
std::size_t period_of(std::span<const std::uint64_t> steps) {
  for (std::size_t period = 1; period < steps.size(); ++period) {
    if (steps.size() % period != 0) continue;
    if (std::equal(steps.begin() + static_cast<std::ptrdiff_t>(period), steps.end(), steps.begin()))
      return period;
  }
  return steps.size();
}

/// How many equal steps follow each other, if it is the same number everywhere.
std::size_t run_length_of(std::span<const std::uint64_t> steps) {
  std::size_t length = 0;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t after = first + 1;
    while (after < steps.size() && steps[after] == steps[first])
      ++after;
    length = std::gcd(length, after - first);
    first = after;
  }
  return length;
}

using Ends = std::pair<int, int>;  ///< the first and the last place of a stretch

/// A loop, and those in it, as one rank shows them.
struct Nest {
  Ends ends;
  std::vector<Nest> inner = {};
};

bool contains(const Ends& outer, const Ends& inner) {
  return outer.first <= inner.first && inner.second <= outer.second;
}

bool are_apart(const Ends& a, const Ends& b) {
  return a.second < b.first || b.second < a.first;
}

Ends joined(const Ends& a, const Ends& b) {
  return {std::min(a.first, b.first), std::max(a.second, b.second)};
}

int length(const Ends& ends) {
  return ends.second - ends.first;
}

/// The loops in what one rank repeats. Of two stretches that overlap, the longer one is a part of a loop
/// around both, if the rank repeats that, too; otherwise both are parts of one loop.
std::vector<Nest> nests_of(std::set<Ends> stretches) {
  const auto overlapping = [&]() -> std::optional<std::pair<Ends, Ends>> {
    for (const Ends& a : stretches)
      for (const Ends& b : stretches)
        if (a < b && !are_apart(a, b) && !contains(a, b) && !contains(b, a)) return std::pair(a, b);
    return std::nullopt;
  };
  while (const auto both = overlapping()) {
    const Ends a = both->first;
    const Ends b = both->second;
    const bool is_around = std::ranges::any_of(
        stretches, [&](const Ends& ends) { return contains(ends, a) && contains(ends, b); });
    if (is_around) {
      stretches.erase(length(a) > length(b) ? a : b);
    } else {
      stretches.erase(a);
      stretches.erase(b);
      stretches.insert(joined(a, b));
    }
  }
  std::vector<Ends> sorted(stretches.begin(), stretches.end());
  std::ranges::sort(sorted, std::ranges::greater(), length);
  std::vector<Nest> nests;
  for (const Ends& ends : sorted) {
    std::vector<Nest>* level = &nests;
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (Nest& nest : *level)
        if (contains(nest.ends, ends)) {
          level = &nest.inner;
          deeper = true;
          break;
        }
    }
    level->push_back({ends});
  }
  return nests;
}

/// The places that both have, as a share of those that one of them has.
double likeness(const Ends& a, const Ends& b) {
  if (are_apart(a, b)) return 0;
  const int both = std::min(a.second, b.second) - std::max(a.first, b.first) + 1;
  return static_cast<double>(both) / (length(joined(a, b)) + 1);
}

/// Loops at one level of nesting that are one: some ranks do only a part of it.
struct Group {
  Ends ends;
  std::vector<Ends> of_ranks = {};
  std::vector<std::vector<Nest>> inner = {};  ///< of each rank

  /// Whether a loop is more like those in it, as far as it touches them, than like what it is for any rank.
  bool has_within(const Ends& loop) const {
    double own = 0;
    for (const Ends& of_rank : of_ranks)
      own = std::max(own, likeness(of_rank, loop));
    std::optional<Ends> touched;
    for (const std::vector<Nest>& of_rank : inner)
      for (const Nest& nest : of_rank)
        if (!are_apart(nest.ends, loop)) touched = touched ? joined(*touched, nest.ends) : nest.ends;
    return touched && likeness(*touched, loop) > own;
  }
};

/// Adds the loops that several ranks have in common. What one rank does as the outermost loop may be one that
/// is in a loop of others, if these have it there.
void add_common_loops(const std::vector<std::vector<Nest>>& of_ranks,
                      std::vector<ProgramTree::Stretch>& loops) {
  std::vector<Nest> all;
  for (const std::vector<Nest>& nests : of_ranks)
    all.insert(all.end(), nests.begin(), nests.end());
  // The longest first, so that a loop is known before those in it.
  std::ranges::stable_sort(all, std::ranges::greater(), [](const Nest& nest) { return length(nest.ends); });
  std::vector<Group> groups;
  for (const Nest& nest : all) {
    const auto group =
        std::ranges::find_if(groups, [&](const Group& known) { return !are_apart(known.ends, nest.ends); });
    if (group == groups.end()) {
      groups.push_back({nest.ends, {nest.ends}, {nest.inner}});
      continue;
    }
    const bool is_within = group->has_within(nest.ends);
    group->ends = joined(group->ends, nest.ends);
    if (!is_within) group->of_ranks.push_back(nest.ends);
    group->inner.push_back(is_within ? std::vector<Nest>{nest} : nest.inner);
  }
  // A group that has grown may overlap another one.
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size();) {
      if (are_apart(groups[a].ends, groups[b].ends)) {
        ++b;
        continue;
      }
      groups[a].ends = joined(groups[a].ends, groups[b].ends);
      std::ranges::move(groups[b].inner, std::back_inserter(groups[a].inner));
      std::ranges::move(groups[b].of_ranks, std::back_inserter(groups[a].of_ranks));
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
      b = a + 1;
    }
  for (const Group& group : groups) {
    loops.push_back({group.ends.first, group.ends.second});
    add_common_loops(group.inner, loops);
  }
}

}  // namespace

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
std::vector<ProgramTree::Stretch> ProgramTree::find_loops(const std::vector<int>& place,
                                                          Nesting nesting) const {
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
  std::vector<std::vector<Nest>> of_ranks;
  for (const std::set<Ends>& stretches : different)
    of_ranks.push_back(nests_of(stretches));
  std::vector<Stretch> loops;
  add_common_loops(of_ranks, loops);
  if (nesting == Nesting::ends_apart)
    std::erase_if(loops, [known = loops](const Stretch& inner) {
      return std::ranges::any_of(
          known, [&](const Stretch& outer) { return outer.last == inner.last && outer.first < inner.first; });
    });
  return loops;
}

void ProgramTree::make_nodes(const std::vector<int>& order, std::vector<Stretch> loops) {
  // A loop in a loop of the same calls: of one line of the source, which is reached by both.
  std::ranges::sort(loops, [](const Stretch& a, const Stretch& b) {
    return std::pair(a.first, -a.last) < std::pair(b.first, -b.last);
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
      open.emplace_back(size() - 1, next->last);
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

/// Equal for steps in which a rank does the same. Shape [steps]
std::vector<std::uint64_t> ProgramTree::hashes_of_steps(int loop) {
  const ProgramNode& own = node(loop);
  std::vector<std::uint64_t> hashes(own.steps.size(), 0);
  for (const int child : own.children) {
    const ProgramNode& part = node(child);
    const std::vector<std::uint64_t>& inner = step_hashes_[static_cast<std::size_t>(child)];
    for (std::size_t step = 0; step < hashes.size(); ++step) {
      std::size_t hash = hashes[step];
      if (part.is_loop()) {
        boost::hash_combine(hash, part.count[step]);
        for (std::int32_t s = 0; s < part.count[step]; ++s)
          boost::hash_combine(hash, inner[static_cast<std::size_t>(part.first[step] + s)]);
      } else if (part.calls[step] >= 0) {
        boost::hash_combine(hash, part.site + 1);
        for (const RecordedOperation& operation : operations_at(part, static_cast<std::int32_t>(step)))
          boost::hash_combine(hash, hash_of(operation));
      }
      hashes[step] = hash;
    }
  }
  return hashes;
}

/// A loop whose steps repeat is two loops: three time steps, in each of which a rank exchanges with those 1,
/// 2 and 4 away from one line of the source, look like one loop of nine steps. So is one whose steps are
/// equal in threes: three exchanges with each.
void ProgramTree::divide_loops() {
  const int count = size();
  step_hashes_.resize(nodes_.size());
  // A loop has a greater number than the one around it.
  for (int loop = count - 1; loop > 0; --loop)
    if (node(loop).is_loop()) divide_executions(loop);
  for (int loop = count - 1; loop >= 0; --loop) {
    if (!node(loop).is_loop()) continue;
    step_hashes_[static_cast<std::size_t>(loop)] = hashes_of_steps(loop);
    if (loop > 0) divide_loop(loop);
  }
  step_hashes_.clear();
}

/// A rank that does nothing else in a loop than another loop shows one long execution of that: in each step
/// of
///
///     rank 0: Send Send Receive Send Send Receive     two steps of two sends
///     rank 1: Send Send Send Send                     one of four, which are two of two
void ProgramTree::divide_executions(int loop) {
  std::map<int, std::int32_t> usual;  // steps of an execution, by recording
  {
    const ProgramNode& own = node(loop);
    for (std::size_t parent = 0; parent < own.count.size(); ++parent) {
      if (own.count[parent] == 0) continue;
      const int recording = recording_of(own.steps[static_cast<std::size_t>(own.first[parent])].origin);
      usual[recording] = std::max(usual[recording], own.count[parent]);
    }
  }
  // In how many steps each one is divided. Shape [steps]
  std::vector<std::int32_t> parts(node(loop).steps.size(), 1);
  bool any = false;
  for (std::size_t parent = 0; parent < node(loop).count.size(); ++parent) {
    if (node(loop).count[parent] != 1) continue;
    const auto step = static_cast<std::size_t>(node(loop).first[parent]);
    const std::int32_t wanted = usual.at(recording_of(node(loop).steps[step].origin));
    const int inner = only_loop_in(loop, step);
    if (wanted == 1 || inner < 0 || node(inner).count[step] % wanted != 0) continue;
    const std::vector<std::uint64_t> hashes =
        hashes_of_calls(inner, node(inner).first[step], node(inner).count[step]);
    if (hashes.empty() || period_of(hashes) > hashes.size() / static_cast<std::size_t>(wanted) ||
        hashes.size() / static_cast<std::size_t>(wanted) % period_of(hashes) != 0)
      continue;
    parts[step] = wanted;
    any = true;
  }
  if (any) divide_steps(loop, parts);
}

/// The loop that is all that happens in a step of another one; -1 if there is none.
int ProgramTree::only_loop_in(int loop, std::size_t step) const {
  int only = -1;
  for (const int child : node(loop).children) {
    if (node(child).is_loop() ? node(child).count[step] == 0 : node(child).calls[step] < 0) continue;
    if (!node(child).is_loop() || only >= 0) return -1;
    only = child;
  }
  return only;
}

/// Equal for steps that make the same calls; empty if there is a loop in them.
std::vector<std::uint64_t> ProgramTree::hashes_of_calls(int loop, std::int32_t first,
                                                        std::int32_t count) const {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(count), 0);
  for (const int child : node(loop).children) {
    if (node(child).is_loop()) return {};
    for (std::int32_t s = 0; s < count; ++s) {
      if (node(child).calls[static_cast<std::size_t>(first + s)] < 0) continue;
      std::size_t hash = hashes[static_cast<std::size_t>(s)];
      boost::hash_combine(hash, child);
      for (const RecordedOperation& operation : operations_at(node(child), first + s))
        boost::hash_combine(hash, hash_of(operation));
      hashes[static_cast<std::size_t>(s)] = hash;
    }
  }
  return hashes;
}

/// Makes several steps of one that does nothing but a loop. @param parts  how many, shape [steps]
void ProgramTree::divide_steps(int loop, const std::vector<std::int32_t>& parts) {
  ProgramNode& own = nodes_[static_cast<std::size_t>(loop)];
  std::vector<std::int32_t> at;  // the old steps' new numbers
  std::vector<LoopStep> steps;
  for (std::size_t step = 0; step < parts.size(); ++step) {
    at.push_back(static_cast<std::int32_t>(steps.size()));
    for (std::int32_t part = 0; part < parts[step]; ++part) {
      steps.push_back(own.steps[step]);
      steps.back().number += part;
    }
  }
  for (std::size_t parent = 0; parent < own.count.size(); ++parent) {
    if (own.count[parent] == 0) continue;
    const auto first = static_cast<std::size_t>(own.first[parent]);
    if (own.count[parent] == 1) own.count[parent] = parts[first];
    own.first[parent] = at[first];
  }
  own.steps = std::move(steps);
  for (const int number : own.children) {
    ProgramNode& child = nodes_[static_cast<std::size_t>(number)];
    ProgramNode old = child;
    child.calls.assign(old.calls.empty() ? 0 : own.steps.size(), -1);
    child.first.assign(old.first.empty() ? 0 : own.steps.size(), 0);
    child.count.assign(old.count.empty() ? 0 : own.steps.size(), 0);
    for (std::size_t step = 0; step < parts.size(); ++step) {
      const auto now = static_cast<std::size_t>(at[step]);
      if (!child.is_loop()) {
        child.calls[now] = old.calls[step];
        continue;
      }
      const std::int32_t count = old.count[step] / parts[step];
      for (std::int32_t part = 0; part < parts[step]; ++part) {
        const std::size_t to = now + static_cast<std::size_t>(part);
        child.first[to] = old.first[step] + part * count;
        child.count[to] = count;
        for (std::int32_t s = 0; s < count; ++s) {
          LoopStep& moved = child.steps[static_cast<std::size_t>(child.first[to] + s)];
          moved.parent_step = static_cast<std::int32_t>(to);
          moved.number = s;
        }
      }
    }
  }
}

void ProgramTree::divide_loop(int loop) {
  // How often the steps of each execution repeat, how many equal ones follow each other, and how often the
  // messages' other ranks repeat: in each recording, and step of the loop around.
  using Around = std::pair<int, std::int32_t>;
  std::map<Around, std::int32_t> times;
  std::map<Around, std::int32_t> runs;
  std::map<Around, std::int32_t> times_of_peers;
  const std::vector<std::uint64_t> hashes = step_hashes_[static_cast<std::size_t>(loop)];
  const std::vector<std::uint64_t> peers = peers_of_steps(loop);
  ProgramNode& own = nodes_[static_cast<std::size_t>(loop)];
  const auto around = [&](std::int32_t step) {
    const ProgramNode& divided = node(loop);
    const LoopStep& at = divided.steps[static_cast<std::size_t>(step)];
    const LoopStep& outer = node(divided.parent).steps[static_cast<std::size_t>(at.parent_step)];
    return Around(recording_of(at.origin), outer.number);
  };
  own.is_uniform = true;
  for (std::size_t parent = 0; parent < own.count.size(); ++parent) {
    const std::int32_t count = own.count[parent];
    if (count == 0) continue;
    const auto steps_of = [&](const std::vector<std::uint64_t>& all) {
      return std::span(all).subspan(static_cast<std::size_t>(own.first[parent]),
                                    static_cast<std::size_t>(count));
    };
    const auto period = static_cast<std::int32_t>(period_of(steps_of(hashes)));
    own.is_uniform = own.is_uniform && period == 1;
    const Around recording = around(own.first[parent]);
    times[recording] = std::gcd(times[recording], count / period);
    runs[recording] = std::gcd(runs[recording], static_cast<std::int32_t>(run_length_of(steps_of(hashes))));
    if (!peers.empty())
      times_of_peers[recording] =
          std::gcd(times_of_peers[recording], count / static_cast<std::int32_t>(period_of(steps_of(peers))));
  }
  if (own.is_uniform) return;
  const auto more_than_one = [](const std::map<Around, std::int32_t>& of_recordings) {
    return std::ranges::any_of(of_recordings, [](const auto& one) { return one.second > 1; });
  };
  const auto equal_lengths = [](std::int32_t count, std::int32_t length) {
    return std::vector<std::int32_t>(static_cast<std::size_t>(count / length), length);
  };
  if (more_than_one(times)) {
    const int inner = divide(loop, [&](std::int32_t first, std::int32_t count) {
      return equal_lengths(count, count / times.at(around(first)));
    });
    nodes_[static_cast<std::size_t>(loop)].is_uniform = true;
    divide_loop(inner);
  } else if (more_than_one(runs)) {
    const int inner = divide(loop, [&](std::int32_t first, std::int32_t count) {
      return equal_lengths(count, runs.at(around(first)));
    });
    nodes_[static_cast<std::size_t>(inner)].is_uniform = true;
  } else if (more_than_one(times_of_peers)) {
    divide(loop, [&](std::int32_t first, std::int32_t count) {
      return equal_lengths(count, count / times_of_peers.at(around(first)));
    });
  } else if (const std::vector<std::uint64_t> tags = tags_of_steps(loop); !tags.empty()) {
    divide(loop, [&](std::int32_t first, std::int32_t count) {
      std::vector<std::int32_t> lengths;
      for (std::int32_t step = first; step < first + count; ++step)
        if (step == first || tags[static_cast<std::size_t>(step)] != tags[static_cast<std::size_t>(step) - 1])
          lengths.push_back(1);
        else
          ++lengths.back();
      return lengths;
    });
  }
}

/// The tags of each step's messages; empty if no two steps that follow each other share theirs, or all do.
/// Shape [steps]
std::vector<std::uint64_t> ProgramTree::tags_of_steps(int loop) const {
  const ProgramNode& own = node(loop);
  if (own.children.size() != 1 || node(own.children[0]).is_loop()) return {};
  const ProgramNode& call = node(own.children[0]);
  std::vector<std::uint64_t> tags(own.steps.size(), 0);
  bool share = false;
  bool differ = false;
  for (std::size_t step = 0; step < tags.size(); ++step) {
    for (const RecordedOperation& operation : operations_at(call, static_cast<std::int32_t>(step)))
      if (const auto* post = std::get_if<Post>(&operation.operation))
        tags[step] = static_cast<std::uint64_t>(std::int64_t{post->tag} + 1);
    if (own.steps[step].number == 0) continue;
    (tags[step] == tags[step - 1] ? share : differ) = true;
  }
  return share && differ ? tags : std::vector<std::uint64_t>();
}

/// The other ranks of each step's messages, as one number; empty if the loop holds another one. Shape [steps]
std::vector<std::uint64_t> ProgramTree::peers_of_steps(int loop) const {
  const ProgramNode& own = node(loop);
  std::vector<std::uint64_t> peers(own.steps.size(), 0);
  for (const int child : own.children) {
    if (node(child).is_loop()) return {};
    for (std::size_t step = 0; step < peers.size(); ++step) {
      if (node(child).calls[step] < 0) continue;
      std::size_t hash = peers[step];
      boost::hash_combine(hash, child);
      for (const RecordedOperation& operation : operations_at(node(child), static_cast<std::int32_t>(step)))
        if (const auto* post = std::get_if<Post>(&operation.operation)) boost::hash_combine(hash, post->peer);
      peers[step] = hash;
    }
  }
  return peers;
}

/// Puts a loop in the place of another one, which becomes its only child.
/// @param lengths_of  the steps that are together in each of the outer loop, by the first one and their
/// number
/// @returns the inner loop
int ProgramTree::divide(
    int loop, const std::function<std::vector<std::int32_t>(std::int32_t, std::int32_t)>& lengths_of) {
  const int inner = size();
  std::vector<std::vector<std::int32_t>> lengths;
  for (std::size_t parent = 0; parent < node(loop).count.size(); ++parent)
    lengths.push_back(node(loop).count[parent] == 0
                          ? std::vector<std::int32_t>()
                          : lengths_of(node(loop).first[parent], node(loop).count[parent]));
  ProgramNode own = std::move(nodes_[static_cast<std::size_t>(loop)]);
  ProgramNode outer{.parent = own.parent, .children = {inner}};
  own.parent = loop;
  for (const int child : own.children)
    nodes_[static_cast<std::size_t>(child)].parent = inner;
  outer.first.resize(own.count.size(), 0);
  outer.count.resize(own.count.size(), 0);
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> count;
  for (std::size_t parent = 0; parent < own.count.size(); ++parent) {
    if (own.count[parent] == 0) continue;
    outer.first[parent] = static_cast<std::int32_t>(outer.steps.size());
    outer.count[parent] = static_cast<std::int32_t>(lengths[parent].size());
    std::int32_t begin = own.first[parent];
    for (std::int32_t step = 0; step < outer.count[parent]; ++step) {
      const std::int32_t steps = lengths[parent][static_cast<std::size_t>(step)];
      const auto outer_step = static_cast<std::int32_t>(outer.steps.size());
      outer.steps.push_back(
          {own.steps[static_cast<std::size_t>(begin)].origin, static_cast<std::int32_t>(parent), step});
      first.push_back(begin);
      count.push_back(steps);
      for (std::int32_t s = 0; s < steps; ++s) {
        LoopStep& moved = own.steps[static_cast<std::size_t>(begin + s)];
        moved.parent_step = outer_step;
        moved.number = s;
      }
      begin += steps;
    }
  }
  own.first = std::move(first);
  own.count = std::move(count);
  nodes_[static_cast<std::size_t>(loop)] = std::move(outer);
  nodes_.push_back(std::move(own));
  step_hashes_.push_back(std::move(step_hashes_[static_cast<std::size_t>(loop)]));
  step_hashes_[static_cast<std::size_t>(loop)] = hashes_of_steps(loop);
  return inner;
}

}  // namespace finegrain::scaling
