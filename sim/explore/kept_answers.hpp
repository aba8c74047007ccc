// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace finegrain::explore {

/// Answers that were given, for the next who asks the same: a class begins with equal questions. Those that
/// were asked for last stay, as far as there is room.
class KeptAnswers {
 public:
  explicit KeptAnswers(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Empty: it is not there.
  std::string find(const std::vector<std::string>& words);
  void keep(const std::vector<std::string>& words, const std::string& line);
  /// What the answers take.
  std::size_t bytes() const;

 private:
  struct Kept {
    std::vector<std::string> words;
    std::string line;
  };
  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> all_;
  std::size_t bytes_ = 0;
};

}  // namespace finegrain::explore
