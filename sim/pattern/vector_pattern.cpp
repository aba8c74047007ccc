// SPDX-License-Identifier: MIT
//
// Pattern "vector": words one after the other, from a random one on (Zhang & Seidel 2006, section 3.2). In
// the paper the array lies on one rank; here it lies on the next rank, so that no rank serves all.
#include <algorithm>

#include "sim/pattern/microbenchmark.hpp"

namespace finegrain::pattern {

const PatternKind& vector_pattern() {
  static const auto kind = microbenchmark_kind(
      {.name = "vector",
       .order = 7,
       .help = "words of the next rank, one after the other",
       .words_of = [](const Run& run, int rank, std::int64_t accesses, std::int64_t words,
                      const std::function<void(Word)>& visit) {
         const std::int64_t first = RankRandom(rank).below(words);
         for (std::int64_t i = 0; i < accesses; ++i)
           visit({static_cast<std::int32_t>((rank + 1) % std::max(run.ranks, 2)), (first + i) % words});
       }});
  return *kind;
}

}  // namespace finegrain::pattern
