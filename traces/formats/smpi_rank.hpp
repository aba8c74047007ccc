// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/rank_calls.hpp"
#include "traces/formats/smpi_line.hpp"

namespace finegrain::formats {

/// What time-independent traces did not say, each with the number of times: shared by the ranks of a trace.
using Remarks = std::map<std::string, std::int64_t, std::less<>>;

/// A collective of a rank, for the comparison with those of others.
struct SmpiCollective {
  CollectiveKind kind;
  std::int32_t root;
  std::string where;
};

/// Makes one rank's calls of its lines, one after the other.
class SmpiRank {
 public:
  SmpiRank(std::int32_t rank, std::int32_t ranks, double flops_per_s, Remarks& remarks)
      : rank_(rank), ranks_(ranks), flops_per_s_(flops_per_s), remarks_(&remarks) {}

  /// @throws InputError about the line
  void add(const SmpiLine& line);
  /// After the last line.
  RankCalls finish();
  const std::vector<SmpiCollective>& collectives() const { return collectives_; }

 private:
  friend struct SmpiActions;
  /// How SMPI names what it waits for: source, destination and tag; -1 and unknown_tag for any.
  using Key = std::array<std::int32_t, 3>;
  /// The request of a send or a receive that is not complete.
  struct Open {
    Key key;
    std::size_t operation;
    std::optional<std::size_t> tested;  ///< operation that completes it, if the last test found it complete
  };

  void remark(std::string_view what) { ++remarks_->try_emplace(std::string(what), 0).first->second; }
  /// The next call, now.
  void begin(RegionName function);
  /// Time passes.
  void pass(const SmpiLine& line, double seconds);
  std::int64_t now_ns() const;

  /// The size of an element of the datatype whose number is in an argument, if that is given.
  std::int64_t element_bytes(const SmpiLine& line, std::size_t argument);
  std::int64_t bytes(const SmpiLine& line, std::int64_t elements, std::int64_t element_bytes) const;
  std::vector<std::int64_t> bytes_of_ranks(const SmpiLine& line, std::size_t first_argument,
                                           std::int64_t element_bytes) const;
  std::int32_t rank_of(const SmpiLine& line, std::size_t argument) const;
  std::int32_t root(const SmpiLine& line, std::size_t argument) const;

  void post(const Post& post);
  void post_one_sided(const Post& post) { one_sided_.push_back(calls_.add(post)); }
  /// The oldest open request that an action may mean by its source, destination and tag; 0: none.
  std::int64_t find(const Key& key) const;
  void close(std::int64_t request);
  void complete(std::int64_t request);
  void test(std::int64_t request);
  void complete_all();
  void complete_any();
  bool complete_collective();
  void complete_one_sided();
  void add_collective(const SmpiLine& line, Collective collective,
                      const std::vector<std::int64_t>& sizes = {});

  std::int32_t rank_;
  std::int32_t ranks_;
  double flops_per_s_;
  Remarks* remarks_;
  RankCalls calls_;
  std::map<std::string_view, RegionName> function_names_;  ///< by their actions
  std::vector<SmpiCollective> collectives_;
  std::int64_t default_element_bytes_ = 1;
  double now_s_ = 0;

  std::map<std::int64_t, Open> open_;  ///< by the numbers of the requests
  std::map<Key, std::deque<std::int64_t>> requests_of_;
  std::deque<std::int64_t> open_collectives_;  ///< requests
  std::vector<std::int64_t> one_sided_;        ///< requests
  std::vector<std::size_t> failed_tests_;      ///< operations that complete what was not complete yet
};

}  // namespace finegrain::formats
