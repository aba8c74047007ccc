// SPDX-License-Identifier: MIT
#include "traces/scaling/recorded_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_operations = 20'000'000;  ///< in memory: of all recordings together

bool is_all_in_order(std::span<const std::int32_t> members, int ranks) {
  if (std::ssize(members) != ranks) return false;
  for (int rank = 0; rank < ranks; ++rank)
    if (members[static_cast<std::size_t>(rank)] != rank) return false;
  return true;
}

/// Reads the calls of one rank after the other.
class RankReading {
 public:
  RankReading(const Trace& trace, Sites& sites) : trace_(trace), sites_(sites) {}

  RecordedRank read(int rank) {
    read_ = {};
    open_.clear();
    requests_ = 0;
    Trace::RankReader reader = trace_.rank(rank);
    while (const std::optional<RecordedIteration> call = reader.next())
      add(*call);
    return std::move(read_);
  }

 private:
  struct Open {
    std::int64_t number;
    int site;
  };

  void add(const RecordedIteration& recorded) {
    const Body& body = recorded.body;
    RecordedCall call{sites_.number_of(body.regions.back().name), 0,
                      static_cast<std::uint32_t>(read_.operations.size())};
    // The time that the rank waited for a core belongs to the computer on which it was recorded.
    if (body.regions.size() == 2)
      call.work_ns = static_cast<double>(
          std::max<std::int64_t>(0, recorded.regions.front().length_ns() - recorded.lost_ns));
    std::vector<std::int64_t> completed;
    std::optional<std::size_t> completes;  // the place of what it completes among its operations
    for (const Operation& operation : body.operations_of(body.regions.back())) {
      if (const auto* complete = std::get_if<Complete>(&operation)) {
        if (!completes) {
          completes = read_.operations.size();
          read_.operations.push_back({Complete::all()});
        }
        add_completed(*complete, completed);
        continue;
      }
      read_.operations.push_back(operation_of(operation, body));
      if (makes_request(operation)) open_.push_back({++requests_, call.site});
    }
    if (completes) read_.operations[*completes].completion = completion_of(completed);
    call.operation_count = static_cast<std::uint32_t>(read_.operations.size()) - call.first_operation;
    read_.calls.push_back(call);
  }

  RecordedOperation operation_of(const Operation& operation, const Body& body) {
    RecordedOperation read{operation};
    if (const auto* post = std::get_if<Post>(&operation)) read.members = members_of(post->communicator);
    if (const auto* collective = std::get_if<Collective>(&operation)) {
      read.members = members_of(collective->communicator);
      const auto first = body.sizes.begin() + collective->first_size;
      if (collective->size_count > 0) read.sizes.assign(first, first + collective->size_count);
    }
    if (const auto* lock = std::get_if<Lock>(&operation)) read.members = members_of(lock->window);
    return read;
  }

  Members members_of(std::int32_t communicator) {
    if (communicator == 0) return nullptr;
    const auto [known, is_new] = members_.try_emplace(communicator, nullptr);
    if (!is_new) return known->second;
    const std::span<const std::int32_t> ranks = trace_.communicator(communicator);
    if (is_all_in_order(ranks, trace_.manifest().run.ranks)) return nullptr;
    known->second = std::make_shared<const std::vector<std::int32_t>>(ranks.begin(), ranks.end());
    return known->second;
  }

  void add_completed(const Complete& complete, std::vector<std::int64_t>& completed) const {
    const std::int64_t first = complete.is_all() ? 0 : requests_ + 1 - complete.oldest;
    const std::int64_t after = complete.is_all() ? requests_ + 1 : first + complete.count;
    for (const Open& open : open_)
      if (open.number >= first && open.number < after) completed.push_back(open.number);
  }

  /// Takes the completed requests from the open ones.
  std::shared_ptr<const Completion> completion_of(const std::vector<std::int64_t>& completed) {
    Completion completion;
    completion.open = std::ssize(open_);
    std::vector<Open> left;
    std::int64_t last = -1;
    std::vector<std::int64_t> positions;
    for (std::int64_t at = 0; at < completion.open; ++at) {
      const Open& open = open_[static_cast<std::size_t>(at)];
      if (std::ranges::find(completed, open.number) == completed.end()) {
        left.push_back(open);
        completion.left_open.push_back(open.site);
        continue;
      }
      if (completion.count++ == 0)
        completion.first = at;
      else if (at != last + 1)
        completion.is_contiguous = false;
      last = at;
      positions.push_back(at);
      completion.of_sites.push_back(open.site);
    }
    open_ = std::move(left);
    if (!completion.is_contiguous) completion.positions = std::move(positions);
    for (std::vector<int>* sites : {&completion.of_sites, &completion.left_open}) {
      std::ranges::sort(*sites);
      sites->erase(std::unique(sites->begin(), sites->end()), sites->end());
    }
    return std::make_shared<const Completion>(std::move(completion));
  }

  const Trace& trace_;
  Sites& sites_;
  RecordedRank read_;
  std::vector<Open> open_;
  std::int64_t requests_ = 0;
  std::map<std::int32_t, Members> members_;
};

}  // namespace

int Sites::number_of(RegionName name) {
  const auto [known, is_new] = numbers_.try_emplace(name, size());
  if (is_new) names_.emplace_back(name.text());
  return known->second;
}

RegionName Sites::written_name(int site) const {
  if (written_ == CallsNamed::by_function) return RegionName(function_of(RegionName(name(site))));
  return RegionName(name(site).substr(0, name(site).find('#')));  // ChainNames: "halo.c:88#2"
}

bool Sites::is_before(int a, int b) const {
  const auto place = [](const std::string& name) {
    const std::size_t space = name.find(' ');
    return space == std::string::npos ? std::string() : name.substr(space + 1);
  };
  return is_before_ && is_before_(place(name(a)), place(name(b)));
}

Recording read_recording(const Trace& trace, Sites& sites, std::int64_t& operations) {
  Recording recording{trace.file_name(0), {}, trace.manifest().oversubscribed};
  RankReading reading(trace, sites);
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    RecordedRank read = reading.read(rank);
    if (read.calls.empty()) throw InputError(trace.file_name(rank), "it has no calls", "Record it again");
    operations += std::ssize(read.operations) + std::ssize(read.calls);
    if (operations > most_operations)
      throw InputError(trace.file_name(rank),
                       fmt::format("the recordings have more than {} operations", most_operations),
                       "Record fewer iterations");
    recording.ranks.push_back(std::move(read));
  }
  return recording;
}

}  // namespace finegrain::scaling
