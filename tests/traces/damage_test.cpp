// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"
#include "traces/chunk.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

using namespace test;

/// A small trace of one rank, to be damaged.
class SmallTrace {
 public:
  SmallTrace() {
    std::mt19937_64 random(11);
    recording_ = random_recording(random, 1, 6);
    record_trace(folder_.path(), {recording_});
    bytes_ = read_file(file());
  }
  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path file() const { return folder_.path() / "rank_00000.fgt"; }
  const RankRecording& recording() const { return recording_; }
  const std::string& bytes() const { return bytes_; }

  /// Reads the trace with these bytes in the rank's file. @returns the error, empty if none
  std::string read(const std::string& bytes, RankRecording& read_before_error) const {
    write_file(file(), bytes);
    return error_of(Trace(folder()), 0, read_before_error);
  }

 private:
  TraceFolder folder_;
  RankRecording recording_;
  std::string bytes_;
};

bool is_prefix(const RankRecording& part, const RankRecording& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST_CASE("a rank's file cut at any byte is an error that names file and byte") {
  const SmallTrace trace;
  for (std::size_t size = 0; size < trace.bytes().size(); ++size) {
    CAPTURE(size);
    RankRecording read;
    const std::string error = trace.read(trace.bytes().substr(0, size), read);
    REQUIRE_THAT(error, Catch::StartsWith(trace.file().string() + ": byte "));
    REQUIRE(is_prefix(read, trace.recording()));
  }
}

TEST_CASE("a rank's file without its end mark gives all iterations, then says what is missing") {
  const SmallTrace trace;
  RankRecording read;
  const std::size_t size = trace.bytes().size() - chunk_header_bytes;
  const std::string error = trace.read(trace.bytes().substr(0, size), read);
  REQUIRE_THAT(error, Catch::Contains("byte " + std::to_string(size) +
                                      ": the end mark is missing after 6 iterations"));
  REQUIRE(read == trace.recording());
}

TEST_CASE("a bit changed anywhere in a rank's file is an error, and no wrong iteration is handed out") {
  const SmallTrace trace;
  for (std::size_t at = 0; at < trace.bytes().size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      CAPTURE(at, bit);
      std::string bytes = trace.bytes();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      RankRecording read;
      REQUIRE_THAT(trace.read(bytes, read), Catch::StartsWith(trace.file().string() + ": byte "));
      REQUIRE(is_prefix(read, trace.recording()));
    }
  }
}

TEST_CASE("bytes after the end mark are an error") {
  const SmallTrace trace;
  RankRecording read;
  REQUIRE_THAT(trace.read(trace.bytes() + "x", read), Catch::Contains("bytes follow the end mark"));
}

TEST_CASE("a rank's file under another rank's name is an error") {
  const TraceFolder folder;
  record_trace(folder.path(), {{}, {}});
  std::filesystem::rename(folder.path() / "rank_00001.fgt", folder.path() / "rank_00000.fgt");
  RankRecording read;
  REQUIRE_THAT(error_of(Trace(folder.path()), 0, read), Catch::Contains("is the file of rank 1, not 0"));
  REQUIRE_THAT(error_of(Trace(folder.path()), 1, read), Catch::Contains("rank_00001.fgt: is missing"));
}

std::string with_chunk_header(const ChunkHeader& header, const std::string& payload) {
  const auto begin = encode(FileHeader{});
  const auto chunk = encode(header);
  std::string bytes(reinterpret_cast<const char*>(begin.data()), begin.size());
  bytes.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
  return bytes + payload;
}

TEST_CASE("a chunk header with right checksums and absurd sizes is an error, not an allocation") {
  const SmallTrace trace;
  const std::string payload = "not zstd";
  ChunkHeader header;
  header.iterations = 1;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_checksum = checksum(std::as_bytes(std::span(payload)));
  const auto error = [&](const ChunkHeader& changed) {
    RankRecording read;
    return trace.read(with_chunk_header(changed, payload), read);
  };
  ChunkHeader changed = header;
  changed.payload_bytes = 0xffffffff;
  CHECK_THAT(error(changed), Catch::Contains("byte 24: the file ends within a chunk"));
  changed = header;
  changed.content_bytes = 0xffffffff;
  CHECK_THAT(error(changed), Catch::Contains("byte 24: a chunk is too large"));
  changed = header;
  changed.content_bytes = 8 / 4 * (128 << 10) + 1;  // zstd needs 4 bytes for each 128 KiB
  CHECK_THAT(error(changed), Catch::Contains("byte 24: a chunk is too large"));
  changed.content_bytes = 8 / 4 * (128 << 10);
  CHECK_THAT(error(changed), Catch::Contains("byte 72: a chunk's content is not of the size"));
  changed = header;
  changed.first_iteration = 5;
  CHECK_THAT(error(changed), Catch::Contains("byte 24: iteration 5 follows where 0 should"));
  changed = header;
  changed.iterations = 0;
  CHECK_THAT(error(changed), Catch::Contains("byte 24: a chunk has no iterations"));
}

/// What a decoder makes of any content: it ends, with or without a ChunkError.
void decode_all(const std::vector<std::byte>& content, int iterations) {
  try {
    ChunkDecoder decoder(content, 9);
    for (int i = 0; i < iterations; ++i)
      decoder.next();
  } catch (const ChunkError&) {
  }
}

TEST_CASE("a chunk's content that passes its checksum but is nonsense does no harm") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    ChunkEncoder encoder;
    const RankRecording recording = random_recording(random, 9, 5);
    for (const RecordedIteration& recorded : recording) {
      IterationTimes times{recorded.time, recorded.regions, {}, {}};
      for (const Interval& post : recorded.posts) {
        times.ends.push_back({static_cast<std::int32_t>(times.starts_ns.size()), post.end_ns});
        times.starts_ns.push_back(post.start_ns);
      }
      encoder.add(recorded.body, times);
    }
    const std::vector<std::byte> content = encoder.take().bytes;
    for (std::size_t at = 0; at < content.size(); ++at) {
      std::vector<std::byte> changed = content;
      changed[at] = static_cast<std::byte>(random());
      decode_all(changed, 6);
      changed.resize(at);
      decode_all(changed, 6);
    }
  }
  SUCCEED("no crash");
}

TEST_CASE("a manifest with any bit changed, or cut anywhere, is an error that names file and byte") {
  const SmallTrace trace;
  const std::string manifest = read_file(trace.folder() / manifest_file_name);
  const auto refused = [](const std::string& text) {
    REQUIRE_THROWS_AS(parse_manifest(text, "manifest.json"), InputError);
    REQUIRE_THROWS_WITH(parse_manifest(text, "manifest.json"), Catch::StartsWith("manifest.json: byte "));
  };
  for (std::size_t at = 0; at < manifest.size(); ++at) {
    CAPTURE(at);
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = manifest;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      refused(changed);
    }
    refused(manifest.substr(0, at));
  }
}

TEST_CASE("a manifest changed anywhere, with the checksum it should have, reads or is an InputError") {
  const SmallTrace trace;
  const std::string manifest = read_file(trace.folder() / manifest_file_name);
  const auto try_reading = [](const std::string& text) {
    try {
      parse_manifest(text, "manifest.json");
    } catch (const InputError&) {
    }
  };
  for (std::size_t at = 0; at < manifest.rfind(",\n"); ++at) {
    for (const char change : {'\x01', '\x10', '\x80'}) {
      std::string changed = manifest;
      changed[at] = static_cast<char>(changed[at] ^ change);
      REQUIRE_NOTHROW(try_reading(with_right_checksum(changed)));
    }
  }
}

}  // namespace
}  // namespace finegrain
