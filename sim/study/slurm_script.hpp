// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "traces/io/atomic_file.hpp"

namespace finegrain::study {

/// A job array for Slurm with one task for each shard, which uses the cores that the script asks for.
/// Comments in it say how to merge the shards.
/// @param binary  path of this finegrain
std::string slurm_script(const std::filesystem::path& study, const std::filesystem::path& binary, int shards);

/// Recognises a script that nobody has edited: its second line is a digest of the lines below it.
FileKind slurm_script_kind();

/// The file of a shard's results: study.toml gives study.sqlite, or study.3-of-8.sqlite.
std::filesystem::path database_of(const std::filesystem::path& study, std::int64_t shard,
                                  std::int64_t shards);

}  // namespace finegrain::study
