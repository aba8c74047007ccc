// SPDX-License-Identifier: MIT
#include "sim/cli/built_part.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "sim/cli/progress.hpp"
#include "sim/cli/subprocess.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_binary() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::optional<fs::path> found(const std::string& file, std::initializer_list<const char*> folders) {
  std::error_code ignored;
  for (const char* const folder : folders) {
    const fs::path path = (folder_of_binary() / folder / file).lexically_normal();
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

/// None: installed, it does not know where it was built.
std::optional<fs::path> build_tree() {
  const fs::path tree = folder_of_binary().parent_path();
  std::error_code ignored;
  return fs::exists(tree / "CMakeCache.txt", ignored) ? std::optional(tree) : std::nullopt;
}

/// A tree that does not know the target is configured once more: an MPI may have been installed since. Two
/// that build in one tree would disturb each other, so the second waits.
/// @returns the exit code
int build(const fs::path& tree, const std::string& target) {
  constexpr const char* script =
      "exec 9<\"$1/CMakeCache.txt\" 2>&1; flock 9\n"
      "build() { cmake --build \"$1\" --target \"$2\"; }\n"
      "build \"$@\" || { cmake \"$1\" && build \"$@\"; }";
  const Progress progress(fmt::format("building {}", target));
  return read_output({"sh", "-c", fmt::format("{{ {}; }} 2>&1", script), "sh", tree.string(), target})
      .exit_code;
}

}  // namespace

fs::path built_part(const std::string& file, const std::string& target,
                    std::initializer_list<const char*> folders) {
  if (const std::optional<fs::path> path = found(file, folders)) return *path;
  const fs::path looked_in = (folder_of_binary() / *folders.begin() / "").lexically_normal().parent_path();
  const std::optional<fs::path> tree = build_tree();
  if (!tree)
    throw InputError(
        file, fmt::format("not in {}, where finegrain looks for it", looked_in.string()),
        fmt::format("Build it: cmake --build build/release --target {}, in the folder of finegrain's source",
                    target));
  const int exit_code = build(*tree, target);
  if (const std::optional<fs::path> path = found(file, folders)) return *path;
  throw InputError(
      file, fmt::format("not in {}, and building it ended with exit code {}", looked_in.string(), exit_code),
      "Build it: " + shell_quoted({"cmake", "--build", tree->string(), "--target", target}));
}

}  // namespace finegrain::cli
