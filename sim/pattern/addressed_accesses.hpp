// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/pattern/parameter.hpp"
#include "sim/pattern/pattern.hpp"

namespace finegrain::pattern {

/// An access of memory, the rank's own or another's, and where it goes.
struct AddressedAccess {
  std::int32_t rank = 0;     ///< the rank that accesses
  std::int32_t owner = 0;    ///< whose memory it is
  std::int64_t address = 0;  ///< bytes from the beginning of the owner's memory
  std::int32_t size_bytes = 0;
  bool writes = false;
  std::int32_t point = 0;      ///< the next sequence point after the access, from 0
  std::int64_t iteration = 0;  ///< the iteration of the rank's loop() that makes it, if there is one
};

/// Setting "block-bytes": what policy `block` moves together.
Parameter block_bytes_parameter();
/// Sets "block-bytes" in the problem, to the given value or to 4096. @throws InputError if it is less than 1
void set_block_bytes(Problem& problem, const Settings& given);
/// @pre set_block_bytes() was called
std::int64_t block_bytes_of(const Problem& problem);
/// The number of doubles, which the equations count in; rounded up.
std::int64_t values_of(std::int64_t size_bytes);

/// A rank's accesses of its own part of a shared array, through pointers to shared.
struct OwnAccesses {
  std::int64_t reads = 0;
  std::int64_t writes = 0;

  std::int64_t all() const { return reads + writes; }
  /// Each access costs a double word, as in Zhang & Seidel 2006 (section 5), even if elements are smaller. A
  /// write may cost more than a read (write_allocate).
  Work work() const {
    return {.memory_bytes = all() * std::int64_t{sizeof(double)}, .scattered_stores = writes};
  }
};
/// What the closed form charges for one of these accesses.
model::ElementWork own_access_work();

/// A pattern that lists its accesses with their addresses. What each policy moves follows from the list.
class AddressedPattern : public Pattern {
 public:
  using OnAccess = std::function<void(const AddressedAccess&)>;
  /// Calls visit for all accesses, those of each rank in program order. Accesses of a rank's own memory may
  /// be among them; they are no messages.
  virtual void list(const Run& run, const OnAccess& visit) const = 0;
  /// Whether any rank writes to another's memory.
  virtual bool writes(const Run& run) const = 0;
  /// What the closed form charges each rank's computation for (PatternKind::element_work). Shape [ranks].
  virtual std::vector<std::int64_t> worked_elements(const Run& run) const;

  /// No counts for runs that write or have several exchanges an iteration, which the equations do not cover.
  std::vector<std::vector<RankCounts>> counts(std::span<const Run> runs,
                                              std::span<const problem::Placement> placements,
                                              int threads) const override;
  int fences() const override { return 1; }
  bool uses_private_memory() const override { return true; }
  void accesses(const Run& run, const OnAccesses& visit) const override;
  void needed_blocks(const Run& run, const OnBlocks& visit) const override;
  std::vector<StageExchange> exchanges(const Run& run, std::span<const RankCounts> counts) const override;
};

/// A pattern whose ranks also work through their own parts of a shared array.
class OwnAccessPattern : public AddressedPattern {
 public:
  virtual OwnAccesses own_accesses(const Run& run, int rank) const = 0;
  Work work(const Run& run, int rank, int /*stage*/) const override { return own_accesses(run, rank).work(); }
  std::vector<std::int64_t> worked_elements(const Run& run) const override;
};

/// A kind whose problems are told apart by a number, e.g. of rows, and whose ranks access single elements.
class NumberedKind : public PatternKind {
 public:
  /// @param setting  of the problem, which is the number. @param counted  what it counts, for errors
  NumberedKind(std::string setting, std::string counted, std::int64_t least, std::int64_t most);

  bool is_file() const override { return false; }
  bool has_accesses() const override { return true; }
  std::vector<Transfer> transfers() const override;
  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const override;
  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override;
  model::ElementWork element_work(const Problem& /*problem*/) const override { return own_access_work(); }

 private:
  virtual std::shared_ptr<const Pattern> of_number(std::int64_t number) const = 0;

  std::string setting_;
  std::string counted_;
  std::int64_t least_;
  std::int64_t most_;
};

}  // namespace finegrain::pattern
