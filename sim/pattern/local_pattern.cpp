// SPDX-License-Identifier: MIT
//
// Pattern "local": random words of the rank's own part, through pointers to shared (Zhang & Seidel 2006,
// section 3.2).
#include "sim/pattern/microbenchmark.hpp"

namespace finegrain::pattern {

const PatternKind& local_pattern() {
  static const auto kind =
      microbenchmark_kind({.name = "local",
                           .order = 9,
                           .help = "random words of its own part",
                           .words_of = [](const Run& /*run*/, int rank, std::int64_t accesses,
                                          std::int64_t words, const std::function<void(Word)>& visit) {
                             RankRandom random(rank);
                             for (std::int64_t i = 0; i < accesses; ++i)
                               visit({rank, random.below(words)});
                           }});
  return *kind;
}

}  // namespace finegrain::pattern
