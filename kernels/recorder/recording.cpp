// SPDX-License-Identifier: MIT
#include "kernels/recorder/recording.hpp"

#include <algorithm>
#include <utility>

#include "kernels/recorder/call_now.hpp"
#include "kernels/recorder/layout.hpp"

namespace finegrain::recorder {
namespace {

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  real.MPI_Comm_size(comm, &ranks);
  return ranks;
}

bool may_have_several_callers_of_mpi() {
  int threads = MPI_THREAD_SINGLE;
  real.MPI_Query_thread(&threads);
  return threads >= MPI_THREAD_SERIALIZED;
}

}  // namespace

Recording::Recording(std::filesystem::path folder_of_trace, MPI_Comm world_of_run, MPI_Comm handle,
                     bool threads, bool partial)
    : folder(std::move(folder_of_trace)),
      world(world_of_run),
      handle_of_world(handle),
      is_partial(partial),
      rank(rank_in(world_of_run)),
      ranks(ranks_of(world_of_run)),
      has_threads(threads),
      may_have_several_callers(may_have_several_callers_of_mpi()),
      is_locked(may_have_several_callers || !Gate::is_available()),
      recorder(folder, rank),
      call_sites(recorder),
      communicators(*this),
      windows(*this),
      numbers_(function_count, unnumbered) {}

void Recording::write_polls() {
  for (const auto& [function, place, count] : polls.counts) {
    signature.begin(number_of(function));
    if (polls.thread != 0) signature.thread(polls.thread);
    if (place) signature.place(*place);
    if (polls.are_outside) signature.timed();
    if (polls.lost_ns > 0) recorder.waited_for_core(std::exchange(polls.lost_ns, 0));
    recorder.polls(signature, count, std::exchange(polls.start_ns, polls.end_ns), polls.end_ns);
  }
  polls.counts.clear();
}

std::int64_t Recording::uncounted_cpu_time_ns() const {
  if (!may_have_several_callers || !have_several_called()) return 0;
  const std::int64_t counted_ns = counted_cpu_time_ns.load() + counted_cpu_time_of_listed_ns();
  return std::max<std::int64_t>(cpu_time_of_others_ns() - cpu_time_of_others_at_start_ns - counted_ns, 0);
}

void Recording::add_moment_of_thread(std::string_view name, std::uint32_t thread, std::int64_t at_ns,
                                     std::int64_t lost_ns) {
  if (!polls.counts.empty()) write_polls();
  signature.begin(recorder.define_function(name));
  signature.thread(thread);
  if (lost_ns > 0) recorder.waited_for_core(lost_ns);
  recorder.call(signature, at_ns, at_ns);
}

}  // namespace finegrain::recorder
