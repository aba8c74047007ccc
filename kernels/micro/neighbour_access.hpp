// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kernels/run/session.hpp"

namespace finegrain::micro {

/// What MuPC's two synthetic microbenchmarks share: single elements of one other rank's memory are read and
/// written, one after the other and in random order. They differ in which rank accesses which.
struct AccessOptions {
  std::int64_t elements = 1 << 14;
  std::int64_t accesses = 1 << 14;
  int repetitions = 5;
};

/// @throws KernelExit as parse_options() does
AccessOptions parse_access_options(const kernels::Session& session, const std::string& description, int argc,
                                   char** argv);

struct AccessResult {
  nlohmann::ordered_json patterns;  ///< seconds of an access and bytes per second, by pattern
  int wrong_ranks = 0;              ///< ranks that read wrong values, or found some in their memory
};

/// Collective. Times the four patterns, on the slowest rank, and checks every value. A read is waited for
/// before the next one, as MuPC's gets are; writes are under way together and waited for at the end, as its
/// puts are.
/// @param target_of  the rank that each rank accesses; none if it only takes part in the waiting. No two
///        ranks access the same one.
AccessResult measure_accesses(const kernels::Session& session, const AccessOptions& options,
                              const std::function<std::optional<int>(int rank)>& target_of);

/// Prints the result on rank 0 as JSON, with what ran where. @returns the exit code
int report_accesses(const kernels::Session& session, const char* program, const char* what,
                    const AccessOptions& options, const AccessResult& result);

}  // namespace finegrain::micro
