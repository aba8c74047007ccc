// SPDX-License-Identifier: MIT
#include "sim/study/merge.hpp"

#include <fmt/format.h>

#include <list>
#include <map>
#include <utility>

#include "sim/study/database.hpp"
#include "sim/study/lock_file.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

/// The databases by the index of their shard. @throws InputError unless each shard of one study is there once
std::map<std::int64_t, const Database*> by_shard(const std::list<Database>& databases,
                                                 const std::vector<std::filesystem::path>& paths) {
  std::map<std::int64_t, const Database*> shards;
  const StudyIdentity& first = databases.front().identity();
  auto path = paths.begin();
  for (const Database& database : databases) {
    const StudyIdentity& identity = database.identity();
    if (identity.digest != first.digest || identity.points != first.points ||
        identity.shard.count != first.shard.count) {
      throw InputError(path->string(),
                       fmt::format("of another study than {} (other inputs, or another number of shards)",
                                   paths.front().string()),
                       "Give the shards of one study");
    }
    if (!shards.emplace(identity.shard.index, &database).second)
      throw InputError(path->string(), fmt::format("shard {} comes twice", identity.shard.index),
                       "Give each shard once");
    ++path;
  }
  for (std::int64_t shard = 0; shard < first.shard.count; ++shard) {
    if (!shards.contains(shard))
      throw InputError(first.study, fmt::format("shard {} of {} is missing", shard, first.shard.count),
                       "Give all of them");
  }
  return shards;
}

}  // namespace

void merge_shards(const std::vector<std::filesystem::path>& shards, const std::filesystem::path& out,
                  bool force) {
  if (!force && std::filesystem::exists(out))
    throw InputError(out.string(), "exists", "Move it away, give another name, or force it");
  check_replaceable(out, {"a study's database", {".sqlite", ".db"}, {}}, {shards, force});
  std::list<Database> databases;
  for (const std::filesystem::path& path : shards)
    databases.emplace_back(path);
  const auto parts = by_shard(databases, shards);
  StudyIdentity identity = databases.front().identity();
  identity.shard = {};
  const LockFile lock(out.string() + ".lock");
  std::vector<std::vector<output::Cell>> rows(static_cast<std::size_t>(identity.points));
  for (const auto& [index, part] : parts)
    for (std::vector<output::Cell>& row : part->rows().rows)
      std::swap(rows[static_cast<std::size_t>(std::get<std::int64_t>(row.front()))], row);
  Database::write(out, identity, rows);
}

}  // namespace finegrain::study
