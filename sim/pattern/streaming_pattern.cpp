// SPDX-License-Identifier: MIT
//
// Pattern "streaming": rank 0 accesses words of another rank, which is on another node if there is one; all
// other ranks are idle (Zhang et al. 2006, MuPC, section 6; kernels/micro/streaming_access_upcxx.cpp).
#include <algorithm>

#include "sim/pattern/neighbour_words.hpp"

namespace finegrain::pattern {

const PatternKind& streaming_pattern() {
  static const auto kind =
      microbenchmark_kind({.name = "streaming",
                           .order = 20,
                           .help = "words of one rank on another node, by rank 0 alone",
                           .words_of =
                               [](const Run& run, int rank, std::int64_t accesses, std::int64_t words,
                                  const std::function<void(Word)>& visit) {
                                 if (rank != 0) return;
                                 // The first rank of the second node; else the last one.
                                 const int owner = std::min(run.ranks_per_node, std::max(run.ranks, 2) - 1);
                                 for_each_neighbour_word(run, rank, owner, accesses, words, visit);
                               },
                           .parameters = {word_order_parameter()}});
  return *kind;
}

}  // namespace finegrain::pattern
