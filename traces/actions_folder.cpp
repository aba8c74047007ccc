// SPDX-License-Identifier: MIT
#include "traces/actions_folder.hpp"

#include <fmt/format.h>

#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

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

std::string rank_name(int rank) {
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

void write_actions_folder(const std::filesystem::path& folder, int ranks, const Protection& protection,
                          const std::function<void(int rank, AtomicFile& file)>& write_actions) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(folder, ignored);
  if (!is_new && !std::filesystem::is_directory(folder, ignored))
    throw InputError(folder.string(), "is a file (a folder is needed)", "Give another name");
  const char* const list_name = "trace.txt";
  check_replaceable(folder / list_name, list_kind(), protection);
  for (int rank = 0; rank < ranks; ++rank)
    check_replaceable(folder / rank_name(rank), actions_kind(), protection);
  // An existing folder keeps its other files, and may be a file system of its own.
  Temporary made(is_new ? (folder / "").parent_path() : folder / "export");  // a slash at its end or not
  made.make_folder();
  std::string list;
  for (int rank = 0; rank < ranks; ++rank) {
    AtomicFile file(made.path() / rank_name(rank), actions_kind());
    file.write(fmt::format("{} init\n", rank));
    write_actions(rank, file);
    file.write(fmt::format("{} finalize\n", rank));
    file.commit();
    list += std::filesystem::absolute(folder / rank_name(rank)).string() + "\n";
  }
  AtomicFile file(made.path() / list_name, list_kind());
  file.write(list);
  file.commit();
  if (is_new) return made.put_in_place();
  // Removed until all files that it names are there: an interrupted export must not look like an earlier one.
  std::filesystem::remove(folder / list_name, ignored);
  for (int rank = 0; rank < ranks; ++rank)
    move(made.path(), folder, rank_name(rank));
  move(made.path(), folder, list_name);
}

}  // namespace finegrain
