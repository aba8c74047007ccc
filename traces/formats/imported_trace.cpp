// SPDX-License-Identifier: MIT
#include "traces/formats/imported_trace.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "traces/call_encoder.hpp"
#include "traces/call_signature.hpp"
#include "traces/chunk_recording.hpp"
#include "traces/io/input_error.hpp"
#include "traces/manifest.hpp"
#include "traces/packed_trace.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_in_memory.hpp"

namespace finegrain::formats {
namespace {

bool is_packed(const std::filesystem::path& path) {
  return path.extension() == ".tar";
}

/// Whether each request is completed; they are numbered from 1 on.
std::vector<bool> completed_requests(const RankCalls& rank) {
  std::vector<bool> completed(static_cast<std::size_t>(rank.requests) + 1, false);
  std::int64_t made = 0;
  for (const Operation& operation : rank.operations) {
    if (makes_request(operation)) ++made;
    const auto* complete = std::get_if<Complete>(&operation);
    if (complete == nullptr) continue;
    for (std::int64_t i = 0; i < complete->count; ++i)
      completed[static_cast<std::size_t>(made + 1 - complete->oldest + i)] = true;
  }
  return completed;
}

/// Writes one rank's calls: numbers of functions and communicators are the rank's own.
class RankWriter {
 public:
  RankWriter(int rank, const RankCalls& calls, const std::vector<Communicator>& communicators,
             ChunkBytes& chunks)
      : recording_(1, rank, chunks),
        communicators_(communicators),
        is_completed_(completed_requests(calls)) {}

  void write(const RankCalls& rank, std::size_t number) {
    const ImportedCall& call = rank.calls[number];
    recording_.note(
        [&](CallEncoder& encoder) { signature_.begin(encoder.define_function(call.function.text())); });
    if (call.thread != 0) signature_.thread(call.thread);
    for (const Operation& operation : rank.operations_of(number))
      std::visit([&](const auto& kind) { write(kind, rank); }, operation);
    recording_.add({call.start_ns, call.end_ns},
                   [&](CallEncoder& encoder) { encoder.add(signature_, 0, call.start_ns, call.end_ns); });
  }
  /// @returns the file
  const RankFileInMemory& finish() {
    recording_.finish();
    return recording_.file();
  }

 private:
  using Taken = std::pair<std::int32_t, std::int32_t>;  ///< peer and tag

  void write(const Work& work, const RankCalls& /*rank*/) { signature_.work(work); }
  void write(const Lock& lock, const RankCalls& /*rank*/) {
    Lock own = lock;
    own.window = number_of(lock.window);
    signature_.lock(own);
  }
  void write(Post post, const RankCalls& /*rank*/) {
    if (post.communicator == unknown_communicator) post.communicator = 0;
    if (post.size_bytes == unknown_size) post.size_bytes = 0;
    post.communicator = number_of(post.communicator);
    const Taken taken{post.peer, post.tag};
    const bool is_known = !is_unknown(post);
    // A receive of any source is bound to its message where it is completed.
    const bool is_bound = !makes_request(post) || is_completed_[static_cast<std::size_t>(requests_) + 1];
    if (is_known && !is_bound) post.any_source = post.any_tag = false;
    const bool is_wildcard = post.any_source || post.any_tag;
    if (post.any_source) post.peer = -1;
    if (post.any_tag) post.tag = 0;
    signature_.post(post);
    if (makes_request(post)) {
      ++requests_;
      if (is_wildcard && is_known) open_wildcards_.emplace(requests_, taken);
    } else if (is_wildcard && is_known) {
      signature_.bind(0, taken.first, taken.second);
    }
  }
  void write(const Complete& complete, const RankCalls& /*rank*/) {
    for (std::int64_t age = complete.oldest; age > complete.oldest - complete.count; --age) {
      const auto wildcard = open_wildcards_.find(requests_ + 1 - age);
      if (wildcard == open_wildcards_.end()) continue;
      signature_.bind(age, wildcard->second.first, wildcard->second.second);
      open_wildcards_.erase(wildcard);
    }
    signature_.complete(complete.oldest, complete.count);
  }
  void write(Collective collective, const RankCalls& rank) {
    collective.communicator = number_of(collective.communicator);
    signature_.collective(collective, std::span(rank.sizes)
                                          .subspan(static_cast<std::size_t>(collective.first_size),
                                                   static_cast<std::size_t>(collective.size_count)));
    if (!collective.blocking) ++requests_;
  }

  std::int32_t number_of(std::int32_t communicator) {
    if (communicator == 0) return 0;
    const auto [known, is_new] = numbers_.try_emplace(communicator, 0);
    std::int32_t& number = known->second;
    if (is_new) {
      const Communicator& defined = communicators_[static_cast<std::size_t>(communicator) - 1];
      recording_.note([&](CallEncoder& encoder) {
        number = encoder.define_communicator(static_cast<std::uint64_t>(communicator), defined.ranks);
      });
    }
    return number;
  }

  ChunkRecording<CallEncoder, RankFileInMemory> recording_;
  CallSignature signature_;
  const std::vector<Communicator>& communicators_;
  std::vector<bool> is_completed_;  ///< by the numbers of the requests
  std::unordered_map<std::int32_t, std::int32_t> numbers_;
  std::unordered_map<std::int64_t, Taken> open_wildcards_;  ///< by the numbers of their requests
  std::int64_t requests_ = 0;
};

}  // namespace

ImportedTrace::ImportedTrace(const std::filesystem::path& path, int ranks,
                             std::vector<Communicator> communicators)
    : path_(path), communicators_(std::move(communicators)) {
  check_absent(path, "a trace is never overwritten");
  if (!is_packed(path)) files_.emplace(path);
  import_.ranks = ranks;
}

void ImportedTrace::write(int rank, const RankCalls& calls) {
  RankWriter writer(rank, calls, communicators_, chunks_);
  for (std::size_t call = 0; call < calls.calls.size(); ++call)
    writer.write(calls, call);
  const RankFileInMemory& file = writer.finish();
  if (const char* const reason = file.reason())
    throw InputError((path_ / rank_file_name(rank)).string(), fmt::format("cannot be written ({})", reason),
                     "Choose a computer with more memory");
  if (files_)
    files_->write(rank_file_name(rank), file.bytes());
  else
    to_be_packed_[rank_file_name(rank)].assign(file.bytes().begin(), file.bytes().end());
  import_.calls += std::ssize(calls.calls);
  for_each_post(calls.operations, [&](const Post& post) {
    if (post.kind != TransferKind::receive) import_.messages += post.repeat;
  });
}

Import ImportedTrace::finish(const Origin& origin) {
  Manifest manifest;
  manifest.run.problem = {"program", {{"command", origin.command}}};
  manifest.run.policy = "recorded";
  manifest.run.ranks = import_.ranks;
  manifest.run.ranks_per_node = origin.ranks_per_node;
  manifest.implementation = "program";
  manifest.complete = true;
  manifest.recorded_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  manifest.environment = origin.environment;
  manifest.offsets_at_start.resize(static_cast<std::size_t>(import_.ranks));
  manifest.offsets_at_end = manifest.offsets_at_start;
  const std::string text = manifest_text(manifest);
  const std::span<const std::byte> manifest_bytes = std::as_bytes(std::span(text));
  if (files_) {
    files_->write(manifest_file_name, manifest_bytes);
    files_->commit();
  } else {
    PackedTraceWriter packed(path_);
    packed.add(manifest_file_name, manifest_bytes);
    for (const auto& [name, bytes] : to_be_packed_)
      packed.add(name, bytes);
    packed.commit();
  }
  return std::move(import_);
}

}  // namespace finegrain::formats
