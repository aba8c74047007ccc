// SPDX-License-Identifier: MIT
#pragma once

#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

/// The rank of a pair that waits gives its whole vector to the other, which combines both.
inline void fold_in(std::int64_t vector_bytes, const Call& call, const Fold& fold, Script& script) {
  script.copy(vector_bytes);
  if (!fold.is_folded(call.rank)) return;
  const int partner = fold.partner(call.rank);
  if (fold.number(call.rank) < 0) return script.send(partner, vector_bytes);
  script.receive(partner, vector_bytes);
  script.reduce(vector_bytes);
}

/// The rank of a pair that waits gets the result from the other.
inline void unfold(const Call& call, const Fold& fold, Script& script) {
  if (!fold.is_folded(call.rank)) return;
  const int partner = fold.partner(call.rank);
  if (fold.number(call.rank) < 0) return script.receive(partner, call.size_bytes);
  script.send(partner, call.size_bytes);
}

}  // namespace finegrain::collectives
