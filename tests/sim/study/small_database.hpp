// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/database.hpp"

namespace finegrain::test {

/// Inputs of points, of which number 1 is infeasible.
std::vector<std::vector<output::Cell>> rows_of(std::int64_t points);

/// The identity of a study with four points.
study::StudyIdentity identity(const std::string& digest = "d", study::Shard shard = {});

/// Gives a study's database the digests that its rows should have, as somebody could who knows how.
/// @throws SQLite::Exception where it is too damaged for that
void correct_digests(const std::filesystem::path& path);

}  // namespace finegrain::test
