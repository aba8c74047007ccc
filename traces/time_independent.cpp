// SPDX-License-Identifier: MIT
#include "traces/time_independent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

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
                   fmt::format("the actions of {} iterations take {} (a line each; at most {} are written)",
                               schedule.run.iterations, format_size(bytes), format_size(most_bytes)),
                   "Allow more, or record fewer iterations");
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
        throw InputError("export", "a rank waits for some of its requests (only for all can it be said)",
                         "Use finegrain replay");
    }
  }
}

/// "0 init", then the other actions.
FileKind actions_kind() {
  return {"a time-independent trace", {}, [](std::string_view content) {
            const std::string_view number = content.substr(0, content.find_first_not_of("0123456789"));
            return !number.empty() && content.substr(number.size()).starts_with(" init\n");
          }};
}

/// The absolute paths of the ranks' files, a line each.
FileKind list_kind() {
  return {"a list of time-independent traces", {}, [](std::string_view content) {
            return content.starts_with('/') &&
                   content.substr(0, content.find('\n')).ends_with("/rank_00000.txt");
          }};
}

std::string rank_name(std::size_t rank) {
  return fmt::format("rank_{:05}.txt", rank);
}

void move(const std::filesystem::path& from, const std::filesystem::path& to, const std::string& name) {
  std::error_code error;
  std::filesystem::rename(from / name, to / name, error);
  if (error)
    throw InputError((to / name).string(), fmt::format("cannot be put in place ({})", error.message()),
                     "Choose a writable place");
}

}  // namespace

void write_time_independent(const Schedule& schedule, double flops_per_byte,
                            const std::filesystem::path& folder, double most_bytes,
                            const Protection& protection) {
  check_replayable(schedule);
  check_size(schedule, flops_per_byte, most_bytes);
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(folder, ignored);
  if (!is_new && !std::filesystem::is_directory(folder, ignored))
    throw InputError(folder.string(), "is a file (a folder is needed)", "Give another name");
  const char* const list_name = "trace.txt";
  check_replaceable(folder / list_name, list_kind(), protection);
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    check_replaceable(folder / rank_name(rank), actions_kind(), protection);
  // Of a folder that is there, what else it holds stays, and it may be a file system of its own.
  Temporary made(is_new ? (folder / "").parent_path() : folder / "export");  // a slash at its end or not
  made.make_folder();
  std::string list;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::string iteration = actions(schedule.ranks[rank], rank, flops_per_byte);
    AtomicFile file(made.path() / rank_name(rank), actions_kind());
    file.write(fmt::format("{} init\n", rank));
    for (std::int64_t i = 0; i < schedule.run.iterations; ++i)
      file.write(iteration);
    file.write(fmt::format("{} finalize\n", rank));
    file.commit();
    list += std::filesystem::absolute(folder / rank_name(rank)).string() + "\n";
  }
  AtomicFile file(made.path() / list_name, list_kind());
  file.write(list);
  file.commit();
  if (is_new) return made.put_in_place();
  // Gone until all that it names is there: an export that is cut short must not pass for an earlier one.
  std::filesystem::remove(folder / list_name, ignored);
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    move(made.path(), folder, rank_name(rank));
  move(made.path(), folder, list_name);
}

}  // namespace finegrain
