// SPDX-License-Identifier: MIT
#include "traces/rank_file_in_memory.hpp"

namespace finegrain {

RankFileInMemory::RankFileInMemory(int rank, ChunkBytes& chunks) : chunks_(&chunks) {
  FileHeader header;
  header.rank = static_cast<std::uint32_t>(rank);
  const auto encoded = encode(header);
  bytes_.assign(encoded.begin(), encoded.end());
}

void RankFileInMemory::write(ChunkKind kind, const ChunkContent& content, std::uint32_t iterations,
                             std::uint64_t posts, int level) {
  ChunkHeader header;
  header.kind = kind;
  header.first_iteration = iterations_;
  header.iterations = iterations;
  header.messages = posts;
  if (const char* const reason = chunks_->make(header, content, level, chunk_)) return stop(reason);
  bytes_.insert(bytes_.end(), chunk_.begin(), chunk_.end());
  iterations_ += iterations;
  posts_ += posts;
}

bool RankFileInMemory::finish() {
  if (!is_open()) return false;
  ChunkHeader end;
  end.kind = ChunkKind::end_mark;
  end.first_iteration = iterations_;
  end.messages = posts_;
  end.payload_checksum = checksum({});
  const auto encoded = encode(end);
  bytes_.insert(bytes_.end(), encoded.begin(), encoded.end());
  return true;
}

}  // namespace finegrain
