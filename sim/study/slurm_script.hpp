// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "traces/io/atomic_file.hpp"

namespace finegrain::study {

/// A job array for Slurm: a task a shard, each on the cores that it asks for. The last lines say how to
/// merge.
/// @param binary  path of this finegrain
std::string slurm_script(const std::filesystem::path& study, const std::filesystem::path& binary, int shards);

/// Recognises a script that nobody has edited: its second line is a digest of those below.
FileKind slurm_script_kind();

/// Where a shard's results are: study.toml -> study.sqlite, or study.3-of-8.sqlite.
std::filesystem::path database_of(const std::filesystem::path& study, std::int64_t shard,
                                  std::int64_t shards);

}  // namespace finegrain::study
