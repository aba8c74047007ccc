// SPDX-License-Identifier: MIT
//
// Pattern "fish": forces among N bodies in the plane (Listing 1 of Alvanos et al. 2016), one time step:
//
//     shared [NFISH/THREADS] fish_t fish[NFISH];      // x, vx, y, vy: 32 bytes
//     upc_forall (i = 0; i < NFISH; ++i; &fish[i])
//       for (j = 0; j < NFISH; ++j) { ... fish[j].x ... fish[j].y ... }
//
// x and y of a body are one access: their reads are coalesced statically (section 3.3). The rank's own
// fish[i] and acc[i] are reached by private pointers. An iteration is one of the inner loop; the reduction
// that follows a step is not in the listing.
#include <fmt/format.h>

#include "sim/pattern/loop_benchmark.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t body_bytes = 32;
constexpr std::int64_t position_bytes = 16;

}  // namespace

const PatternKind& fish_pattern() {
  static const auto kind = loop_benchmark_kind(
      {.name = "fish",
       .order = 21,
       .flag_help = "Instead: forces among this many bodies, each with each other (docs/inspector.md)",
       .counted = "bodies",
       .most = 1'000'000,
       .is_regular = true,
       .has_writes = false,
       .check =
           [](std::int64_t bodies, int ranks) {
             if (bodies % ranks == 0) return;
             throw InputError("fish", fmt::format("{} bodies for {}", bodies, format_count(ranks, "rank")),
                              "Choose ranks that divide the bodies");
           },
       .loop =
           [](std::int64_t bodies, std::int64_t others, int ranks) {
             const std::int64_t pairs = bodies / ranks * std::min(others, bodies);
             return AccessLoop{pairs, pairs};
           },
       .work =
           [](std::int64_t bodies, std::int64_t others, int ranks) {
             return Work{.memory_bytes = bodies / ranks * std::min(others, bodies) * position_bytes};
           },
       .list =
           [](std::int64_t bodies, std::int64_t others, int ranks, int rank,
              const AddressedPattern::OnAccess& visit) {
             const std::int64_t own = bodies / ranks;
             others = std::min(others, bodies);
             for (std::int64_t i = 0; i < own; ++i)
               for (std::int64_t j = 0; j < others; ++j)
                 visit({.rank = rank,
                        .owner = static_cast<std::int32_t>(j / own),
                        .address = j % own * body_bytes,
                        .size_bytes = position_bytes,
                        .iteration = i * others + j});
           }});
  return *kind;
}

}  // namespace finegrain::pattern
