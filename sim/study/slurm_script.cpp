// SPDX-License-Identifier: MIT
#include "sim/study/slurm_script.hpp"

#include <fmt/format.h>

namespace finegrain {
namespace {

/// For a shell.
std::string quoted(const std::filesystem::path& path) {
  std::string text = "'";
  for (const char c : path.string())
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

}  // namespace

std::filesystem::path database_of(const std::filesystem::path& study, std::int64_t shard,
                                  std::int64_t shards) {
  std::filesystem::path path = study;
  path.replace_extension(shards == 1 ? ".sqlite" : fmt::format(".{}-of-{}.sqlite", shard, shards));
  return path;
}

std::string slurm_script(const std::filesystem::path& study, const std::filesystem::path& program,
                         int shards) {
  const std::filesystem::path stem = study.stem();
  const std::filesystem::path absolute = std::filesystem::absolute(study);
  std::filesystem::path merged = absolute;
  merged.replace_extension(".sqlite");
  std::filesystem::path parts = absolute;
  parts.replace_extension();
  return fmt::format(R"(#!/usr/bin/env bash
#SBATCH --job-name=finegrain-study
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
#   {program} study merge {parts}.*-of-{shards}.sqlite --out {merged}
set -euo pipefail
exec {program} study run {study} \
  --shard "${{SLURM_ARRAY_TASK_ID:?"not in a job array: start it with sbatch"}}/{shards}" -j "${{SLURM_CPUS_PER_TASK:-1}}"
)",
                     fmt::arg("last", shards - 1), fmt::arg("program", quoted(program)),
                     fmt::arg("study", quoted(absolute)), fmt::arg("parts", quoted(parts)),
                     fmt::arg("shards", shards), fmt::arg("merged", quoted(merged)));
}

}  // namespace finegrain
