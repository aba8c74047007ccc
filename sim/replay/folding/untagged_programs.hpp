// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "traces/programs.hpp"

namespace finegrain::replay {

/// Programs without the tags that decide nothing. If one rank sends to another in a communicator with the
/// tags 1, 2, 3, ..., and the other posts its receives with the same tags in the same order, each message
/// meets the same receive as if all tags were 0. So a time step whose tags count on is like the one before.
class UntaggedPrograms : public DerivedPrograms {
 public:
  /// Reads all of them. @pre they outlive this @throws InputError where a program cannot be read
  explicit UntaggedPrograms(const Programs& programs);

  /// Whether tags that change decide nothing.
  bool leaves_out_any() const { return leaves_out_any_; }
  std::unique_ptr<ProgramCursor> rank(int rank) const override;
  /// @param post  one of the rank's, with two sides
  bool needs_tag(int rank, const Post& post) const;

 private:
  /// Messages from one rank to another in a communicator: how many, and a hash of their tags in order.
  struct Tags {
    std::int64_t count = 0;
    std::size_t hash = 0;
    void add(std::int32_t tag);
    friend bool operator==(const Tags&, const Tags&) = default;
  };
  struct Pair {
    Tags sent;
    Tags received;
    std::int32_t last_tag = 0;
    bool changes = false;
  };
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  ///< sender, receiver, communicator
  static Key key_of(int rank, const Post& post);

  std::map<Key, Pair> pairs_;
  bool leaves_out_any_ = false;
};

/// The same program with no tags at all.
std::unique_ptr<ProgramCursor> without_tags(std::unique_ptr<ProgramCursor> program);

}  // namespace finegrain::replay
