// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/formula.hpp"
#include "sim/model/partitions.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/pattern/parameter.hpp"
#include "traces/operation.hpp"
#include "traces/run.hpp"

namespace finegrain::pattern {

/// One access of another rank's memory.
struct Access {
  std::int32_t owner;
  std::int32_t size_bytes;
  bool writes = false;
  std::int64_t address = 0;    ///< bytes from the beginning of the owner's memory
  std::int64_t iteration = 0;  ///< the one of the rank's loop() in the stage that makes it, from 0 on
};

/// The loop that makes a rank's accesses in one stage.
struct AccessLoop {
  std::int64_t iterations = 0;
  std::int64_t references = 0;  ///< to shared elements in all iterations, the rank's own included
};

/// Consecutive elements with one owner, of which a rank accesses at least one.
struct NeededBlock {
  std::int32_t owner;
  std::int64_t size_bytes;
  bool is_written = false;  ///< otherwise it is only read
};

/// Bytes that go to or come from one other rank.
struct PeerBytes {
  std::int32_t peer;
  std::int64_t size_bytes;
  /// For patterns with accesses: the bytes from another node, as counted for the receiver's node (a node is
  /// run.ranks_per_node consecutive ranks). Bytes that several ranks of the node need count for only one of
  /// them.
  std::int64_t node_bytes = 0;
};

/// What one rank exchanges with others if each element goes once, and the work that follows.
struct RankExchange {
  std::vector<PeerBytes> in;   ///< in the order in which they are asked for
  std::vector<PeerBytes> out;  ///< in the order in which they are sent
  Work pack = {};
  Work unpack = {};
  std::optional<Work> copy = {};    ///< copying its own elements to where others' arrive; none: not needed
  std::optional<Work> work = {};    ///< on all its elements; none: it comes after a later exchange
  Work interior_work = {};          ///< the part of `work` on elements that need no other rank's
  std::optional<Work> update = {};  ///< what follows the work, if anything
};

/// One exchange among all ranks, and the work that follows it.
struct StageExchange {
  bool writes = false;  ///< ranks send what they wrote to the owners; otherwise owners send what is read
  std::vector<RankExchange> ranks;  ///< shape [ranks]
};

/// What one rank does up to a collective operation, and after it.
struct CollectiveStage {
  Work before = {};
  Work pack = {};
  Collective operation;
  std::vector<std::int64_t> sizes = {};  ///< as Collective::first_size says
  Work unpack = {};
  Work after = {};
};

/// What a recorded UPC++ program may hold in shared memory.
struct SharedElements {
  std::int64_t most_of_a_rank = 0;
  std::int64_t all = 0;
  std::int64_t work_bytes = 0;   ///< read to compute one element, besides other elements
  std::int64_t array_bytes = 0;  ///< a rank's arrays that are shared under every policy
};

/// Bytes of memory that each rank holds for one purpose.
struct MemoryUse {
  std::string what;                       ///< e.g. "copy of x"
  std::vector<std::int64_t> ranks_bytes;  ///< shape [ranks]
};

/// A problem of an access pattern, opened: who owns which element, and what each rank accesses.
class Pattern {
 public:
  virtual ~Pattern() = default;

  /// For titles, e.g. "heart.fgm (left ventricle, ...)".
  virtual std::string title() const = 0;
  /// For tables, e.g. "heart.fgm".
  virtual std::string name() const = 0;
  /// How the problem was made, e.g. "left ventricle, 1000000 tetrahedra, order sbd"; empty: not known.
  virtual std::string description() const { return {}; }
  /// A hexadecimal digest of the input that decides the accesses; empty if the settings alone decide them.
  virtual std::string digest() const { return {}; }

  /// What every answer about the problem should say, as sentences.
  virtual std::vector<std::string> notes() const { return {}; }

  /// How many ranks the given settings ask for; none: any number.
  virtual std::optional<int> ranks(const Settings& /*given*/) const { return std::nullopt; }
  /// The problem on this many ranks. A setting that is not given has the parameter's default.
  /// @throws InputError if it cannot be laid out on them
  virtual Problem problem(int ranks, const Settings& given) const = 0;

  /// The paper's counts of runs of this pattern, shape [runs][ranks]; or shape [runs][0], if the closed form
  /// and the schedule do not need them.
  /// @param placements  where each run's ranks are
  /// @param threads  how many do the counting
  virtual std::vector<std::vector<RankCounts>> counts(std::span<const Run> runs,
                                                      std::span<const problem::Placement> /*placements*/,
                                                      int /*threads*/) const {
    return std::vector<std::vector<RankCounts>>(runs.size());
  }

  /// How many parts an iteration has. A sequence point separates one part from the next.
  virtual int stages(const Run& /*run*/) const { return 1; }
  /// The work of one rank in one stage, without its accesses of other ranks' memory.
  virtual Work work(const Run& run, int rank, int stage) const = 0;
  /// The number of barriers between two stages of one-sided accesses.
  virtual int fences() const = 0;
  /// Whether one-sided transfers use memory of the initiator that is not registered with the network.
  virtual bool uses_private_memory() const = 0;

  /// Bytes of a rank's memory that others may access; none: not known.
  virtual std::optional<std::int64_t> owned_bytes(const Run& /*run*/, int /*rank*/) const {
    return std::nullopt;
  }

  using OnAccesses = std::function<void(int rank, int stage, std::span<const Access>)>;
  /// Calls visit for the accesses of other ranks' memory, a few at a time; those of a rank come in program
  /// order.
  /// @pre the kind has_accesses()
  virtual void accesses(const Run& run, const OnAccesses& visit) const;
  /// The loop that makes the accesses. None: each access of other ranks' memory is an iteration, and accesses
  /// of the rank's own memory are not known.
  virtual std::optional<AccessLoop> loop(const Run& /*run*/, int /*rank*/, int /*stage*/) const {
    return std::nullopt;
  }
  /// Whether each access's place follows from its iteration, as b + a x, and not from data.
  virtual bool is_regular() const { return false; }
  using OnBlocks = std::function<void(int rank, int stage, std::span<const NeededBlock>)>;
  /// The blocks that each rank needs, its own included, in ascending order. Stages come one after the other,
  /// and ranks in ascending order.
  /// @pre the kind has_accesses()
  virtual void needed_blocks(const Run& run, const OnBlocks& visit) const;
  /// For patterns whose ranks exchange data by collective operations, instead of exchanges(): the stages in
  /// program order, with the same operations on all ranks. Shape [ranks][stages(run)]; empty for other
  /// patterns.
  virtual std::vector<std::vector<CollectiveStage>> collective_stages(const Run& /*run*/) const { return {}; }
  /// The exchanges of an iteration, in program order. @param counts  counts() of the run; empty: they are
  /// counted anew
  virtual std::vector<StageExchange> exchanges(const Run& run, std::span<const RankCounts> counts) const = 0;
};

/// An entry of the registry of access patterns.
class PatternKind {
 public:
  virtual ~PatternKind() = default;

  virtual std::string name() const = 0;
  /// Its place in the order of the registry.
  virtual int order() const = 0;
  /// The flag and study axis that says which problem, e.g. "matrix", and its help.
  virtual std::string flag() const = 0;
  virtual std::string flag_help() const = 0;
  /// The kernels' flag for the same, which `finegrain record` takes too; empty: there is no kernel to record.
  virtual std::string kernel_flag() const { return {}; }
  virtual std::string kernel_flag_help() const { return {}; }
  /// What the help of `finegrain record` says about the kernels: a line, and examples.
  virtual std::string kernel_help() const { return {}; }
  virtual std::string kernel_examples() const { return {}; }
  /// Whether the flag names a file.
  virtual bool is_file() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;

  /// Whether ranks access single elements of others. Otherwise the only sensible policy is one message for
  /// each pair of ranks.
  virtual bool has_accesses() const = 0;
  /// Whether ranks may write to others' elements.
  virtual bool has_writes() const { return false; }
  /// Whether a rank has work that does not need the data of its exchanges and can be done during them.
  virtual bool overlaps() const { return true; }
  /// Who may move the bytes if each pair of ranks has one message an iteration.
  virtual std::vector<Transfer> transfers() const = 0;

  /// @param text  the flag's. @param place  for errors, e.g. "--heat"
  /// @throws InputError
  virtual std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const = 0;
  /// The problem of a recorded run. @param text  the flag's; empty: not given
  /// @returns null if the flag is needed and not given. @throws InputError if the text does not fit the run
  virtual std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                                       const std::string& trace) const = 0;

  /// For the user, e.g. "heart.fgm: 1000000 rows, r_nz 16, BLOCKSIZE 1024, J 0123456789abcdef".
  virtual std::string describe(const Problem& problem) const = 0;
  /// What distinguishes runs of a table besides their ranks, e.g. "B 1024".
  virtual std::string case_of(const Problem& problem) const = 0;
  /// Elements that each rank computes, shape [ranks].
  virtual std::vector<std::int64_t> elements_of_ranks(const Run& run) const = 0;
  /// The memory of a rank's own elements and what belongs to them; empty: not known.
  virtual std::vector<MemoryUse> arrays(const Run& /*run*/) const { return {}; }
  /// What the closed form charges for an element's computation.
  virtual model::ElementWork element_work(const Problem& problem) const = 0;
  /// The reference partitions of the rank with most accesses (Zhang & Seidel 2006); none: the pattern has
  /// none.
  /// @param unit_stride  how the platform treats remote references of unit stride
  virtual std::vector<model::Partition> partitions(const Run& /*run*/,
                                                   model::ReferencePattern /*unit_stride*/) const {
    return {};
  }
  /// What the elements of one rank, at most, and of all ranks need in the shared memory of a recorded UPC++
  /// program. @pre kernel_flag() is not empty
  virtual SharedElements shared_elements(const Run& run) const;
  /// Whether the pattern has equations of its own, which replace the policy's.
  virtual bool has_own_formula() const { return false; }
  /// @pre has_own_formula()
  virtual model::Formula own_formula(const Run& run, model::ClosedForm form,
                                     const problem::Placement& placement) const;
  /// The equations of one rank that only exchanges with `peer` what these two exchange.
  /// @pre has_own_formula()
  virtual model::Formula own_formula_between(const Run& run, model::ClosedForm form,
                                             const problem::Placement& placement, int rank, int peer) const;
};

/// For kinds whose recordings already say what they ran on. @throws InputError if a text is given too
void refuse_text(const PatternKind& kind, const std::string& text, const std::string& trace);

/// All kinds, in order.
const std::vector<const PatternKind*>& pattern_kinds();
/// The parameters of all kinds, each name once.
std::vector<Parameter> pattern_parameters();
/// @throws InputError if there is none of that name; the error names those that exist
const PatternKind& pattern_kind(const std::string& name);
/// The kind of pattern whose problems the flag names; null if there is none.
const PatternKind* pattern_of_flag(const std::string& flag);
/// The pattern of a run. @throws InputError if there is none of that name
const PatternKind& pattern_kind(const Run& run);

}  // namespace finegrain::pattern
