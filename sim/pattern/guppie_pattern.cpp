// SPDX-License-Identifier: MIT
//
// Pattern "guppie": random read-modify-writes of a table that is spread over all ranks in one block each, as
// the HPC Challenge's RandomAccess does them. The words are chosen by its generator, a shift register with
// the polynomial x^63 + x^2 + x + 1. Every rank begins with the number at which the rank before it ends after
// as many updates as it has words, or after all its updates if these are more. So a run of fewer updates is
// the beginning of the whole one.
#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/pattern/loop_benchmark.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t word_bytes = 8;
constexpr std::uint64_t polynomial = 7;

constexpr std::uint64_t next_random(std::uint64_t random) {
  return (random << 1) ^ (static_cast<std::int64_t>(random) < 0 ? polynomial : 0);
}

/// The generator's number n steps after 1.
std::uint64_t random_after(std::int64_t n) {
  if (n == 0) return 1;
  std::array<std::uint64_t, 64> doubled{};  // for each bit i, the number after 2 i steps
  std::uint64_t random = 1;
  for (std::uint64_t& each : doubled) {
    each = random;
    random = next_random(next_random(random));
  }
  int bit = 62;
  while (((n >> bit) & 1) == 0)
    --bit;
  random = 2;
  while (bit-- > 0) {
    std::uint64_t twice = 0;
    for (unsigned place = 0; place < 64; ++place)
      if (((random >> place) & 1) != 0) twice ^= doubled[place];
    random = ((n >> bit) & 1) != 0 ? next_random(twice) : twice;
  }
  return random;
}

}  // namespace

const PatternKind& guppie_pattern() {
  static const auto kind = loop_benchmark_kind(
      {.name = "guppie",
       .order = 20,
       .flag_help =
           "Instead: random updates of a table that has this many words on each rank (docs/inspector.md)",
       .counted = "words of each rank",
       .most = std::int64_t{1} << 32,
       .is_regular = false,
       .has_writes = true,
       .loop =
           [](std::int64_t /*words*/, std::int64_t updates, int /*ranks*/) {
             return AccessLoop{updates, 2 * updates};
           },
       // Each word is read and written, wherever it lies.
       .work = [](std::int64_t /*words*/, std::int64_t updates,
                  int /*ranks*/) { return Work{.memory_bytes = updates * 2 * word_bytes}; },
       .list =
           [](std::int64_t words, std::int64_t updates, int ranks, int rank,
              const AddressedPattern::OnAccess& visit) {
             const auto all = static_cast<std::uint64_t>(words) * static_cast<std::uint64_t>(ranks);
             std::uint64_t random = random_after(rank * std::max(words, updates));
             for (std::int64_t update = 0; update < updates; ++update) {
               random = next_random(random);
               const auto word = static_cast<std::int64_t>(random % all);
               AddressedAccess access{.rank = rank,
                                      .owner = static_cast<std::int32_t>(word / words),
                                      .address = word % words * word_bytes,
                                      .size_bytes = word_bytes,
                                      .iteration = update};
               visit(access);
               access.writes = true;
               visit(access);
             }
           }});
  return *kind;
}

}  // namespace finegrain::pattern
