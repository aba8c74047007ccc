// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& scan_family();

namespace {

class Scan : public Algorithm {
 public:
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::scan, CollectiveKind::exscan};
  }

 protected:
  static bool is_exclusive(const Call& call) { return call.kind == CollectiveKind::exscan; }
};

/// Each rank waits for the one before, and sends to the one after.
class LinearScan final : public Scan {
 public:
  std::string_view name() const override { return "linear"; }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const bool is_last = call.rank + 1 == call.ranks;
    // The ends of an exscan send or receive in place.
    const bool is_inner = call.rank > 0 && !is_last;
    if (!is_exclusive(call) || is_inner) script.copy(call.size_bytes);
    if (call.rank > 0) {
      script.receive(call.rank - 1, call.size_bytes);
      if (!is_exclusive(call) || is_inner) script.reduce(call.size_bytes);
    }
    if (!is_last) script.send(call.rank + 1, call.size_bytes);
  }
};

/// Partners at distance 1, 2, 4, ... exchange the sums of their groups; a rank adds those of lower ranks.
class RecursiveDoublingScan final : public Scan {
 public:
  std::string_view name() const override { return "recursive_doubling"; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 1 + log2_ceil(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) {
      script.copy(call.size_bytes);
      if (!is_exclusive(call)) script.copy(call.size_bytes);
      return;
    }
    const int peer = call.rank ^ (1 << (number - 1));
    if (peer >= call.ranks) return;
    script.exchange(peer, call.size_bytes, call.size_bytes);
    script.reduce(call.size_bytes);
    if (peer > call.rank) return;
    // The first sum of lower ranks that an exscan gets is its result so far.
    const bool is_first = call.rank % (1 << (number - 1)) == 0;
    if (is_exclusive(call) && is_first) return script.copy(call.size_bytes);
    script.reduce(call.size_bytes);
  }
};

}  // namespace

const Family& scan_family() {
  static const LinearScan linear;
  static const RecursiveDoublingScan recursive_doubling;
  static const Family family{{&linear, &recursive_doubling}};
  return family;
}

}  // namespace finegrain::collectives
