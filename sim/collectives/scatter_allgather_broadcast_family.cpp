// SPDX-License-Identifier: MIT
#include <limits>

#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& scatter_allgather_broadcast_family();

namespace {

/// The vector in pieces, one a rank, counted from the root on; the last ones can be shorter or empty.
/// Source: R. van de Geijn; M. Barnett et al., "Building a high-performance collective communication
/// library", Supercomputing 1994.
class Pieces {
 public:
  /// @param unit_bytes  pieces are whole multiples of it
  Pieces(const Call& call, std::int64_t unit_bytes, bool is_planned = false)
      : is_planned_(is_planned),
        bytes_(call.size_bytes),
        piece_((call.size_bytes / unit_bytes + call.ranks - 1) / call.ranks * unit_bytes) {}

  /// Bytes of `count` pieces from one on.
  std::int64_t from(int first, int count = 1) const {
    return std::clamp<std::int64_t>(bytes_ - first * piece_, 0, count * piece_);
  }

  /// Bytes that go down the tree to the subtree of one rank, which has `bit` ranks: its pieces. MPICH plans a
  /// broadcast that does not block before it knows how much a rank gets. It takes that for all pieces from
  /// there on, and the first message that the rank passes on is longer than it need be.
  std::int64_t scattered(int child, int bit) const {
    const int parent = child - bit;
    const bool is_first = parent != 0 && (parent & -parent) == 2 * bit;
    return is_planned_ && is_first ? from(child, std::numeric_limits<int>::max()) : from(child, bit);
  }

 private:
  bool is_planned_;
  std::int64_t bytes_;
  std::int64_t piece_;
};

/// Down a binomial tree: each rank gets the pieces of its subtree. Empty ones are not sent.
void scatter(const Call& call, const Pieces& pieces, Script& script) {
  const int number = from_root(call, call.rank);
  int bit = 1;
  for (; bit < call.ranks; bit *= 2) {
    if ((number & bit) == 0) continue;
    if (const std::int64_t bytes = pieces.scattered(number, bit); bytes > 0)
      script.receive(to_rank(call, number - bit), bytes);
    break;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    const int child = number + bit;
    const std::int64_t bytes = child < call.ranks ? pieces.scattered(child, bit) : 0;
    if (bytes > 0) script.send(to_rank(call, child), bytes);
  }
}

/// Which pieces there are: Open MPI cuts between elements, MPICH between bytes.
enum class Cut { elements, bytes };

class ScatterAllgather : public Algorithm {
 public:
  ScatterAllgather(std::string_view name, Cut cut) : name_(name), cut_(cut) {}
  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::broadcast}; }

  /// Open MPI wants an element for each rank.
  Choice effective(const Call& call, Choice choice) const override {
    if (cut_ == Cut::elements && elements(call) < call.ranks)
      choice.algorithm = &algorithm(CollectiveKind::broadcast, "linear");
    return choice;
  }

 protected:
  Pieces pieces_of(const Call& call) const {
    if (cut_ == Cut::bytes) return {call, 1, !call.blocking};
    return {call, std::max<std::int64_t>(call.element_bytes, 1)};
  }

 private:
  std::string_view name_;
  Cut cut_;
};

class ByRecursiveDoubling final : public ScatterAllgather {
 public:
  using ScatterAllgather::ScatterAllgather;

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 1 + log2_ceil(call.ranks);
  }

  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Pieces pieces = pieces_of(call);
    if (number == 0) return scatter(call, pieces, script);
    double_group(1 << (number - 1), call, pieces, script);
  }

 private:
  /// Groups of `width` ranks exchange what they have with the group beside them.
  static void double_group(int width, const Call& call, const Pieces& pieces, Script& script) {
    const int own = from_root(call, call.rank);
    const int other = own ^ width;
    const int own_group = own / width * width;
    const int other_group = other / width * width;
    const std::int64_t received = pieces.from(other_group, width);
    if (other < call.ranks) {
      script.exchange(to_rank(call, other), pieces.from(own_group, width), received);
    }
    // Where the other group is not full, its pieces are passed on to those who have no partner there.
    if (other_group + width <= call.ranks) return;
    const int served = call.ranks - own_group - width;
    for (int half = width / 2; half > 0; half /= 2) {
      const int peer = own ^ half;
      const int first_unserved = own / (2 * half) * (2 * half) + served;
      if (peer > own && own < first_unserved && peer >= first_unserved) {
        script.send(to_rank(call, peer), received);
      } else if (peer < own && peer < first_unserved && own >= first_unserved) {
        script.receive(to_rank(call, peer), received);
      }
    }
  }
};

class ByRing final : public ScatterAllgather {
 public:
  using ScatterAllgather::ScatterAllgather;

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }

  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Pieces pieces = pieces_of(call);
    if (number == 0) return scatter(call, pieces, script);
    const int own = from_root(call, call.rank);
    const auto step = static_cast<int>(number);
    const int sent = (own - step + 1 + call.ranks) % call.ranks;
    const int received = (own - step + call.ranks) % call.ranks;
    script.exchange(neighbor(call, 1), pieces.from(sent), neighbor(call, -1), pieces.from(received));
  }
};

}  // namespace

const Family& scatter_allgather_broadcast_family() {
  static const ByRecursiveDoubling recursive_doubling("scatter_allgather", Cut::elements);
  static const ByRing ring("scatter_allgather_ring", Cut::elements);
  static const ByRecursiveDoubling mpich_recursive_doubling("mpich_scatter_allgather", Cut::bytes);
  static const ByRing mpich_ring("mpich_scatter_allgather_ring", Cut::bytes);
  static const Family family{{&recursive_doubling, &ring, &mpich_recursive_doubling, &mpich_ring}};
  return family;
}

}  // namespace finegrain::collectives
