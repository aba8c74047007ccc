// SPDX-License-Identifier: MIT
//
// Pattern "natural-ring": each rank accesses words of the next one, all at the same time (Zhang et al. 2006,
// MuPC, section 6; kernels/micro/natural_ring_upcxx.cpp).
#include <algorithm>

#include "sim/pattern/neighbour_words.hpp"

namespace finegrain::pattern {

const PatternKind& natural_ring_pattern() {
  static const auto kind = microbenchmark_kind(
      {.name = "natural-ring",
       .order = 21,
       .help = "words of the next rank",
       .words_of =
           [](const Run& run, int rank, std::int64_t accesses, std::int64_t words,
              const std::function<void(Word)>& visit) {
             for_each_neighbour_word(run, rank, (rank + 1) % std::max(run.ranks, 2), accesses, words, visit);
           },
       .parameters = {word_order_parameter()}});
  return *kind;
}

}  // namespace finegrain::pattern
