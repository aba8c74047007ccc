// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/formula.hpp"

namespace finegrain::model {

// Zhang & Seidel 2006: what a program's fine-grained accesses cost, from the rates of four microbenchmarks.

/// How references go through shared memory (section 3.2).
enum class ReferencePattern : std::uint8_t { baseline, vector, coalesce, local };
inline constexpr std::size_t reference_patterns = 4;

std::string_view to_string(ReferencePattern pattern);

/// Double words a second.
struct AccessRates {
  double read = 0;
  double write = 0;
};

/// S_baseline, S_vector, S_coalesce and S_local, and r(N, pattern) of eq. (1), which does not depend on N
/// here.
struct ReferenceRates {
  std::array<AccessRates, reference_patterns> of_patterns = {};

  AccessRates& operator[](ReferencePattern pattern) { return of_patterns[static_cast<std::size_t>(pattern)]; }
  double rate(ReferencePattern pattern, bool writes) const {
    const AccessRates& rates = of_patterns[static_cast<std::size_t>(pattern)];
    return writes ? rates.write : rates.read;
  }
};

/// References to one shared object that all cost the same, of the thread that has most of them (section 3.4).
struct Partition {
  std::string references;  ///< e.g. "B[k][j]"
  bool writes = false;
  std::int64_t local = 0;  ///< references to the thread's own part
  std::int64_t remote = 0;
  ReferencePattern remote_pattern = ReferencePattern::baseline;
};

/// N_j / r(N_j, pattern) of one partition.
double communication_s(const Partition& partition, const ReferenceRates& rates);
/// T_comm of an interval, eq. (1).
double communication_s(std::span<const Partition> partitions, const ReferenceRates& rates);

/// Eq. (2): how much slower shared accesses are than private ones. as_printed is upside down: the text's
/// "smaller gaps mean that the shared memory access speed is relatively faster" and its example need
/// S_private / S, as as_published has it.
double gap(double shared_rate, double private_rate, ClosedForm form);
/// Eq. (3), by partitions: N_s / (N_c + sum of N_j G_j).
/// @param sequential  N_s: memory accesses of the sequential program
/// @param private_accesses  N_c: a thread's accesses of private memory
double speedup(double sequential, double private_accesses, std::span<const Partition> partitions,
               const ReferenceRates& rates, double private_rate, ClosedForm form);

/// The platforms of Table 1.
inline constexpr std::array<std::string_view, 4> published_rate_platforms{"mupc_nocache", "mupc_cache",
                                                                          "bupc", "gccupc"};
/// Table 1: the rates measured with this many threads. Empty unless they are 2 or 12: no others are printed.
/// @throws InputError if there is no such platform
std::optional<ReferenceRates> published_rates(std::string_view platform, int threads);
/// The pattern that section 5 assumes for remote references of unit stride on a platform: vector with MuPC's
/// cache, coalesce for Berkeley UPC, and baseline for the others.
ReferencePattern unit_stride_pattern(std::string_view platform);

}  // namespace finegrain::model
