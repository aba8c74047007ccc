// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

namespace finegrain::study {

/// Merges the databases of all shards of a study into one, which appears whole or not at all.
/// @param force  replaces `out` if it exists
/// @throws InputError if they are not of one study, a shard is missing or given twice, or `out` exists
void merge_shards(const std::vector<std::filesystem::path>& shards, const std::filesystem::path& out,
                  bool force = false);

}  // namespace finegrain::study
