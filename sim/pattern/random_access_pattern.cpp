// SPDX-License-Identifier: MIT
//
// Pattern "random-access": every rank reads structs anywhere in an array that has one block on each rank
// (Alvanos et al. 2016, section 4). The paper prints neither the struct's size, for which 16 bytes are
// assumed, nor the generator.
#include <random>

#include "sim/pattern/loop_benchmark.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t random_struct_bytes = 16;  // assumed

}  // namespace

const PatternKind& random_access_pattern() {
  static const auto kind = loop_benchmark_kind(
      {.name = "random-access",
       .order = 23,
       .flag_help = "Instead: each rank reads at random from all ranks' parts, of this many structs each "
                    "(docs/inspector.md)",
       .counted = "structs of each rank",
       .most = std::int64_t{1} << 32,
       .is_regular = false,
       .has_writes = false,
       .loop =
           [](std::int64_t /*structs*/, std::int64_t reads, int /*ranks*/) {
             return AccessLoop{reads, reads};
           },
       .work = [](std::int64_t /*structs*/, std::int64_t reads,
                  int /*ranks*/) { return Work{.memory_bytes = reads * random_struct_bytes}; },
       .list =
           [](std::int64_t structs, std::int64_t reads, int ranks, int rank,
              const AddressedPattern::OnAccess& visit) {
             std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
             const auto all = static_cast<std::uint64_t>(structs) * static_cast<std::uint64_t>(ranks);
             for (std::int64_t read = 0; read < reads; ++read) {
               const auto element = static_cast<std::int64_t>(random() % all);
               visit({.rank = rank,
                      .owner = static_cast<std::int32_t>(element / structs),
                      .address = element % structs * random_struct_bytes,
                      .size_bytes = random_struct_bytes,
                      .iteration = read});
             }
           }});
  return *kind;
}

}  // namespace finegrain::pattern
