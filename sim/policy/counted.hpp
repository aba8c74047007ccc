// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/formula.hpp"
#include "sim/model/hardware.hpp"
#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/run.hpp"

namespace finegrain::policy {

/// The sum of the given members over all ranks.
template <class... Members>
std::int64_t total(std::span<const pattern::RankCounts> ranks, Members... members) {
  std::int64_t sum = 0;
  for (const pattern::RankCounts& rank : ranks)
    sum += ((rank.*members) + ...);
  return sum;
}

/// Bytes that each rank holds, computed from its counts. Shape [ranks]
template <class BytesOf>
pattern::MemoryUse memory_use(std::string what, std::span<const pattern::RankCounts> counts,
                              const BytesOf& bytes_of) {
  pattern::MemoryUse use{std::move(what), {}};
  for (const pattern::RankCounts& rank : counts)
    use.ranks_bytes.push_back(bytes_of(rank));
  return use;
}

/// All n elements on every rank, as in Listings 4 and 5.
inline pattern::MemoryUse copy_of_x(const Run& run) {
  std::int64_t all = 0;
  for (const std::int64_t elements : pattern::pattern_kind(run).elements_of_ranks(run))
    all += elements;
  return {"copy of x",
          std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks), all * pattern::double_bytes)};
}

/// The counts of all ranks, and how the equations read a block.
class Counted {
 public:
  Counted(const Run& run, std::span<const pattern::RankCounts> ranks, model::ClosedForm form)
      : work_(pattern::pattern_kind(run).element_work(run.problem)),
        ranks_(ranks),
        full_blocks_(form == model::ClosedForm::as_printed) {}

  /// The symbol of a number of elements, which the equations write as `blocks` times BLOCKSIZE.
  std::string symbol(const std::string& blocks) const {
    return full_blocks_ ? blocks + " BLOCKSIZE" : "elements of " + blocks;
  }
  /// The sum of the given members for each rank. Shape [ranks].
  template <class... Members>
  std::vector<double> sum(Members... members) const {
    return model::counts_of(ranks_, [&](const pattern::RankCounts& rank) { return ((rank.*members) + ...); });
  }
  /// The elements in the blocks of each rank: `blocks` times BLOCKSIZE if as_printed, else `values`.
  std::vector<double> elements(std::int64_t pattern::RankCounts::*blocks,
                               std::int64_t pattern::RankCounts::*values) const {
    std::vector<double> counts = sum(full_blocks_ ? blocks : values);
    if (full_blocks_)
      for (double& count : counts)
        count *= static_cast<double>(work_.block_elements);
    return counts;
  }
  /// Eq. (7).
  model::FormulaTerm compute(std::size_t phase, model::Gathering gathering) const {
    return {.part = "compute",
            .equation = "(7)",
            .symbol = symbol("B_comp"),
            .counted = work_.counted,
            .each = work_.text,
            .bytes_each = work_.bytes,
            .gathering = gathering,
            .phase = phase,
            .counts = elements(&pattern::RankCounts::blocks, &pattern::RankCounts::rows)};
  }
  /// Eq. (14).
  model::FormulaTerm copy(std::size_t phase) const {
    return {.part = "copy",
            .equation = "(14)",
            .symbol = symbol("B_comp"),
            .counted = "own elements of x copied",
            .each = "2 sizeof(double)",
            .bytes_each = 2 * model::sizeof_double,
            .phase = phase,
            .counts = elements(&pattern::RankCounts::blocks, &pattern::RankCounts::rows)};
  }
  /// Eq. (15). @param values  that each rank gets
  static model::FormulaTerm unpack(std::size_t phase, std::vector<double> values) {
    return {.part = "unpack",
            .equation = "(15)",
            .symbol = "(S_local,in + S_remote,in)",
            .counted = "values unpacked",
            .each = "(sizeof(double) + sizeof(int) + sizeof(cache line))",
            .bytes_each = model::sizeof_double + model::sizeof_int,
            .cache_lines_each = 1,
            .phase = phase,
            .counts = std::move(values)};
  }
  /// The share of an overlapped program's rows that it multiplies before it waits: the interior ones.
  std::vector<double> interior(std::vector<double> rows) const {
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      const pattern::RankCounts& of_rank = ranks_[rank];
      if (of_rank.rows > 0)
        rows[rank] *= static_cast<double>(of_rank.interior_rows) / static_cast<double>(of_rank.rows);
    }
    return rows;
  }

 private:
  model::ElementWork work_;
  std::span<const pattern::RankCounts> ranks_;
  bool full_blocks_;
};

}  // namespace finegrain::policy
