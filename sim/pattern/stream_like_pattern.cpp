// SPDX-License-Identifier: MIT
//
// Pattern "stream-like": every rank reads the next rank's part of an array of structs, one after the other
// (Alvanos et al. 2016, section 4). The paper does not print the struct's size: 16 bytes are assumed.
#include "sim/pattern/loop_benchmark.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t stream_struct_bytes = 16;  // assumed

}  // namespace

const PatternKind& stream_like_pattern() {
  static const auto kind = loop_benchmark_kind(
      {.name = "stream-like",
       .order = 22,
       .flag_help = "Instead: each rank reads the next rank's part, of this many structs (docs/inspector.md)",
       .counted = "structs of each rank",
       .most = std::int64_t{1} << 32,
       .is_regular = true,
       .has_writes = false,
       .loop =
           [](std::int64_t /*structs*/, std::int64_t reads, int /*ranks*/) {
             return AccessLoop{reads, reads};
           },
       .work = [](std::int64_t /*structs*/, std::int64_t reads,
                  int /*ranks*/) { return Work{.memory_bytes = reads * stream_struct_bytes}; },
       .list =
           [](std::int64_t structs, std::int64_t reads, int ranks, int rank,
              const AddressedPattern::OnAccess& visit) {
             for (std::int64_t read = 0; read < reads; ++read)
               visit({.rank = rank,
                      .owner = (rank + 1) % ranks,
                      .address = read % structs * stream_struct_bytes,
                      .size_bytes = stream_struct_bytes,
                      .iteration = read});
           }});
  return *kind;
}

}  // namespace finegrain::pattern
