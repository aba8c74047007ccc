// SPDX-License-Identifier: MIT
#include "traces/formats/smpi_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

/// Bytes of the datatypes that SMPI 3.32 numbers, from 0, MPI_DOUBLE, on; 0: there is none of that number.
constexpr std::array<std::int8_t, 60> type_bytes = {
    8, 4,  1,  2, 8, 4, 1,  8, 1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4, 8,  1, 2, 4, 8, 8, 16, 32, 8, 8,
    8, 16, 16, 8, 8, 8, 16, 0, 4, 4, 8, 16, 8, 16, 16, 1, 2, 4, 8, 0, 32, 0, 0, 0, 0, 0, 0,  0,  0, 8};
constexpr std::int64_t bytes_of_unknown_type = 8;
/// Longer than any run, and far from what 63 bits of nanoseconds hold.
constexpr double longest_run_s = 1e9;

}  // namespace

std::int64_t SmpiRank::now_ns() const {
  return std::llround(1e9 * now_s_);
}

void SmpiRank::pass(const SmpiLine& line, double seconds) {
  now_s_ += seconds;
  if (!(now_s_ <= longest_run_s))
    line.refuse(
        "the rank has run for more than 10^9 seconds, where 10^9 flops count as one unless "
        "--flops-per-second "
        "says otherwise",
        "Give a higher --flops-per-second");
}

std::int64_t SmpiRank::element_bytes(const SmpiLine& line, std::size_t argument) {
  if (argument >= line.arguments()) return default_element_bytes_;
  const std::int32_t type = line.whole(argument);
  if (type >= 0 && type < std::ssize(type_bytes) && type_bytes[static_cast<std::size_t>(type)] > 0)
    return type_bytes[static_cast<std::size_t>(type)];
  remark("are of a datatype whose size the trace does not hold: an element of it counts as 8 bytes");
  return bytes_of_unknown_type;
}

std::int64_t SmpiRank::bytes(const SmpiLine& line, std::int64_t elements, std::int64_t element_bytes) const {
  std::int64_t product = 0;
  // Those of all ranks together have to fit as well.
  const bool fits = !__builtin_mul_overflow(elements, element_bytes, &product) &&
                    product <= std::numeric_limits<std::int64_t>::max() / 4 / ranks_;
  if (!fits) line.refuse(fmt::format("{} elements of {} bytes are too many", elements, element_bytes));
  return product;
}

std::vector<std::int64_t> SmpiRank::bytes_of_ranks(const SmpiLine& line, std::size_t first_argument,
                                                   std::int64_t element_bytes) const {
  std::vector<std::int64_t> sizes;
  for (std::int32_t rank = 0; rank < ranks_; ++rank)
    sizes.push_back(bytes(line, line.count(first_argument + static_cast<std::size_t>(rank)), element_bytes));
  return sizes;
}

std::int32_t SmpiRank::rank_of(const SmpiLine& line, std::size_t argument) const {
  const std::int32_t peer = line.whole(argument);
  if (peer >= ranks_)
    line.refuse(fmt::format("there is no rank {} (the lines are of {})", peer, format_count(ranks_, "rank")));
  return std::max(peer, -1);
}

std::int32_t SmpiRank::root(const SmpiLine& line, std::size_t argument) const {
  if (argument >= line.arguments()) return 0;
  const std::int32_t root = rank_of(line, argument);
  if (root < 0) line.refuse("the root is no rank");
  return root;
}

void SmpiRank::post(const Post& post) {
  const std::size_t operation = calls_.operations.size();
  const std::int64_t request = calls_.add(post);
  if (request == 0) return;
  const bool is_send = post.kind == TransferKind::send;
  const Key key{is_send ? rank_ : post.peer, is_send ? post.peer : rank_, post.tag};
  // The one before must have ended when it was tested last: otherwise there would be two.
  const std::int64_t before = find(key);
  if (before != 0 && open_.at(before).key == key && open_.at(before).tested) close(before);
  open_.emplace(request, Open{key, operation, std::nullopt});
  requests_of_[key].push_back(request);
}

std::int64_t SmpiRank::find(const Key& key) const {
  // A receive of any source may be named by the source that it took.
  for (const std::int32_t source : {key[0], -1}) {
    for (const std::int32_t tag : {key[2], unknown_tag}) {
      const auto found = requests_of_.find({source, key[1], tag});
      if (found != requests_of_.end()) return found->second.front();
    }
  }
  return 0;
}

void SmpiRank::close(std::int64_t request) {
  const auto of_key = requests_of_.find(open_.at(request).key);
  std::erase(of_key->second, request);
  if (of_key->second.empty()) requests_of_.erase(of_key);
  open_.erase(request);
}

void SmpiRank::complete(std::int64_t request) {
  if (const auto tested = open_.at(request).tested) failed_tests_.push_back(*tested);
  close(request);
  calls_.complete({request});
}

void SmpiRank::test(std::int64_t request) {
  std::optional<std::size_t>& tested = open_.at(request).tested;
  if (tested) failed_tests_.push_back(*tested);
  tested = calls_.operations.size();
  calls_.complete({request});
}

void SmpiRank::complete_all() {
  std::vector<std::int64_t> requests(open_collectives_.begin(), open_collectives_.end());
  for (const auto& [request, open] : open_) {
    if (open.tested) failed_tests_.push_back(*open.tested);
    requests.push_back(request);
  }
  open_.clear();
  requests_of_.clear();
  open_collectives_.clear();
  calls_.complete(std::move(requests));
}

void SmpiRank::complete_any() {
  if (open_.empty()) return;
  // A rank that waits for any of its requests waits for other ranks, so for a receive.
  const auto is_receive = [this](const auto& open) {
    return std::get<Post>(calls_.operations[open.second.operation]).kind == TransferKind::receive;
  };
  const auto receive = std::ranges::find_if(open_, is_receive);
  complete(receive == open_.end() ? open_.begin()->first : receive->first);
}

bool SmpiRank::complete_collective() {
  if (open_collectives_.empty()) return false;
  calls_.complete({open_collectives_.front()});
  open_collectives_.pop_front();
  return true;
}

void SmpiRank::complete_one_sided() {
  calls_.complete(std::exchange(one_sided_, {}));
}

void SmpiRank::add_collective(const SmpiLine& line, Collective collective,
                              const std::vector<std::int64_t>& sizes) {
  // "ibcast" does not block; no name of one that does begins with an i.
  collective.blocking = !line.action().starts_with('i');
  const std::int64_t request = calls_.add(collective, sizes);
  if (request != 0) open_collectives_.push_back(request);
  collectives_.push_back({collective.kind, collective.root, line.where()});
}

void SmpiRank::begin(RegionName function) {
  // A trace has work between calls only: where a rank works before its first one, another begins its program.
  if (calls_.calls.empty() && now_ns() > 0) calls_.begin(RegionName("MPI_Init"), 0);
  calls_.begin(function, now_ns());
}

RankCalls SmpiRank::finish() {
  // The same where it works after its last call, or makes none.
  const std::int64_t last_ns = calls_.calls.empty() ? 0 : calls_.calls.back().end_ns;
  if (now_ns() > last_ns) begin(RegionName("MPI_Finalize"));
  std::ranges::sort(failed_tests_);
  // Tests that found nothing do not complete a request.
  std::vector<Operation> kept;
  auto failed = failed_tests_.begin();
  std::size_t call = 0;
  for (std::size_t o = 0; o <= calls_.operations.size(); ++o) {
    for (; call < calls_.calls.size() && calls_.calls[call].first_operation == o; ++call)
      calls_.calls[call].first_operation = kept.size();
    if (failed != failed_tests_.end() && *failed == o) {
      ++failed;
    } else if (o < calls_.operations.size()) {
      kept.push_back(calls_.operations[o]);
    }
  }
  calls_.operations = std::move(kept);
  return std::move(calls_);
}

}  // namespace finegrain::formats
