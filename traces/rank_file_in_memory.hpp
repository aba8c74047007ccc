// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/chunk_bytes.hpp"
#include "traces/column.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {

/// A rank's file that is made in memory, chunk by chunk, by somebody who knows the whole program and writes
/// the file at once. A recorder, whose program may be killed, has a RankFileWriter.
class RankFileInMemory {
 public:
  /// @pre `chunks` outlives it
  RankFileInMemory(int rank, ChunkBytes& chunks);

  /// As RankFileWriter::write().
  void write(ChunkKind kind, const ChunkContent& content, std::uint32_t iterations, std::uint64_t posts,
             int level);
  bool is_open() const { return reason_ == nullptr; }
  void stop(const char* reason) { reason_ = reason; }
  /// Appends the end mark. @returns false after stop()
  bool finish();

  /// Why it was stopped; none if it was not.
  const char* reason() const { return reason_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  ChunkBytes* chunks_;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> chunk_;
  const char* reason_ = nullptr;
  std::uint64_t iterations_ = 0;
  std::uint64_t posts_ = 0;
};

}  // namespace finegrain
