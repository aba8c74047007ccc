// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"
#include "sim/collectives/segments.hpp"

namespace finegrain::collectives {

const Family& ring_allreduce_family();

namespace {

/// A vector's blocks, one a rank, travel around the ring and are combined on their way; then the results
/// travel around it.
/// Source: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
/// JPDC 69(2), 2009; as Open MPI does it (coll/base, allreduce_intra_ring).
class RingAllreduce : public Algorithm {
 public:
  std::string_view name() const override { return "ring"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }

  /// Each rank needs an element.
  Choice effective(const Call& call, Choice choice) const override {
    if (elements(call) < call.ranks)
      choice.algorithm = &algorithm(CollectiveKind::allreduce, "recursive_doubling");
    return choice;
  }

  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return phases(call, choice) * call.ranks + call.ranks - 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t phase_count = phases(call, choice);
    if (number == 0) script.copy(call.size_bytes);
    if (const std::int64_t phase = number / call.ranks; phase < phase_count) {
      scatter(static_cast<int>(number % call.ranks), call, Cut{call, phase, phase_count}, script);
    } else {
      const Cut whole{call, 0, 1};
      const std::int64_t step = number - phase_count * call.ranks;
      script.exchange(neighbor(call, 1), whole.block(neighbor(call, 1 - step)), neighbor(call, -1),
                      whole.block(neighbor(call, -step)));
    }
  }

 protected:
  /// Into how many parts each block is cut, which travel one after the other.
  virtual std::int64_t phases(const Call& /*call*/, const Choice& /*choice*/) const { return 1; }

 private:
  /// One part of each block.
  struct Cut {
    const Call& call;
    std::int64_t phase;
    std::int64_t phases;

    /// Bytes of a rank's block.
    std::int64_t block(int rank) const {
      const std::int64_t all = EvenBlocks(elements(call), call.ranks)[rank];
      return EvenBlocks(all, static_cast<int>(phases))[static_cast<int>(phase)] * call.element_bytes;
    }
  };

  static void scatter(int step, const Call& call, const Cut& cut, Script& script) {
    const int left = neighbor(call, -1);
    const int right = neighbor(call, 1);
    if (step + 1 < call.ranks) script.start_receive(left, cut.block(neighbor(call, -step - 1)));
    if (step > 0) {
      script.complete_from(step + 1 < call.ranks ? 2 : 1);
      script.reduce(cut.block(neighbor(call, -step)));
    }
    if (step + 1 < call.ranks) script.send(right, cut.block(neighbor(call, -step)));
  }
};

/// The same of Open MPI's coll/libnbc: it begins with the block of the next rank, and also sends empty
/// blocks.
class LibnbcRingAllreduce final : public Algorithm {
 public:
  std::string_view name() const override { return "libnbc_ring"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 * (call.ranks - 1);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const EvenBlocks blocks(elements(call), call.ranks);
    const std::int64_t sent = blocks[neighbor(call, 1 - number)] * call.element_bytes;
    const std::int64_t received = blocks[neighbor(call, -number)] * call.element_bytes;
    script.exchange(neighbor(call, 1), sent, neighbor(call, -1), received);
    if (number + 1 < call.ranks) script.reduce(received);
  }
};

class SegmentedRingAllreduce final : public RingAllreduce {
 public:
  std::string_view name() const override { return "segmented_ring"; }

  /// Where a rank's block is not larger than a segment, it is not cut.
  Choice effective(const Call& call, Choice choice) const override {
    const std::int64_t per_segment = Segments(call, choice.segment_bytes).elements_per_segment();
    if (elements(call) >= call.ranks * per_segment) return choice;
    choice.algorithm = &algorithm(CollectiveKind::allreduce, "ring");
    return choice.algorithm->effective(call, choice);
  }

 protected:
  std::int64_t phases(const Call& call, const Choice& choice) const override {
    const std::int64_t of_a_phase = call.ranks * Segments(call, choice.segment_bytes).elements_per_segment();
    const std::int64_t rest = elements(call) % of_a_phase;
    const bool is_worth_one = rest >= call.ranks && rest > of_a_phase / 2;
    return elements(call) / of_a_phase + (is_worth_one ? 1 : 0);
  }
};

}  // namespace

const Family& ring_allreduce_family() {
  static const RingAllreduce ring;
  static const SegmentedRingAllreduce segmented;
  static const LibnbcRingAllreduce libnbc_ring;
  static const Family family{{&ring, &segmented, &libnbc_ring}};
  return family;
}

}  // namespace finegrain::collectives
