// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>

#include "sim/pattern/addressed_accesses.hpp"

namespace finegrain::pattern {

/// A word of shared memory.
struct Word {
  std::int32_t owner;
  std::int64_t number;  ///< in the owner's part
};

/// A microbenchmark: each rank reads, or writes, a given number of double words. Zhang & Seidel 2006 (section
/// 3.2) have four of them, and Zhang et al. 2006 (MuPC, section 6) two.
struct Microbenchmark {
  std::string name;
  int order;
  std::string help;  ///< what is accessed
  /// Calls visit for each access of a rank, in program order.
  std::function<void(const Run& run, int rank, std::int64_t accesses, std::int64_t words,
                     const std::function<void(Word)>& visit)>
      words_of;
  std::vector<Parameter> parameters = {};  ///< its own, besides those of all benchmarks, with defaults
};

/// Random numbers of one rank, the same on every computer.
class RankRandom {
 public:
  explicit RankRandom(int rank) : random_(static_cast<std::uint64_t>(rank) + 1) {}
  /// From 0 to below - 1. @pre below > 0
  std::int64_t below(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }

 private:
  std::mt19937_64 random_;
};

/// The pattern's entry in the registry. The papers do not print the sizes: a rank's part has 16384 words
/// unless set otherwise.
std::unique_ptr<PatternKind> microbenchmark_kind(Microbenchmark benchmark);

}  // namespace finegrain::pattern
