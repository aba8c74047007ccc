// SPDX-License-Identifier: MIT
#include "traces/scaling/program_tree.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

/// One recording of ranks whose calls are letters: each is made from a place of its own.
class RanksOfCalls {
 public:
  explicit RanksOfCalls(const std::vector<std::string>& ranks) {
    Recording recording{"file", {}};
    for (const std::string& calls : ranks) {
      RecordedRank& rank = recording.ranks.emplace_back();
      for (const char call : calls)
        rank.calls.push_back({.site = sites_.number_of(RegionName(std::string(1, call)))});
    }
    recordings_.push_back(std::move(recording));
  }

  /// The program's calls, with its loops in brackets.
  std::string program(Nesting nesting = Nesting::all) const {
    const ProgramTree tree(recordings_, sites_, nesting);
    std::string text;
    for (const int child : tree.node(0).children)
      text += described(tree, child);
    return text;
  }
  ProgramTree tree() const { return {recordings_, sites_, Nesting::all}; }

 private:
  std::string described(const ProgramTree& tree, int number) const {
    const ProgramNode& node = tree.node(number);
    if (!node.is_loop()) return sites_.name(node.site);
    std::string text = "(";
    for (const int child : node.children)
      text += described(tree, child);
    return text + ")";
  }

  Sites sites_;
  std::vector<Recording> recordings_;
};

}  // namespace

TEST_CASE("ranks of a pipeline leave out a call each, and have one loop") {
  // R: receive, S: send.
  CHECK(RanksOfCalls({"ISSSE", "IRSRSRSE", "IRRRE"}).program() == "I(RS)E");
}

TEST_CASE("loops in a loop, and loops after each other") {
  CHECK(RanksOfCalls({"IABBABBE"}).program() == "I(A(B))E");
  CHECK(RanksOfCalls({"IAABBE"}).program() == "I(A)(B)E");
  CHECK(RanksOfCalls({"IABABCABABCE"}).program() == "I((AB)C)E");
}

TEST_CASE("a call that a rank makes in some steps only may be that of a loop around the others, or not") {
  const RanksOfCalls recorded({"IABBABBE"});
  // Two steps of A B and B, which repeat.
  CHECK(recorded.program(Nesting::ends_apart) == "I((AB))E");
}

TEST_CASE("an execution of a loop for each rank, with as many steps as it has") {
  const ProgramTree tree = RanksOfCalls({"IAAE", "IAAAE", "IE"}).tree();
  const ProgramNode& loop = tree.node(tree.node(0).children[1]);
  REQUIRE(loop.is_loop());
  CHECK(loop.count == std::vector<std::int32_t>{2, 3, 0});
  CHECK(loop.is_uniform);
}

TEST_CASE("a rank that does nothing else in the outer loop has its steps as the others") {
  // Two time steps: the first rank also calls C in each.
  const ProgramTree tree = RanksOfCalls({"IAACAACE", "IAAAAE"}).tree();
  const ProgramNode& outer = tree.node(tree.node(0).children[1]);
  CHECK(outer.count == std::vector<std::int32_t>{2, 2});
  const ProgramNode& inner = tree.node(outer.children[0]);
  CHECK(inner.count == std::vector<std::int32_t>{2, 2, 2, 2});
}
