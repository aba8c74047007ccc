// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::collectives {

/// A collective that is carried out as others, one after the other.
class Composite : public Algorithm {
 public:
  struct Part {
    Call call;
    Choice choice;
  };

  std::int64_t rounds(const Call& call, const Choice& choice) const final;
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const final;

 protected:
  virtual std::vector<Part> parts(const Call& call, const Choice& choice) const = 0;
  /// A part that is done as the library does such a call.
  static Part decided(const Call& part, const Choice& whole);
};

/// The call of another kind by the same rank, for a vector or blocks of this size.
Call part_of(const Call& whole, CollectiveKind kind, std::int64_t size_bytes);

}  // namespace finegrain::collectives
