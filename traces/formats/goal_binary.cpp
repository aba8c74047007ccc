// SPDX-License-Identifier: MIT
#include "traces/formats/goal_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format's numbers are read as they are in memory");

constexpr std::uint64_t cookie = 4223;
constexpr std::uint64_t used_cookie = 2342;  ///< that of a file that LogGOPSim simulated with --save-mem
constexpr std::uint64_t head_bytes = 8 + 4 + 1 + 1;
constexpr std::uint64_t rank_bytes = 2 * 8;
constexpr std::uint64_t operation_bytes = 1 + 8 + 2 + 7 * 4;
constexpr std::uint32_t any_number = std::numeric_limits<std::uint32_t>::max();

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::uint64_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// One rank's part of the file.
class RankPart {
 public:
  RankPart(std::span<const std::byte> bytes, std::string_view file, std::uint32_t rank, std::uint32_t ranks)
      : bytes_(bytes), file_(file), rank_(rank), ranks_(ranks) {
    if (bytes_.size() < 8) refuse("is cut short");
    operations_ = number_at<std::uint32_t>(bytes_, 0);
    first_operation_ = 8 + std::uint64_t{4} * number_at<std::uint32_t>(bytes_, 4);
    list_ = first_operation_ + operation_bytes * operations_;
    if (list_ > bytes_.size()) refuse("is cut short");
  }

  GoalRank read() const {
    GoalRank rank;
    rank.operations.reserve(operations_);
    for (std::uint32_t number = 0; number < operations_; ++number) {
      const std::uint64_t at = first_operation_ + operation_bytes * number;
      rank.operations.push_back(operation(number, at));
      add_dependents(number, at + 23, true, rank);
      add_dependents(number, at + 31, false, rank);
    }
    return rank;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(std::string(file_), fmt::format("rank {} {}", rank_, problem),
                     "Convert the schedule again with txt2bin, or give its text form");
  }

  GoalOperation operation(std::uint32_t number, std::uint64_t at) const {
    using Kind = GoalOperation::Kind;
    const auto kind = number_at<std::uint8_t>(bytes_, at + 4);
    if (kind < 1 || kind > 3)
      refuse(fmt::format("has operation {} of an unknown kind, {}", number + 1, kind));
    GoalOperation operation{.kind = kind == 1 ? Kind::send : kind == 2 ? Kind::receive : Kind::calculation};
    operation.line = std::size_t{number} + 1;
    const auto size = number_at<std::uint64_t>(bytes_, at + 9);
    if (size > std::uint64_t{1} << 53) refuse(fmt::format("has operation {} of size {}", number + 1, size));
    operation.size = static_cast<std::int64_t>(size);
    operation.cpu = number_at<std::uint8_t>(bytes_, at + 21);
    if (operation.kind == Kind::calculation) return operation;
    const auto peer = number_at<std::uint32_t>(bytes_, at + 5);
    const bool receives = operation.kind == Kind::receive;
    if (peer >= ranks_ && !(receives && peer == any_number))
      refuse(fmt::format("has operation {} with rank {}, which is not there", number + 1, peer));
    operation.peer = peer == any_number ? -1 : static_cast<std::int32_t>(peer);
    const auto tag = number_at<std::uint32_t>(bytes_, at + 17);
    operation.tag = receives && tag == any_number ? -1 : std::int64_t{tag};
    return operation;
  }

  /// @param at  where their count is, and then their place in the list
  void add_dependents(std::uint32_t on, std::uint64_t at, bool on_its_end, GoalRank& rank) const {
    const auto count = number_at<std::uint32_t>(bytes_, at);
    const std::uint64_t first = list_ + std::uint64_t{4} * number_at<std::uint32_t>(bytes_, at + 4);
    if (count > 0 && first + std::uint64_t{4} * count > bytes_.size()) refuse("is cut short");
    // Lists that lie on one another would ask for more memory than the file has.
    if (rank.dependencies.size() + count > bytes_.size() / 4) refuse("has lists that overlap");
    for (std::uint32_t d = 0; d < count; ++d) {
      const auto operation = number_at<std::uint32_t>(bytes_, first + std::uint64_t{4} * d);
      if (operation >= operations_)
        refuse(fmt::format("has no operation {}, which one waits for", operation + 1));
      rank.dependencies.push_back({operation, on, on_its_end});
    }
  }

  std::span<const std::byte> bytes_;
  std::string_view file_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::uint64_t operations_ = 0;
  std::uint64_t first_operation_ = 0;  ///< bytes from the part's start
  std::uint64_t list_ = 0;
};

}  // namespace

bool is_goal_binary(std::span<const std::byte> bytes) {
  if (bytes.size() < head_bytes) return false;
  const auto first = number_at<std::uint64_t>(bytes, 0);
  return first == cookie || first == used_cookie;
}

std::vector<GoalRank> read_goal_binary(std::span<const std::byte> bytes, std::string_view file) {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(std::string(file), problem,
                     "Convert the schedule again with txt2bin, or give its text form");
  };
  if (!is_goal_binary(bytes)) refuse("does not begin as GOAL's binary form");
  const auto ranks = number_at<std::uint32_t>(bytes, 8);
  if (ranks == 0 || ranks > std::uint32_t{std::numeric_limits<std::int32_t>::max()} ||
      head_bytes + rank_bytes * ranks > bytes.size())
    refuse(fmt::format("is cut short (it begins as a schedule of {})", format_count(ranks, "rank")));
  std::vector<GoalRank> schedule;
  std::uint64_t bytes_of_ranks = 0;
  const std::span<const std::byte> after_cookie = bytes.subspan(8);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t entry = head_bytes + rank_bytes * rank;
    const auto start = number_at<std::uint64_t>(bytes, entry);
    const auto end = number_at<std::uint64_t>(bytes, entry + 8);
    if (start > end || end > after_cookie.size()) refuse(fmt::format("has no part of rank {}", rank));
    bytes_of_ranks += end - start;
    if (bytes_of_ranks > bytes.size()) refuse("has parts of ranks that overlap");
    schedule.push_back(RankPart(after_cookie.subspan(start, end - start), file, rank, ranks).read());
  }
  return schedule;
}

}  // namespace finegrain::formats
