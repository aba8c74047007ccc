// SPDX-License-Identifier: MIT
#include "kernels/recorder/recording.hpp"

#include <utility>

namespace finegrain::recorder {

Recording::Recording(std::filesystem::path folder_of_trace, int rank_of_run, int ranks_of_run, bool threads)
    : folder(std::move(folder_of_trace)),
      rank(rank_of_run),
      ranks(ranks_of_run),
      has_threads(threads),
      recorder(folder, rank_of_run),
      communicators(*this),
      windows(*this),
      numbers_(function_count, unnumbered) {}

void Recording::write_polls() {
  signature.begin(number_of(polls.function));
  if (polls.thread != 0) signature.thread(polls.thread);
  if (polls.lost_ns > 0) recorder.waited_for_core(polls.lost_ns);
  recorder.polls(signature, polls.count, polls.start_ns, polls.end_ns);
  polls.count = 0;
}

}  // namespace finegrain::recorder
