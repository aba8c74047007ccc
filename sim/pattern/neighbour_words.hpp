// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/pattern/microbenchmark.hpp"

namespace finegrain::pattern {

/// Setting "word-order" of a neighbour's words: stride-1 or random.
inline Parameter word_order_parameter() {
  return {.name = "word-order",
          .label = "",
          .help =
              "Streaming, natural ring: words one after the other (stride-1) or at random (random). "
              "Default: stride-1",
          .words = {"stride-1", "random"},
          .usual = std::string("stride-1")};
}

/// Calls visit for each word of `owner` that `rank` accesses in MuPC's microbenchmarks. Words and order are
/// the same as in kernels/micro.
template <class Visit>
void for_each_neighbour_word(const Run& run, int rank, int owner, std::int64_t accesses, std::int64_t words,
                             Visit&& visit) {
  const bool at_random = text_of(run.problem, "word-order") == "random";
  RankRandom random(rank);
  for (std::int64_t i = 0; i < accesses; ++i)
    visit(Word{owner, at_random ? random.below(words) : i % words});
}

}  // namespace finegrain::pattern
