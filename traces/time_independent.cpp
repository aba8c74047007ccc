// SPDX-License-Identifier: MIT
#include "traces/time_independent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "traces/actions_folder.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain {
namespace {

/// Adds an operation's lines. A transfer that repeats has as many, unless it is to have one.
void add_actions(std::string& text, const Operation& operation, std::size_t rank, double flops_per_byte,
                 std::int64_t most_repeats = std::numeric_limits<std::int64_t>::max()) {
  const auto out = std::back_inserter(text);
  if (const auto* work = std::get_if<Work>(&operation)) {
    if (work->memory_bytes > 0)
      fmt::format_to(out, "{} compute {:.17g}\n", rank,
                     flops_per_byte * static_cast<double>(work->memory_bytes));
  } else if (const auto* post = std::get_if<Post>(&operation)) {
    const char* action = post->kind == TransferKind::send ? post->blocking ? "send" : "isend"
                         : post->blocking                 ? "recv"
                                                          : "irecv";
    for (std::int64_t i = 0; i < std::min(post->repeat, most_repeats); ++i)
      fmt::format_to(out, "{} {} {} {} {}\n", rank, action, post->peer, post->tag, post->size_bytes);
  } else if (std::holds_alternative<Complete>(operation)) {
    fmt::format_to(out, "{} waitall\n", rank);
  } else {
    fmt::format_to(out, "{} barrier\n", rank);
  }
}

/// Actions of one iteration, a line each.
std::string actions(const Body& body, std::size_t rank, double flops_per_byte) {
  std::string text;
  for (const Operation& operation : body.operations)
    add_actions(text, operation, rank, flops_per_byte);
  return text;
}

/// Bytes of these actions, without writing them: a transfer may repeat without end.
double bytes_of_actions(const Body& body, std::size_t rank, double flops_per_byte) {
  double bytes = 0;
  for (const Operation& operation : body.operations) {
    std::string once;
    add_actions(once, operation, rank, flops_per_byte, 1);
    const auto* post = std::get_if<Post>(&operation);
    bytes += (post == nullptr ? 1 : static_cast<double>(post->repeat)) * static_cast<double>(once.size());
  }
  return bytes;
}

void check_size(const Schedule& schedule, double flops_per_byte, double most_bytes) {
  double bytes = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    bytes += static_cast<double>(schedule.run.iterations) *
             bytes_of_actions(schedule.ranks[rank], rank, flops_per_byte);
  if (bytes <= most_bytes) return;
  throw InputError("export",
                   fmt::format("the actions of {} take {} (a line each; at most {} are written)",
                               format_count(schedule.run.iterations, "iteration"), format_size(bytes),
                               format_size(most_bytes)),
                   "Allow more (--most), or record fewer iterations");
}

/// SMPI's replayer knows neither one-sided transfers nor, by these actions, single requests.
void check_replayable(const Schedule& schedule) {
  for (const Body& body : schedule.ranks) {
    for_each_post(body.operations, [](const Post& post) {
      if (is_two_sided(post.kind)) return;
      throw InputError(
          "export",
          fmt::format("a {} is one-sided (SMPI replays sends and receives only)", to_string(post.kind)),
          "Export a two-sided run, or use finegrain replay");
    });
    for (const Operation& operation : body.operations) {
      const auto* complete = std::get_if<Complete>(&operation);
      if (complete != nullptr && !complete->is_all())
        throw InputError("export",
                         "a rank waits for some of its requests (the format has waits for all of them only)",
                         "Use finegrain replay");
    }
  }
}

}  // namespace

void write_time_independent(const Schedule& schedule, double flops_per_byte,
                            const std::filesystem::path& folder, double most_bytes,
                            const Protection& protection) {
  check_replayable(schedule);
  check_size(schedule, flops_per_byte, most_bytes);
  write_actions_folder(folder, static_cast<int>(schedule.ranks.size()), protection,
                       [&](int number, AtomicFile& file) {
                         const auto rank = static_cast<std::size_t>(number);
                         const std::string iteration = actions(schedule.ranks[rank], rank, flops_per_byte);
                         for (std::int64_t i = 0; i < schedule.run.iterations; ++i)
                           file.write(iteration);
                       });
}

}  // namespace finegrain
