// SPDX-License-Identifier: MIT
#include "sim/collectives/script.hpp"
#include "sim/collectives/segments.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& split_binary_broadcast_family();

namespace {

/// The vector's halves go down the two subtrees of a binary tree; then ranks of one exchange their half with
/// a neighbour of the other.
class SplitBinaryBroadcast : public Algorithm {
 public:
  std::string_view name() const override { return "split_binary"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::broadcast}; }

  /// A half that is smaller than a segment is not worth it.
  Choice effective(const Call& call, Choice choice) const override {
    const Halves halves(call, choice);
    const std::int64_t smallest = halves.second_elements * call.element_bytes;
    if (smallest > 0 && segment_bytes(call, choice) <= smallest) return choice;
    choice.algorithm = &algorithm(CollectiveKind::broadcast, "chain");
    choice.fan = 1;
    return choice;
  }

  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return Halves(call, choice).first.count() + 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    const Halves halves(call, choice);
    Script script(call.rank, out);
    if (number < halves.first.count()) {
      pass_down(number, call, halves, script);
    } else {
      exchange_halves(call, halves, script);
    }
  }

 private:
  struct Halves {
    Halves(const Call& call, const Choice& choice)
        : second_elements(elements(call) / 2),
          first(elements(call) - second_elements, call.element_bytes, cut(call, choice)),
          second(second_elements, call.element_bytes, cut(call, choice)),
          first_bytes((elements(call) - second_elements) * call.element_bytes),
          second_bytes(second_elements * call.element_bytes) {}
    /// Here segments are rounded down to whole elements.
    static std::int64_t cut(const Call& call, const Choice& choice) {
      const std::int64_t bytes = segment_bytes(call, choice);
      return call.element_bytes > 0 ? bytes / call.element_bytes * call.element_bytes : 0;
    }
    const Segments& of(int half) const { return half == 0 ? first : second; }
    std::int64_t bytes(int half) const { return half == 0 ? first_bytes : second_bytes; }

    std::int64_t second_elements;
    Segments first, second;
    std::int64_t first_bytes, second_bytes;
  };

  static std::int64_t segment_bytes(const Call& call, const Choice& choice) {
    return choice.segment_bytes > 0 ? std::max(choice.segment_bytes, call.element_bytes) : 0;
  }
  static int half_of(const Call& call) { return (from_root(call, call.rank) + 1) % 2; }

  static void pass_down(std::int64_t number, const Call& call, const Halves& halves, Script& script) {
    const Tree tree = binary_tree(call);
    if (tree.parent < 0) {
      for (int half = 0; half < static_cast<int>(tree.children.size()); ++half)
        if (number < halves.of(half).count())
          script.send(tree.children[static_cast<std::size_t>(half)], halves.of(half)[number]);
      return;
    }
    const Segments& segments = halves.of(half_of(call));
    if (number >= segments.count()) return;
    if (tree.children.empty()) return script.receive(tree.parent, segments[number]);
    if (number == 0) script.start_receive(tree.parent, segments[0]);
    const bool is_last = number + 1 == segments.count();
    if (!is_last) script.start_receive(tree.parent, segments[number + 1]);
    script.complete_from(is_last ? 1 : 2);
    for (const int child : tree.children)
      script.send(child, segments[number]);
  }

  static void exchange_halves(const Call& call, const Halves& halves, Script& script) {
    const int half = half_of(call);
    const int last = to_rank(call, call.ranks - 1);
    const bool even = call.ranks % 2 == 0;
    if (even && call.rank == call.root) return script.send(last, halves.second_bytes);
    if (even && call.rank == last) return script.receive(call.root, halves.second_bytes);
    if (call.rank == call.root) return;
    script.exchange(neighbor(call, half == 0 ? 1 : -1), halves.bytes(half), halves.bytes(1 - half));
  }
};

}  // namespace

const Family& split_binary_broadcast_family() {
  static const SplitBinaryBroadcast split_binary;
  static const Family family{{&split_binary}};
  return family;
}

}  // namespace finegrain::collectives
