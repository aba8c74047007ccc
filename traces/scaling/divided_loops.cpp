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

// Loops of a program tree that are two loops, one in the other: by what their steps repeat.
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

}  // namespace

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
