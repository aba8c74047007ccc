// SPDX-License-Identifier: MIT
// recorded_calls trace [operations]: prints what each rank called, and what it sent, as
// tests/recorder/pmpi_counter.c does. Fails where a message has no receive, a request is never completed, or
// ranks disagree about a collective.
#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "traces/communicators.hpp"
#include "traces/file_slice.hpp"
#include "traces/manifest.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace {

using namespace finegrain;

using Channel =
    std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;  ///< from, to, communicator, tag

struct Seen {
  std::map<Channel, std::deque<std::int64_t>> sent, received;
  /// What each rank of each communicator did.
  std::map<std::int32_t, std::map<int, std::vector<Collective>>> collectives;
};

class Rank {
 public:
  Rank(Seen& seen, int rank) : seen_(seen), rank_(rank) {}

  void add(const Operation& operation) {
    if (const auto* post = std::get_if<Post>(&operation)) {
      add(*post);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      seen_.collectives[collective->communicator][rank_].push_back(*collective);
    } else if (const auto* complete = std::get_if<Complete>(&operation)) {
      for (std::int64_t n = 0; n < complete->count; ++n)
        is_good_ = open_.erase(requests_ - complete->oldest + n) == 1 && is_good_;
    }
    if (makes_request(operation)) open_.insert(requests_++);
  }
  void called(std::string_view function, std::uint64_t times) { calls_[std::string(function)] += times; }

  void print() const {
    for (const auto& [function, times] : calls_)
      std::cout << "rank " << rank_ << " calls " << function << " " << times << "\n";
    for (const auto& [transfer, count_and_bytes] : transfers_) {
      std::cout << "rank " << rank_ << " " << transfer.first << " " << transfer.second << " "
                << count_and_bytes[0] << " " << count_and_bytes[1] << "\n";
    }
  }
  bool is_good() const {
    if (!is_good_) std::cerr << "rank " << rank_ << " completes what is not open\n";
    if (!open_.empty()) std::cerr << "rank " << rank_ << " leaves " << open_.size() << " requests open\n";
    return is_good_ && open_.empty();
  }
  /// A request of a message that was cancelled or forgotten.
  void forget_cancelled(const Post& post) {
    if (stands_for_cancelled(post) && post.peer == rank_ && post.size_bytes == 0) open_.erase(requests_ - 1);
  }

 private:
  /// A program's own put is on a window, which has another number.
  static bool stands_for_cancelled(const Post& post) {
    return post.kind == TransferKind::put && post.communicator == 0;
  }
  void add(const Post& post) {
    if (post.kind == TransferKind::receive)
      return seen_.received[{post.peer, rank_, post.communicator, post.tag}].push_back(post.size_bytes);
    const bool is_send = post.kind == TransferKind::send;
    if (is_send) seen_.sent[{rank_, post.peer, post.communicator, post.tag}].push_back(post.size_bytes);
    if (post.tag < 0) return;  // that an epoch of a window begins or ends
    if (stands_for_cancelled(post)) return;
    auto& [count, bytes] = transfers_[{std::string(to_string(post.kind)), post.peer}];
    ++count;
    bytes += post.size_bytes;
  }

  Seen& seen_;
  int rank_;
  bool is_good_ = true;
  std::int64_t requests_ = 0;
  std::set<std::int64_t> open_;
  std::map<std::string, std::uint64_t> calls_;
  std::map<std::pair<std::string, int>, std::array<std::int64_t, 2>> transfers_;
};

/// "MPI_Iallreduce" as "allreduce", if that is a collective.
std::optional<CollectiveKind> collective_of(std::string_view function) {
  std::string name(function.substr(std::min<std::size_t>(function.size(), 4)));
  for (char& c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.ends_with("bcast")) name.replace(name.size() - 5, 5, "broadcast");
  for (int kind = 0; kind <= static_cast<int>(CollectiveKind::neighbor_alltoallw); ++kind) {
    const std::string known(to_string(static_cast<CollectiveKind>(kind)));
    if (name == known || name == "i" + known) return static_cast<CollectiveKind>(kind);
  }
  return std::nullopt;
}

/// A collective's call holds that collective.
bool is_what_it_says(const Body& body) {
  const auto kind = collective_of(body.regions.back().name.text());
  if (!kind) return true;
  const std::span<const Operation> operations = body.operations_of(body.regions.back());
  // Between two groups, some ranks take no part in one with a root, and others do it by messages, with the
  // other group's ranks as neighbours, or by what their own group does last.
  if (operations.empty()) return true;
  using enum CollectiveKind;
  for (const Operation& operation : operations) {
    const auto* collective = std::get_if<Collective>(&operation);
    if (collective != nullptr && (collective->kind == *kind || collective->kind == neighbor_alltoallw))
      return true;
    const auto* post = std::get_if<Post>(&operation);
    if (post != nullptr && post->tag == -3) return true;
  }
  const auto* last = std::get_if<Collective>(&operations.back());
  const bool is_all_to_all = *kind != broadcast && *kind != gather && *kind != scatter && *kind != reduce;
  if (last != nullptr && is_all_to_all &&
      (last->kind == broadcast || last->kind == scatter || last->kind == scatterv))
    return true;
  std::cerr << body.regions.back().name.text() << " without its collective\n";
  return false;
}

/// None, and no longer good, where the file just ends.
std::optional<Decoded> next_of(RankFileReader& file, bool& is_good) try {
  const Decoded* next = file.next();
  return next != nullptr ? std::optional(*next) : std::nullopt;
} catch (const UnfinishedFile& error) {
  std::cerr << error.what() << "\n";
  is_good = false;
  return std::nullopt;
}

void print_operations(int rank, const Body& body) {
  const Region& region = body.regions.back();
  std::cout << "rank " << rank << " " << region.name.text() << ":";
  for (const Operation& operation : body.operations_of(region)) {
    std::cout << " " << describe(operation);
    const auto* collective = std::get_if<Collective>(&operation);
    for (int s = 0; collective != nullptr && s < collective->size_count; ++s)
      std::cout << " " << body.sizes[static_cast<std::size_t>(collective->first_size + s)];
    std::cout << ";";
  }
  std::cout << "\n";
}

bool each_is_received(const Seen& seen) {
  bool is_good = true;
  std::set<Channel> channels;
  for (const auto* side : {&seen.sent, &seen.received}) {
    for (const auto& [channel, sizes] : *side)
      channels.insert(channel);
  }
  for (const Channel& channel : channels) {
    const auto [from, to, communicator, tag] = channel;
    const auto sizes = [&](const auto& side) {
      const auto found = side.find(channel);
      return found == side.end() ? std::deque<std::int64_t>{} : found->second;
    };
    const auto sent = sizes(seen.sent), received = sizes(seen.received);
    bool fits = sent.size() == received.size();
    for (std::size_t n = 0; fits && n < sent.size(); ++n)
      fits = sent[n] <= received[n];
    if (fits) continue;
    std::cerr << "from " << from << " to " << to << ", communicator " << communicator << ", tag " << tag
              << ": " << sent.size() << " sent, " << received.size() << " received, or too small\n";
    is_good = false;
  }
  return is_good;
}

bool ranks_agree(const Seen& seen, const Communicators& communicators, int ranks) {
  bool is_good = true;
  for (const auto& [number, of_ranks] : seen.collectives) {
    const std::size_t members =
        number == 0 ? static_cast<std::size_t>(ranks) : communicators.ranks(number).size();
    const auto& first = of_ranks.begin()->second;
    bool agrees = of_ranks.size() == members;
    for (const auto& [rank, collectives] : of_ranks) {
      agrees = agrees && collectives.size() == first.size();
      for (std::size_t n = 0; agrees && n < first.size(); ++n)
        agrees = collectives[n].kind == first[n].kind && collectives[n].root == first[n].root;
    }
    if (agrees) continue;
    std::cerr << "communicator " << number << " of " << members << " ranks: its ranks do not do the same\n";
    is_good = false;
  }
  return is_good;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) throw std::runtime_error("usage: recorded_calls trace [operations]");
  const bool prints_operations = argc == 3;
  const std::filesystem::path folder = argv[1];
  const Manifest manifest = read_manifest(folder);
  const auto communicators = std::make_shared<Communicators>();
  Seen seen;
  bool is_good = true;
  for (int rank = 0; rank < manifest.run.ranks; ++rank) {
    RankFileReader file(FileSlice(folder / rank_file_name(rank)), rank, manifest.run.ranks, communicators);
    Rank what(seen, rank);
    // What a killed rank left is read up to where it ends.
    while (const auto call = next_of(file, is_good)) {
      is_good = is_what_it_says(call->shape->body) && is_good;
      if (prints_operations) print_operations(rank, call->shape->body);
      what.called(call->shape->body.regions.back().name.text(), call->calls);
      for (const Operation& operation : call->shape->body.operations) {
        what.add(operation);
        if (const auto* post = std::get_if<Post>(&operation)) what.forget_cancelled(*post);
      }
    }
    if (!prints_operations) what.print();
    is_good = what.is_good() && is_good;
  }
  is_good = each_is_received(seen) && is_good;
  is_good = ranks_agree(seen, *communicators, manifest.run.ranks) && is_good;
  return is_good ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
