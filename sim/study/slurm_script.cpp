// SPDX-License-Identifier: MIT
#include "sim/study/slurm_script.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "traces/io/printable.hpp"

namespace finegrain::study {
namespace {

constexpr std::string_view opening =
    "#!/usr/bin/env bash\n# Written by finegrain. Digest of the lines below: ";

std::string digest_of(std::string_view lines) {
  return fmt::format("{:016x}\n", XXH3_64bits(lines.data(), lines.size()));
}

}  // namespace

std::filesystem::path database_of(const std::filesystem::path& study, std::int64_t shard,
                                  std::int64_t shards) {
  std::filesystem::path path = study;
  path.replace_extension(shards == 1 ? ".sqlite" : fmt::format(".{}-of-{}.sqlite", shard, shards));
  return path;
}

FileKind slurm_script_kind() {
  return {"an unedited job script of a study", {}, [](std::string_view content) {
            const std::size_t below = content.find('\n', opening.size()) + 1;
            return content.starts_with(opening) && below != 0 &&
                   content.substr(opening.size(), below - opening.size()) == digest_of(content.substr(below));
          }};
}

std::string slurm_script(const std::filesystem::path& study, const std::filesystem::path& binary,
                         int shards) {
  const std::filesystem::path stem = study.stem();
  const std::filesystem::path absolute = std::filesystem::absolute(study);
  std::filesystem::path merged = absolute;
  merged.replace_extension(".sqlite");
  std::filesystem::path parts = absolute;
  parts.replace_extension();
  const std::string lines = fmt::format(
      R"(#SBATCH --job-name=finegrain-study
#SBATCH --array=0-{last}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --output=finegrain-study-%A_%a.log
#
# A shard of the study an array task, each with a database of its own. A task that is killed or runs out of time goes on
# where it was when it is submitted again: sbatch --array=K of this script. Once all are done:
#
#   {binary} study merge {parts}.*-of-{shards}.sqlite --out {merged}
set -euo pipefail
exec {binary} study run {study} \
  --shard "${{SLURM_ARRAY_TASK_ID:?"not in a job array: start it with sbatch"}}/{shards}" -j "${{SLURM_CPUS_PER_TASK:-1}}"
)",
      fmt::arg("last", shards - 1), fmt::arg("binary", shell_quoted(binary.string())),
      fmt::arg("study", shell_quoted(absolute.string())), fmt::arg("parts", shell_quoted(parts.string())),
      fmt::arg("shards", shards), fmt::arg("merged", shell_quoted(merged.string())));
  return fmt::format("{}{}{}", opening, digest_of(lines), lines);
}

}  // namespace finegrain::study
