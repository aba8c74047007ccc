// SPDX-License-Identifier: MIT
#include "traces/scaling/folding.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <variant>

namespace finegrain::scaling {
namespace {

constexpr std::size_t longest_period = 2'000;  ///< times the calls, it is the time that the search takes

/// The operation without what may differ.
Operation shape_of(const Operation& operation, Numbers may_differ) {
  if (const auto* post = std::get_if<Post>(&operation)) {
    Post shape = *post;
    shape.peer = 0;
    shape.size_bytes = 0;
    if (may_differ == Numbers::all) shape.tag = 0;
    return shape;
  }
  if (const auto* collective = std::get_if<Collective>(&operation)) {
    Collective shape = *collective;
    shape.root = 0;
    shape.size_bytes = 0;
    shape.first_size = 0;
    shape.size_count = shape.size_count > 0 ? 1 : 0;
    return shape;
  }
  if (const auto* complete = std::get_if<Complete>(&operation);
      complete != nullptr && may_differ == Numbers::all && !complete->is_all())
    return Complete{1, 1};
  return operation;
}

bool same_shapes(const Program& a, const Program& b, Numbers may_differ) {
  return std::ranges::equal(
      a, b, [=](const Part& one, const Part& other) { return same_shape(one, other, may_differ); });
}

bool equal(const Part& a, const Part& b);

bool all_equal(const Program& a, const Program& b) {
  return std::ranges::equal(a, b, equal);
}

/// Except for the time of work.
bool equal(const Part& a, const Part& b) {
  if (a.is_loop() != b.is_loop()) return false;
  if (a.is_loop()) return a.step_count == b.step_count && std::ranges::equal(a.steps, b.steps, all_equal);
  return a.call.function == b.call.function && a.call.operations == b.call.operations &&
         a.call.sizes == b.call.sizes;
}

/// Which parts are alike: exactly, or in their shape.
enum class Alike : std::uint8_t { exactly, in_shape };

/// Equal for parts that are alike; and mostly different for others.
std::size_t hash_of(const Part& part, Alike alike) {
  std::size_t hash = 0;
  if (part.is_loop()) {
    if (alike == Alike::exactly) boost::hash_combine(hash, part.step_count);
    for (const Part& inner : part.steps[0])
      boost::hash_combine(hash, hash_of(inner, alike));
    return hash;
  }
  boost::hash_combine(hash, part.call.function.text());
  for (const Operation& operation : part.call.operations) {
    boost::hash_combine(hash, operation.index());
    const auto* post = std::get_if<Post>(&operation);
    if (post == nullptr || alike == Alike::in_shape) continue;
    boost::hash_combine(hash, post->peer);
    boost::hash_combine(hash, post->size_bytes);
    boost::hash_combine(hash, post->tag);
  }
  return hash;
}

/// A number for each part, equal for parts that are alike. Shape [program]
std::vector<std::size_t> kinds_of(const Program& program, Alike alike) {
  const auto hash = [alike](const Part* part) { return hash_of(*part, alike); };
  const auto same = [alike](const Part* a, const Part* b) {
    return alike == Alike::exactly ? equal(*a, *b) : same_shape(*a, *b, Numbers::all);
  };
  std::unordered_map<const Part*, std::size_t, decltype(hash), decltype(same)> known(program.size(), hash,
                                                                                     same);
  std::vector<std::size_t> kinds;
  for (const Part& part : program)
    kinds.push_back(known.try_emplace(&part, known.size()).first->second);
  return kinds;
}

/// Adds the times of work of equal programs, times `weight`.
void add_work(Program& sum, const Program& program, double weight) {
  for (std::size_t p = 0; p < sum.size(); ++p) {
    sum[p].call.work_ns += weight * program[p].call.work_ns;
    for (std::size_t s = 0; s < sum[p].steps.size(); ++s)
      add_work(sum[p].steps[s], program[p].steps[s], weight);
  }
}

/// A loop whose steps have `period` parts each.
Part loop_of(Program::iterator first, Program::iterator last, std::ptrdiff_t period) {
  Part loop{first->call, {}, (last - first) / period};
  for (; first != last; first += period)
    loop.steps.emplace_back(std::move_iterator(first), std::move_iterator(first + period));
  if (!std::ranges::all_of(loop.steps,
                           [&](const Program& step) { return all_equal(step, loop.steps.front()); }))
    return loop;
  const double share = 1.0 / static_cast<double>(loop.step_count);
  Program mean = loop.steps.front();
  add_work(mean, mean, share - 1);
  for (auto step = std::next(loop.steps.begin()); step != loop.steps.end(); ++step)
    add_work(mean, *step, share);
  loop.steps.assign(1, std::move(mean));
  return loop;
}

/// Makes loops of what is repeated with this period. @returns whether there is anything
bool fold(Program& program, const std::vector<std::size_t>& kinds, std::size_t period) {
  Program shorter;
  const auto at = [&](std::size_t place) { return program.begin() + static_cast<std::ptrdiff_t>(place); };
  std::size_t kept = 0;  // parts before it are in `shorter`
  for (std::size_t first = 0; first + period < program.size();) {
    std::size_t differs = first;
    while (differs + period < program.size() && kinds[differs] == kinds[differs + period])
      ++differs;
    const std::size_t repeats = (differs - first) / period + 1;
    if (repeats == 1) {
      first = differs + 1;
      continue;
    }
    std::move(at(kept), at(first), std::back_inserter(shorter));
    kept = first + repeats * period;
    shorter.push_back(loop_of(at(first), at(kept), static_cast<std::ptrdiff_t>(period)));
    first = kept;
  }
  if (kept == 0) return false;
  std::move(at(kept), program.end(), std::back_inserter(shorter));
  program = std::move(shorter);
  return true;
}

Program folded(Program program, Alike alike) {
  std::vector<std::size_t> kinds = kinds_of(program, alike);
  for (std::size_t period = 1; period <= std::min(program.size() / 2, longest_period);) {
    if (!fold(program, kinds, period)) {
      ++period;
      continue;
    }
    kinds = kinds_of(program, alike);
    period = 1;
  }
  return program;
}

/// Makes one loop, of what covers most of the program; of those, of the shortest.
Program with_longest_loop(Program program) {
  const std::vector<std::size_t> kinds = kinds_of(program, Alike::exactly);
  std::size_t longest = 0;
  std::size_t start = 0;
  std::size_t length = 0;
  for (std::size_t period = 1; period <= std::min(program.size() / 2, longest_period); ++period) {
    for (std::size_t first = 0; first + period < kinds.size();) {
      std::size_t differs = first;
      while (differs + period < kinds.size() && kinds[differs] == kinds[differs + period])
        ++differs;
      const std::size_t covered = ((differs - first) / period + 1) * period;
      if (covered > period && covered > longest) {
        longest = covered;
        start = first;
        length = period;
      }
      first = differs + 1;
    }
  }
  if (longest == 0) return program;
  const auto at = [&](std::size_t place) { return program.begin() + static_cast<std::ptrdiff_t>(place); };
  Part loop = loop_of(at(start), at(start + longest), static_cast<std::ptrdiff_t>(length));
  program.erase(at(start + 1), at(start + longest));
  program[start] = std::move(loop);
  return program;
}

Program folded_in_shape(Program program) {
  for (Part& part : program)
    for (Program& step : part.steps)
      step = folded_in_shape(std::move(step));
  return folded(std::move(program), Alike::in_shape);
}

}  // namespace

bool same_shape(const Part& a, const Part& b, Numbers may_differ) {
  if (a.is_loop() != b.is_loop()) return false;
  if (a.is_loop()) return same_shapes(a.steps[0], b.steps[0], may_differ);
  const auto shape = [may_differ](const Operation& operation) { return shape_of(operation, may_differ); };
  return a.call.function == b.call.function &&
         std::ranges::equal(a.call.operations, b.call.operations, {}, shape, shape);
}

Program folded(Program calls, First first) {
  calls = first == First::shortest ? folded(std::move(calls), Alike::exactly)
                                   : with_longest_loop(std::move(calls));
  return folded_in_shape(std::move(calls));
}

std::optional<Program> aligned(const Program& program, const Program& like) {
  Program result;
  auto next = program.begin();
  for (const Part& part : like) {
    if (next == program.end()) return std::nullopt;
    if (!part.is_loop() || next->is_loop()) {
      if (!same_shape(*next, part, Numbers::all)) return std::nullopt;
      result.push_back(*next++);
      continue;
    }
    const Program& step = part.steps[0];
    if (program.end() - next < std::ssize(step)) return std::nullopt;
    const Program once(next, next + std::ssize(step));
    const std::optional<Program> aligned_once = aligned(once, step);
    if (!aligned_once) return std::nullopt;
    result.push_back({next->call, {*aligned_once}, 1});
    next += std::ssize(step);
  }
  if (next != program.end()) return std::nullopt;
  return result;
}

}  // namespace finegrain::scaling
