// SPDX-License-Identifier: MIT
#include "sim/collectives/composite.hpp"

#include <cassert>

#include "sim/collectives/decisions.hpp"

namespace finegrain::collectives {

std::int64_t Composite::rounds(const Call& call, const Choice& choice) const {
  std::int64_t sum = 0;
  for (const Part& part : parts(call, choice))
    sum += collectives::rounds(part.call, part.choice);
  return sum;
}

void Composite::round(std::int64_t number, const Call& call, const Choice& choice,
                      std::vector<Operation>& out) const {
  for (const Part& part : parts(call, choice)) {
    const std::int64_t rounds_of_part = collectives::rounds(part.call, part.choice);
    if (number < rounds_of_part) return collectives::round(number, part.call, part.choice, out);
    number -= rounds_of_part;
  }
  assert(false);
}

Composite::Part Composite::decided(const Call& part, const Choice& whole) {
  assert(whole.decisions != nullptr);
  return {part, whole.decisions->choose(part)};
}

Call part_of(const Call& whole, CollectiveKind kind, std::int64_t size_bytes) {
  Call part = whole;
  part.kind = kind;
  part.root = 0;
  part.size_bytes = size_bytes;
  part.sizes = {};
  return part;
}

}  // namespace finegrain::collectives
