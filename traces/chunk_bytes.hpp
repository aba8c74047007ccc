// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "traces/column.hpp"
#include "traces/rank_file.hpp"

// zstd's, so that its header is read in one file only.
struct ZSTD_CCtx_s;

namespace finegrain {

/// Makes chunks of a rank's file as they stand in it: a header, then the compressed content.
class ChunkBytes {
 public:
  /// @param level  zstd's compression level
  /// @param bytes  becomes the chunk. Of the header, the fields of the payload and content are filled in
  /// @returns why it could not be made; else none
  const char* make(ChunkHeader header, const ChunkContent& content, int level, std::vector<std::byte>& bytes);

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  /// Kept from one chunk to the next: making one takes longer than compressing a small chunk.
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
};

}  // namespace finegrain
