// SPDX-License-Identifier: MIT
#include "traces/formats/smpi_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "traces/formats/rank_calls.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

constexpr int byte_type = 6;  ///< SMPI's number of MPI_BYTE

/// The number of a datatype of so many bytes, of which all sizes are multiples.
struct Type {
  int number = byte_type;
  std::int64_t bytes = 1;
};

Type type_of(const Collective& collective, std::span<const std::int64_t> sizes) {
  const auto fits = [&](std::int64_t bytes) {
    return collective.size_bytes % bytes == 0 &&
           std::ranges::all_of(sizes, [bytes](std::int64_t size) { return size % bytes == 0; });
  };
  switch (collective.element_bytes) {
    case 2:
      return fits(2) ? Type{3, 2} : Type{};
    case 4:
      return fits(4) ? Type{1, 4} : Type{};
    case 8:
      return fits(8) ? Type{0, 8} : Type{};
    case 16:
      return fits(16) ? Type{14, 16} : Type{};
    default:
      return {};
  }
}

bool is_of_neighbours(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather;
}

/// Whether a communicator has all ranks, in their order.
bool has_all_ranks(const Trace& trace, std::int32_t communicator) {
  if (communicator == 0) return true;
  const std::span<const std::int32_t> ranks = trace.communicator(communicator);
  if (std::ssize(ranks) != trace.manifest().run.ranks) return false;
  std::int32_t next = 0;
  return std::ranges::all_of(ranks, [&next](std::int32_t rank) { return rank == next++; });
}

bool is_barrier(const Operation& operation) {
  const auto* collective = std::get_if<Collective>(&operation);
  return collective != nullptr && collective->kind == CollectiveKind::barrier && collective->blocking;
}

}  // namespace

template <typename... Arguments>
void SmpiWriter::line(const char* format, const Arguments&... arguments) {
  std::string text;
  fmt::format_to(std::back_inserter(text), "{} ", rank_);
  fmt::format_to(std::back_inserter(text), fmt::runtime(format), arguments...);
  text += '\n';
  text_.add(text);
  ++actions_;
}

void SmpiWriter::is_not_replayed(const char* action) {
  remark(fmt::format("actions '{}', which SMPI writes and its replayer does not know", action));
}

void SmpiWriter::write(const RecordedIteration& call) {
  const Body& body = call.body;
  if (call.lost_ns > 0)
    remark("stretches of work in which the rank waited for a core: that time is left out");
  if (body.regions.size() == 2) {
    const double work_ns = static_cast<double>(call.regions[0].length_ns() - call.lost_ns);
    if (work_ns > 0) line("compute {:.17g}", 1e-9 * work_ns * flops_per_s_);
  }
  const auto operations = body.operations_of(body.regions.back());
  for (std::size_t o = 0; o < operations.size();) {
    if (std::holds_alternative<Complete>(operations[o])) {
      std::vector<std::int64_t> ended;
      for (; o < operations.size() && std::holds_alternative<Complete>(operations[o]); ++o) {
        const auto& complete = std::get<Complete>(operations[o]);
        const std::int64_t first = requests_ + 1 - complete.oldest;
        const auto after = open_.lower_bound(first + complete.count);
        for (auto open = open_.lower_bound(first); open != after; ++open)
          ended.push_back(open->first);
      }
      const bool ends_one_sided = std::ranges::any_of(ended, [this](std::int64_t request) {
        const auto open = open_.find(request);
        return open != open_.end() && open->second.kind == Request::one_sided;
      });
      const bool is_fence = ends_one_sided && o < operations.size() && is_barrier(operations[o]);
      complete(ended, is_fence);
      if (is_fence) ++o;
      continue;
    }
    const Operation& operation = operations[o++];
    if (const auto* post = std::get_if<Post>(&operation)) {
      write(*post);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      write(*collective, body);
    } else if (const auto* lock = std::get_if<Lock>(&operation)) {
      write(*lock);
    } else {
      line("sleep {:.17g}", 1e-9 * static_cast<double>(call.regions.back().length_ns()));
    }
  }
  ++calls_;
}

void SmpiWriter::write(const Post& post) {
  if (is_two_sided(post.kind)) return write_message(post);
  if (makes_request(post)) ++requests_;
  if (is_nothing(post, rank_)) {
    if (makes_request(post)) open_[requests_] = {Request::nothing, ""};
    return;
  }
  const char* const action = post.kind == TransferKind::put          ? "Put"
                             : post.kind == TransferKind::get        ? "Get"
                             : post.kind == TransferKind::accumulate ? "Accumulate"
                                                                     : "Get_accumulate";
  text_.expect(static_cast<double>(post.repeat), "0 Put 1 0 1 6\n");
  for (std::int64_t i = 0; i < post.repeat; ++i)
    line("{} {} 0 {} {}", action, post.peer, post.size_bytes, byte_type);
  is_not_replayed(action);
  if (makes_request(post)) open_[requests_] = {Request::one_sided, ""};
}

void SmpiWriter::write_message(const Post& post) {
  const std::string wait = begin_message(post, tags_.of(post));
  if (makes_request(post)) open_[++requests_] = {Request::message, wait};
}

std::string SmpiWriter::begin_message(const Post& post, std::int32_t tag) {
  const bool sends = post.kind == TransferKind::send;
  const char* const action = sends           ? post.is_synchronous ? post.blocking ? "Ssend" : "ISsend"
                                               : post.blocking     ? "send"
                                                                   : "isend"
                             : post.blocking ? "recv"
                                             : "irecv";
  text_.expect(static_cast<double>(post.repeat), "0 send 1 0 1 6\n");
  for (std::int64_t i = 0; i < post.repeat; ++i)
    line("{} {} {} {} {}", action, post.peer, tag, post.size_bytes, byte_type);
  if (post.is_synchronous) is_not_replayed(action);
  if (post.is_buffered) remark("buffered sends, written as others");
  return fmt::format("{} {} {}", sends ? rank_ : post.peer, sends ? post.peer : rank_, tag);
}

void SmpiWriter::complete(const std::vector<std::int64_t>& ended, bool is_fence) {
  // Others may wait for what a collective goes on to send.
  for (const std::int64_t request : ended) {
    const auto expansion = expansions_.find(request);
    if (expansion == expansions_.end()) continue;
    go_on(expansion->second, Until::end);
    expansions_.erase(expansion);
  }
  std::vector<std::string> waits;
  bool ends_one_sided = false;
  for (const std::int64_t request : ended) {
    const auto open = open_.find(request);
    if (open == open_.end()) continue;
    const Request kind = open->second.kind;
    if (kind == Request::message) waits.push_back(open->second.wait);
    if (kind == Request::collective) waits.push_back(collective_request());
    ends_one_sided = ends_one_sided || kind == Request::one_sided;
    open_.erase(open);
  }
  const auto left = std::ranges::count_if(open_, [](const auto& open) {
    return open.second.kind == Request::message || open.second.kind == Request::collective ||
           open.second.kind == Request::expanded;
  });
  if (waits.size() > 1 && left == 0) {
    line("waitall {}", waits.size());
  } else {
    for (const std::string& wait : waits)
      line("wait {}", wait);
  }
  if (!ends_one_sided) return;
  const char* const action = is_fence ? "Win_fence" : "Win_flush_all";
  line("{}", action);
  is_not_replayed(action);
  if (std::ranges::any_of(open_, [](const auto& open) { return open.second.kind == Request::one_sided; }))
    remark("windows' transfers that go on after others are complete: the format completes all at once");
}

/// Nonblocking ones do at their wait what waits for others.
void SmpiWriter::expand(const Collective& collective, const Body& body) {
  std::vector<Operation> operations = expand_(collective, body, rank_);
  const std::int64_t instance =
      makes_request(collective) ? 1 + posted_[collective.communicator]++ % collectives_at_once : 0;
  const std::int64_t tag =
      tags_.after_last() + collective.communicator * (collectives_at_once + 1) + instance;
  if (tag > std::numeric_limits<std::int32_t>::max())
    throw InputError("export", "the tags of messages leave none for collectives", "Use finegrain replay");
  if (!operations.empty())
    remark(
        "collectives of some ranks, of another order of ranks, or of neighbours, written as the messages "
        "that "
        "they send; their sums and copies are left out");
  Expansion expansion{static_cast<std::int32_t>(tag), {operations.begin(), operations.end()}, {}, 0};
  if (!makes_request(collective)) return go_on(expansion, Until::end);
  go_on(expansion, Until::first_wait);
  open_[++requests_] = {expansion.left.empty() ? Request::nothing : Request::expanded, ""};
  if (!expansion.left.empty()) expansions_[requests_] = std::move(expansion);
}

void SmpiWriter::go_on(Expansion& expansion, Until until) {
  for (; !expansion.left.empty(); expansion.left.pop_front()) {
    const Operation& operation = expansion.left.front();
    if (const auto* complete = std::get_if<Complete>(&operation)) {
      if (until == Until::first_wait) return;
      const std::int64_t first = complete->is_all() ? 0 : expansion.requests + 1 - complete->oldest;
      const auto from = expansion.waits.lower_bound(first);
      const auto to =
          complete->is_all() ? expansion.waits.end() : expansion.waits.lower_bound(first + complete->count);
      for (auto waits = from; waits != to; ++waits)
        for (const std::string& wait : waits->second)
          line("wait {}", wait);
      expansion.waits.erase(from, to);
    } else if (const auto* post = std::get_if<Post>(&operation)) {
      if (!makes_request(*post) && until == Until::first_wait) return;
      const std::string wait = begin_message(*post, expansion.tag);
      if (makes_request(*post))
        expansion.waits[++expansion.requests].assign(static_cast<std::size_t>(post->repeat), wait);
    }
  }
}

/// SMPI's messages in collectives have tags below 0, by which it knows their requests.
std::string SmpiWriter::collective_request() const {
  return fmt::format("{} {} -1000", rank_, rank_);
}

void SmpiWriter::write(const Lock& lock) {
  const bool all = lock.peer < 0;
  const char* const action = lock.acquire ? all ? "Win_lock_all" : "Win_lock"
                             : all        ? "Win_unlock_all"
                                          : "Win_unlock";
  line("{}", action);
  is_not_replayed(action);
}

void SmpiWriter::write(Collective collective, const Body& body) {
  using K = CollectiveKind;
  if (!has_all_ranks(trace_, collective.communicator) || is_of_neighbours(collective.kind))
    return expand(collective, body);
  const auto sizes = std::span(body.sizes)
                         .subspan(static_cast<std::size_t>(collective.first_size),
                                  static_cast<std::size_t>(collective.size_count));
  const Type type = type_of(collective, sizes);
  const bool waits = !makes_request(collective);
  if (collective.blocking && collectives_ == BlockingCollectives::begin_and_wait) {
    remark("blocking collectives of a run whose threads wait for some of them, written as nonblocking ones");
    collective.blocking = false;
  }
  const char* const i = collective.blocking ? "" : "i";
  const std::int64_t count = collective.size_bytes / type.bytes;
  if (is_reduction(collective.kind) && type.number == byte_type && collective.element_bytes != 1)
    remark(fmt::format(
        "reductions of elements of {} B, a size that the format has no type of: written as single "
        "bytes, so a library may take another algorithm",
        collective.element_bytes));
  if (!collective.commutative) remark("reductions of which the order matters: the format does not say so");
  switch (collective.kind) {
    case K::barrier:
      line("{}barrier", i);
      break;
    case K::broadcast:
      line("{}bcast {} {} {}", i, count, collective.root, type.number);
      break;
    case K::reduce:
      line("{}reduce {} 0 {} {}", i, count, collective.root, type.number);
      break;
    case K::allreduce:
    case K::scan:
    case K::exscan:
      line("{}{} {} 0 {}", i, to_string(collective.kind), count, type.number);
      break;
    case K::alltoall:
    case K::allgather:
      line("{}{} {} {} {} {}", i, to_string(collective.kind), count, count, type.number, type.number);
      break;
    case K::gather:
    case K::scatter:
      line("{}{} {} {} {} {} {}", i, to_string(collective.kind), count, count, collective.root, type.number,
           type.number);
      break;
    case K::reduce_scatter_block: {
      remark("MPI_Reduce_scatter_block, written as MPI_Reduce_scatter of equal parts");
      const std::vector<std::int64_t> blocks(static_cast<std::size_t>(trace_.manifest().run.ranks), count);
      line("{}reducescatter {} 0 {}", i, fmt::join(blocks, " "), type.number);
      break;
    }
    default:
      write_sizes(i, collective, sizes);
  }
  if (collective.blocking) return;
  remark("nonblocking collectives, which SMPI writes and its replayer does not know");
  if (waits) return line("wait {}", collective_request());
  open_[++requests_] = {Request::collective, ""};
}

void SmpiWriter::write_sizes(const char* i, const Collective& collective,
                             std::span<const std::int64_t> sizes) {
  using K = CollectiveKind;
  const auto ranks = static_cast<std::size_t>(trace_.manifest().run.ranks);
  const Type type = type_of(collective, sizes);
  const std::int64_t count = collective.size_bytes / type.bytes;
  // Only the root has them; the others write zeros, as SMPI does.
  std::vector<std::int64_t> counts(sizes.begin(), sizes.end());
  for (std::int64_t& of_rank : counts)
    of_rank /= type.bytes;
  const bool has_two = collective.kind == K::alltoallv || collective.kind == K::alltoallw;
  if (counts.size() < (has_two ? 2 : 1) * ranks) counts.resize((has_two ? 2 : 1) * ranks, 0);
  const auto first = std::span(counts).first(ranks);
  switch (collective.kind) {
    case K::gatherv:
      line("{}gatherv {} {} {} {} {}", i, count, fmt::join(first, " "), collective.root, type.number,
           type.number);
      break;
    case K::allgatherv:
      line("{}allgatherv {} {} {} {}", i, count, fmt::join(first, " "), type.number, type.number);
      break;
    case K::scatterv:
      line("{}scatterv {} {} {} {} {}", i, fmt::join(first, " "), count, collective.root, type.number,
           type.number);
      break;
    case K::reduce_scatter:
      line("{}reducescatter {} 0 {}", i, fmt::join(first, " "), type.number);
      break;
    case K::alltoallv:
    case K::alltoallw: {
      const auto received = std::span(counts).subspan(ranks, ranks);
      const auto sum = [](auto values) {
        return std::accumulate(values.begin(), values.end(), std::int64_t{0});
      };
      if (collective.kind == K::alltoallw) remark("MPI_Alltoallw, written as MPI_Alltoallv");
      line("{}alltoallv {} {} {} {} {} {}", i, sum(first), fmt::join(first, " "), sum(received),
           fmt::join(received, " "), type.number, type.number);
      break;
    }
    default:
      throw InputError(trace_.file_name(rank_),
                       fmt::format("call {} is a {} (a time-independent trace has no such collective)",
                                   calls_, to_string(collective.kind)),
                       "Use finegrain replay");
  }
}

}  // namespace finegrain::formats
