// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "traces/changes/merged_messages.hpp"
#include "traces/programs.hpp"
#include "traces/share_read.hpp"

namespace finegrain::changes {

/// A rank of programs whose messages are merged, as it is read.
/// Completes name requests by how many were posted since, so each of them is worked out anew.
class MergingCursor : public ProgramCursor, public KnowsShareRead {
 public:
  /// @pre the channels outlive it
  MergingCursor(std::unique_ptr<ProgramCursor> program, const MergedChannels& sends,
                const MergedChannels& receives)
      : program_(std::move(program)), sends_{sends}, receives_{receives} {}

  const Loop* next() override;
  bool ends_early() const override { return program_->ends_early(); }
  bool is_decided() const override { return left_ > 0 || program_->is_decided(); }
  double share_read() const override { return share_read_by(*program_); }

 private:
  /// A request of the new program.
  struct Request {
    std::int64_t number = 0;
    bool is_merged = false;  ///< several of the program are this one
  };
  /// A group of messages of which some were received.
  struct Received {
    std::int32_t left = 0;                     ///< receives
    std::optional<std::int64_t> request = {};  ///< the new program's, if the first of them made one
  };
  /// Follows the posts of one direction.
  struct Direction {
    const MergedChannels& channels;
    std::map<MessageChannel, std::size_t> places = {};  ///< the next post's in each channel

    /// What becomes of a post; none: it stays as it is.
    const MergedPost* next(const Post& post);
  };

  bool read();
  const Loop* pass_once();
  void pass(const Operation& operation);
  void pass_send(const Post& post);
  void pass_receive(const Post& post);
  void add_merged(Post post, const MergedPost& merged);
  void pass_complete(const Complete& complete);
  /// Waits for requests of the new program, without those that were waited for.
  void wait_for(const std::vector<Request>& requests);
  void add(const Post& post);
  std::shared_ptr<const Body> made(Body body);

  std::unique_ptr<ProgramCursor> program_;
  Direction sends_, receives_;
  std::int64_t before_ = 0;  ///< requests of the program so far
  std::int64_t after_ = 0;   ///< requests of the new one
  /// Requests of the program that may be open; without those of sends that block now.
  std::map<std::int64_t, Request> open_;
  std::set<std::int64_t> merged_open_;  ///< those of the new program that are merged
  /// Requests of sends that are dropped, until the one that is left is posted.
  std::map<std::int64_t, std::vector<std::int64_t>> dropped_;  ///< by group
  std::map<std::int64_t, Received> received_;                  ///< by group
  std::vector<Operation> operations_;                          ///< those of the region that is passed

  std::shared_ptr<const Body> body_;  ///< the body of the loop that is passed
  std::vector<double> body_regions_s_;
  std::int64_t left_ = 0;                                         ///< its iterations that are left
  std::multimap<std::size_t, std::shared_ptr<const Body>> made_;  ///< by a hash of their content
  std::vector<double> regions_s_;
  Loop loop_{};
};

}  // namespace finegrain::changes
