// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/pattern/addressed_accesses.hpp"

namespace finegrain::pattern {

/// One of the benchmarks of Alvanos et al. 2016: every rank goes through one loop that refers to elements of
/// a shared array.
struct LoopBenchmark {
  std::string name;
  int order = 0;
  std::string flag_help;
  std::string counted;  ///< what the flag's number, the size, counts, e.g. "words of each rank"
  std::int64_t most = 0;
  bool is_regular = false;  ///< Pattern::is_regular()
  bool has_writes = false;
  /// @throws InputError if this many elements cannot be laid out on this many ranks
  std::function<void(std::int64_t size, int ranks)> check = [](std::int64_t, int) {};
  /// The loop of each rank. @param references  the setting of this name, usually the size
  std::function<AccessLoop(std::int64_t size, std::int64_t references, int ranks)> loop;
  std::function<Work(std::int64_t size, std::int64_t references, int ranks)> work;
  /// Calls visit for each reference in program order, those to the rank's own elements included.
  std::function<void(std::int64_t size, std::int64_t references, int ranks, int rank,
                     const AddressedPattern::OnAccess& visit)>
      list;
};

/// The pattern's entry in the registry.
std::unique_ptr<PatternKind> loop_benchmark_kind(LoopBenchmark benchmark);

}  // namespace finegrain::pattern
