// SPDX-License-Identifier: MIT
#include "sim/explore/kept_answers.hpp"

#include <algorithm>

namespace finegrain::explore {

std::string KeptAnswers::find(const std::vector<std::string>& words) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, words, &Kept::words);
  if (found == all_.end()) return {};
  all_.splice(all_.begin(), all_, found);  // the one that was asked last
  return found->line;
}

void KeptAnswers::keep(const std::vector<std::string>& words, const std::string& line) {
  const std::lock_guard lock(mutex_);
  all_.push_front({words, line});
  bytes_ += line.size();
  for (; bytes_ > most_bytes_; all_.pop_back())
    bytes_ -= all_.back().line.size();
}

std::size_t KeptAnswers::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace finegrain::explore
