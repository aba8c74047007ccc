// SPDX-License-Identifier: MIT
// compare_with_kernel KERNEL_TRACE RECORDER_TRACE: one run of a kernel was recorded twice, by the kernel
// itself and by the recorder of any MPI program. In each region of each iteration both must have the same
// transfers in the same order (who, to whom, how many bytes), the same barriers, and all transfers complete
// where the kernel waits for them.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/file_slice.hpp"
#include "traces/manifest.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace {

using namespace finegrain;

/// A transfer as both see it: "send to 2, 160 B"; or a barrier.
using Calls = std::vector<std::string>;

void add(Calls& calls, int rank, const Operation& operation) {
  if (const auto* collective = std::get_if<Collective>(&operation))
    calls.emplace_back(to_string(collective->kind));
  const auto* post = std::get_if<Post>(&operation);
  // A rank's copy of its own block is no call.
  if (post == nullptr || post->peer == rank) return;
  // An access through a pointer to shared memory is a get, where the memory is another node's.
  const TransferKind kind = post->kind == TransferKind::load ? TransferKind::get : post->kind;
  calls.insert(calls.end(), static_cast<std::size_t>(post->repeat),
               fmt::format("{} {}, {} B", to_string(kind), post->peer, post->size_bytes));
}

/// What the recorder saw of one rank, read on with the time.
class RecordedRank {
 public:
  RecordedRank(RankFileReader file, int rank) : file_(std::move(file)), rank_(rank) { read(); }

  /// The calls that began before that time and were not given yet.
  /// @throws std::runtime_error if one that transfers something ends later
  Calls until(std::int64_t time_ns) {
    Calls calls;
    while (call_ && call_->times.regions.back().start_ns < time_ns) {
      const Calls before = calls;
      for (const Operation& operation : call_->shape->body.operations) {
        add(calls, rank_, operation);
        follow(operation);
      }
      if (calls != before && call_->times.regions.back().end_ns > time_ns)
        throw std::runtime_error(fmt::format("rank {}: {} ends after its region", rank_, calls.back()));
      read();
    }
    return calls;
  }
  /// Transfers that were begun, and not completed.
  std::size_t open() const { return open_.size(); }

 private:
  void read() {
    const Decoded* next = file_.next();
    call_ = next != nullptr ? std::optional(*next) : std::nullopt;
  }
  void follow(const Operation& operation) {
    if (const auto* complete = std::get_if<Complete>(&operation)) {
      for (std::int64_t n = 0; n < complete->count; ++n)
        open_.erase(requests_ - complete->oldest + n);
    }
    if (makes_request(operation)) open_.insert(requests_++);
  }

  RankFileReader file_;
  int rank_;
  std::optional<Decoded> call_;
  std::int64_t requests_ = 0;
  std::set<std::int64_t> open_;
};

struct Compared {
  std::int64_t iterations = 0;
  std::int64_t transfers = 0;
};

void expect_equal(const Calls& own, const Calls& recorded, const std::string& where) {
  if (own == recorded) return;
  std::size_t n = 0;
  while (n < own.size() && n < recorded.size() && own[n] == recorded[n])
    ++n;
  const auto one = [&](const Calls& calls) { return n < calls.size() ? calls[n] : std::string("nothing"); };
  throw std::runtime_error(fmt::format("{}, transfer {} of {} and {}: the kernel has {}, the recorder {}",
                                       where, n, own.size(), recorded.size(), one(own), one(recorded)));
}

void compare(RankFileReader kernel, RecordedRank recorded, int rank, Compared& compared) {
  while (const auto iteration = kernel.next()) {
    const Body& body = iteration->shape->body;
    const std::string where = fmt::format("rank {}, iteration {}", rank, compared.iterations);
    if (compared.iterations == 0) recorded.until(iteration->times.iteration.start_ns);
    for (std::size_t r = 0; r < body.regions.size(); ++r) {
      const Interval& time = iteration->times.regions[r];
      expect_equal({}, recorded.until(time.start_ns), where + ", between regions");
      Calls own;
      bool waits = false;
      for (const Operation& operation : body.operations_of(body.regions[r])) {
        add(own, rank, operation);
        waits = waits || std::holds_alternative<Complete>(operation);
      }
      const std::string in_region = fmt::format("{}, {}", where, body.regions[r].name.text());
      expect_equal(own, recorded.until(time.end_ns), in_region);
      if (waits && recorded.open() != 0)
        throw std::runtime_error(fmt::format("{}: {} requests are open", in_region, recorded.open()));
      compared.transfers += static_cast<std::int64_t>(own.size());
    }
    ++compared.iterations;
  }
}

RankFileReader open(const std::filesystem::path& trace, int rank, int ranks) {
  return {FileSlice(trace / rank_file_name(rank)), rank, ranks};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: compare_with_kernel KERNEL_TRACE RECORDER_TRACE");
  const int ranks = read_manifest(argv[1]).run.ranks;
  if (read_manifest(argv[2]).run.ranks != ranks) throw std::runtime_error("the ranks differ in number");
  std::int64_t transfers = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    Compared compared;
    compare(open(argv[1], rank, ranks), {open(argv[2], rank, ranks), rank}, rank, compared);
    if (compared.iterations == 0) throw std::runtime_error(fmt::format("rank {} has no iteration", rank));
    transfers += compared.transfers;
  }
  if (transfers == 0) throw std::runtime_error("nothing was transferred");
  std::cout << transfers << " transfers and barriers are equal\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
