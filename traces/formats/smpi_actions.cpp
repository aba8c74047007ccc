// SPDX-License-Identifier: MIT
// What each action of SimGrid's time-independent traces does: those that SMPI 3.32 replays, and those that it
// writes and cannot replay.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "traces/formats/smpi_arguments.hpp"
#include "traces/formats/smpi_rank.hpp"
#include "traces/formats/smpi_remarks.hpp"

namespace finegrain::formats {
namespace {

constexpr std::int32_t any_tag_of_smpi = -444;

}  // namespace

struct SmpiActions {
  using Do = void (*)(SmpiRank&, const SmpiLine&);
  struct Action {
    const char* function;
    Do perform;
  };
  static const std::map<std::string_view, Action>& all();

  static void none(SmpiRank& /*rank*/, const SmpiLine& /*line*/) {}
  static void file(SmpiRank& rank, const SmpiLine& /*line*/) { rank.remark(lost_files); }
  static void migrate(SmpiRank& rank, const SmpiLine& /*line*/) { rank.remark(lost_migrations); }
  static void init(SmpiRank& rank, const SmpiLine& line) {
    rank.default_element_bytes_ = line.arguments() > 0 ? 8 : 1;
  }

  template <TransferKind kind, bool blocking, bool synchronous = false, bool buffered = false>
  static void transfer(SmpiRank& rank, const SmpiLine& line) {
    const bool receives = kind == TransferKind::receive;
    Post post{.kind = kind,
              .blocking = blocking,
              .is_synchronous = synchronous,
              .is_buffered = buffered,
              .peer = rank.rank_of(line, 0),
              .tag = line.whole(1),
              .size_bytes = 0};
    // A receive whose size is not known has a negative one or 0.
    const bool has_size = !receives || line.arguments() < 3 || !line.text(2).starts_with('-');
    const std::int64_t element_bytes = rank.element_bytes(line, 3);
    if (has_size) post.size_bytes = rank.bytes(line, line.count(2), element_bytes);
    if (receives) {
      post.any_source = post.peer < 0;
      post.any_tag = post.tag == any_tag_of_smpi || post.tag == -1;
      if (post.any_tag) post.tag = unknown_tag;
    } else if (post.peer < 0) {
      return;  // to MPI_PROC_NULL
    }
    rank.post(post);
  }
  /// "sendRecv BYTES_SENT TO BYTES_RECEIVED FROM": tags are 0.
  static void exchange(SmpiRank& rank, const SmpiLine& line) {
    const std::int64_t sent = rank.bytes(line, line.count(0), rank.element_bytes(line, 4));
    const std::int64_t received = rank.bytes(line, line.count(2), rank.element_bytes(line, 5));
    const std::int32_t to = rank.rank_of(line, 1);
    const std::int32_t from = rank.rank_of(line, 3);
    std::vector<std::int64_t> requests;
    if (to >= 0)
      requests.push_back(rank.calls_.add(Post{.kind = TransferKind::send, .peer = to, .size_bytes = sent}));
    if (from >= 0)
      requests.push_back(
          rank.calls_.add(Post{.kind = TransferKind::receive, .peer = from, .size_bytes = received}));
    rank.calls_.complete(std::move(requests));
  }
  /// "Start TO TAG BYTES": a receive, if it goes to the rank itself, of a source that its wait may name.
  static void start(SmpiRank& rank, const SmpiLine& line) {
    const std::int32_t to = rank.rank_of(line, 0);
    if (to < 0) return;
    const bool receives = to == rank.rank_;
    rank.post({.kind = receives ? TransferKind::receive : TransferKind::send,
               .any_source = receives,
               .peer = receives ? -1 : to,
               .tag = line.whole(1),
               .size_bytes = rank.bytes(line, line.count(2), 1)});
  }
  static SmpiRank::Key key(const SmpiRank& rank, const SmpiLine& line) {
    const std::int32_t tag = line.whole(2);
    return {rank.rank_of(line, 0), rank.rank_of(line, 1), tag == any_tag_of_smpi ? unknown_tag : tag};
  }
  static void wait(SmpiRank& rank, const SmpiLine& line) {
    const SmpiRank::Key wanted = key(rank, line);
    // SMPI's own messages in collectives have negative tags.
    if (wanted[2] < 0 && wanted[2] != unknown_tag && rank.complete_collective()) return;
    const std::int64_t request = rank.find(wanted);
    if (request == 0) {
      // A line that names no request may have been taken to complete it. MPI_PROC_NULL makes no request.
      if (rank.rank_of(line, 0) >= 0 && rank.rank_of(line, 1) >= 0) rank.remark(no_request);
      return;
    }
    auto& post = std::get<Post>(rank.calls_.operations[rank.open_.at(request).operation]);
    if (post.kind == TransferKind::receive && post.peer < 0) post.peer = wanted[0];
    rank.complete(request);
  }
  static void test(SmpiRank& rank, const SmpiLine& line) {
    if (const std::int64_t request = rank.find(key(rank, line)); request != 0) rank.test(request);
  }
  static void wait_all(SmpiRank& rank, const SmpiLine& line) {
    const auto open = std::ssize(rank.open_) + std::ssize(rank.open_collectives_);
    if (line.arguments() > 0 && line.count(0) < open) rank.remark(later_waits);
    rank.complete_all();
  }
  static void wait_any(SmpiRank& rank, const SmpiLine& /*line*/) {
    if (rank.open_.size() > 1) rank.remark(guessed_any);
    rank.complete_any();
  }
  static void test_some(SmpiRank& rank, const SmpiLine& /*line*/) {
    if (!rank.open_.empty()) rank.remark(lost_tests);
  }
  static void compute(SmpiRank& rank, const SmpiLine& line) {
    constexpr double few_flops = 10;  // of more, it is nothing
    const double flops = line.number(0);
    if (flops < few_flops && flops != std::floor(flops)) rank.remark(whole_flops);
    rank.pass(line, flops / rank.flops_per_s_);
  }
  static void sleep(SmpiRank& rank, const SmpiLine& line) {
    rank.calls_.add(Work{.is_timed = true});
    rank.pass(line, line.number(0));
    rank.calls_.end(rank.now_ns());
  }
  /// Flops of a reduction: work after it.
  static void reduce_flops(SmpiRank& rank, const SmpiLine& line, std::size_t argument) {
    if (argument < line.arguments()) rank.pass(line, line.number(argument) / rank.flops_per_s_);
  }

  static void barrier(SmpiRank& rank, const SmpiLine& line) { rank.add_collective(line, {}); }
  static void broadcast(SmpiRank& rank, const SmpiLine& line) {
    uniform(rank, line, CollectiveKind::broadcast, 0, 2, rank.root(line, 1));
  }
  static void reduce(SmpiRank& rank, const SmpiLine& line) {
    uniform(rank, line, CollectiveKind::reduce, 0, 3, rank.root(line, 2));
    reduce_flops(rank, line, 1);
  }
  template <CollectiveKind kind>
  static void reduce_to_all(SmpiRank& rank, const SmpiLine& line) {
    uniform(rank, line, kind, 0, 2, 0);
    reduce_flops(rank, line, 1);
  }
  /// What each rank sends, or receives, is one block.
  template <CollectiveKind kind, bool has_root = false>
  static void blocks(SmpiRank& rank, const SmpiLine& line) {
    const BlockPlaces places = places_of_blocks(line, has_root, rank.ranks_);
    const std::int32_t root = has_root ? rank.root(line, places.root) : 0;
    // A root that gathers in place sends nothing to itself, and has the size of what it receives.
    const bool is_gathered_in_place = kind == CollectiveKind::gather && root == rank.rank_ &&
                                      places.received && line.text(BlockPlaces::sent) == "0";
    const bool has_sent =
        (kind == CollectiveKind::gather || kind == CollectiveKind::alltoall) && !is_gathered_in_place;
    const std::optional<std::size_t> size = has_sent ? BlockPlaces::sent : places.received;
    const std::int64_t element_bytes =
        rank.element_bytes(line, has_sent ? places.sent_type : places.received_type);
    rank.add_collective(line, {.kind = kind,
                               .root = root,
                               .element_bytes = static_cast<std::int32_t>(element_bytes),
                               .size_bytes = size ? rank.bytes(line, line.count(*size), element_bytes) : 0});
  }
  static void uniform(SmpiRank& rank, const SmpiLine& line, CollectiveKind kind, std::size_t size_argument,
                      std::size_t type_argument, std::int32_t root) {
    const std::int64_t element_bytes = rank.element_bytes(line, type_argument);
    rank.add_collective(line, {.kind = kind,
                               .root = root,
                               .element_bytes = static_cast<std::int32_t>(element_bytes),
                               .size_bytes = rank.bytes(line, line.count(size_argument), element_bytes)});
  }

  /// "gatherv SENT RECEIVED_0 ... ROOT TYPE_SENT TYPE_RECEIVED"; of an allgatherv without the root.
  template <CollectiveKind kind>
  static void gather_sizes(SmpiRank& rank, const SmpiLine& line) {
    const auto ranks = static_cast<std::size_t>(rank.ranks_);
    const bool to_all = kind == CollectiveKind::allgatherv;
    const std::size_t first = to_all ? 1 : place_of_gathered(line, rank.rank_, rank.ranks_);
    const std::int32_t root = to_all ? 0 : rank.root(line, first + ranks);
    const std::size_t type = first + ranks + (to_all ? 0 : 1);
    // Its own size tells the root what it sends, also in place. To the others, what is received says nothing.
    const bool has_sizes = to_all || root == rank.rank_;
    const std::int64_t element_bytes = rank.element_bytes(line, has_sizes ? type + 1 : type);
    const std::vector<std::int64_t> sizes = rank.bytes_of_ranks(line, first, has_sizes ? element_bytes : 0);
    const std::int64_t own = has_sizes ? sizes[static_cast<std::size_t>(rank.rank_)]
                                       : rank.bytes(line, line.count(0), element_bytes);
    rank.add_collective(line,
                        {.kind = kind,
                         .root = root,
                         .element_bytes = static_cast<std::int32_t>(element_bytes),
                         .size_bytes = own},
                        has_sizes ? sizes : std::vector<std::int64_t>());
  }
  /// "scatterv SENT_0 ... RECEIVED ROOT TYPE_SENT TYPE_RECEIVED"
  static void scatter_sizes(SmpiRank& rank, const SmpiLine& line) {
    const auto ranks = static_cast<std::size_t>(rank.ranks_);
    const std::int32_t root = rank.root(line, ranks + 1);
    const bool is_root = root == rank.rank_;
    const std::int64_t element_bytes = rank.element_bytes(line, is_root ? ranks + 2 : ranks + 3);
    const std::vector<std::int64_t> sizes = rank.bytes_of_ranks(line, 0, is_root ? element_bytes : 0);
    const std::int64_t own =
        is_root ? sizes[static_cast<std::size_t>(root)] : rank.bytes(line, line.count(ranks), element_bytes);
    rank.add_collective(line,
                        {.kind = CollectiveKind::scatterv,
                         .root = root,
                         .element_bytes = static_cast<std::int32_t>(element_bytes),
                         .size_bytes = own},
                        is_root ? sizes : std::vector<std::int64_t>());
  }
  /// "alltoallv SENT SENT_0 ... RECEIVED RECEIVED_0 ... TYPE_SENT TYPE_RECEIVED"
  static void all_to_all_sizes(SmpiRank& rank, const SmpiLine& line) {
    const auto ranks = static_cast<std::size_t>(rank.ranks_);
    const std::int64_t sent_bytes = rank.element_bytes(line, 2 * ranks + 2);
    std::vector<std::int64_t> sizes = rank.bytes_of_ranks(line, 1, sent_bytes);
    const std::vector<std::int64_t> received =
        rank.bytes_of_ranks(line, ranks + 2, rank.element_bytes(line, 2 * ranks + 3));
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes)
      sum += size;
    sizes.insert(sizes.end(), received.begin(), received.end());
    rank.add_collective(line,
                        {.kind = CollectiveKind::alltoallv,
                         .element_bytes = static_cast<std::int32_t>(sent_bytes),
                         .size_bytes = sum},
                        sizes);
  }
  /// "reducescatter RECEIVED_0 ... FLOPS TYPE"
  static void reduce_scatter(SmpiRank& rank, const SmpiLine& line) {
    const auto ranks = static_cast<std::size_t>(rank.ranks_);
    if (is_scattered_block(line, rank.ranks_)) {
      rank.remark(lost_blocks);
      const std::size_t zeros = line.arguments() - 1;
      const std::int64_t element_bytes = rank.element_bytes(line, zeros);
      rank.add_collective(line,
                          {.kind = CollectiveKind::reduce_scatter_block,
                           .element_bytes = static_cast<std::int32_t>(element_bytes),
                           .size_bytes = rank.bytes(line, static_cast<std::int64_t>(zeros), element_bytes)});
      return;
    }
    const std::int64_t element_bytes = rank.element_bytes(line, ranks + 1);
    const std::vector<std::int64_t> sizes = rank.bytes_of_ranks(line, 0, element_bytes);
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes)
      sum += size;
    rank.add_collective(line,
                        {.kind = CollectiveKind::reduce_scatter,
                         .element_bytes = static_cast<std::int32_t>(element_bytes),
                         .size_bytes = sum},
                        sizes);
    reduce_flops(rank, line, ranks);
  }
  template <TransferKind kind>
  static void one_sided(SmpiRank& rank, const SmpiLine& line) {
    const std::int32_t peer = rank.rank_of(line, 0);
    if (peer < 0) return;
    rank.post_one_sided({.kind = kind,
                         .peer = peer,
                         .tag = 0,
                         .size_bytes = rank.bytes(line, line.count(2), rank.element_bytes(line, 3))});
  }
  static void fence(SmpiRank& rank, const SmpiLine& line) {
    rank.complete_one_sided();
    rank.add_collective(line, {});
  }
  static void flush(SmpiRank& rank, const SmpiLine& /*line*/) { rank.complete_one_sided(); }
  static void epoch(SmpiRank& rank, const SmpiLine& /*line*/) {
    rank.remark(lost_locks);
    rank.complete_one_sided();
  }
  static void start_all(SmpiRank& rank, const SmpiLine& /*line*/) { rank.remark(lost_starts); }
  static void make_communicator(SmpiRank& rank, const SmpiLine& /*line*/) {
    rank.remark(other_communicators);
  }
};

const std::map<std::string_view, SmpiActions::Action>& SmpiActions::all() {
  using A = SmpiActions;
  using K = CollectiveKind;
  static const std::map<std::string_view, Action> actions = [] {
    return std::map<std::string_view, Action>{
        {"init", {"MPI_Init", A::init}},
        {"finalize", {"MPI_Finalize", A::none}},
        {"iteration_in", {"AMPI_Iteration_in", A::none}},
        {"iteration_out", {"AMPI_Iteration_out", A::none}},
        {"migrate", {"AMPI_Migrate", A::migrate}},
        {"sleep", {"sleep", A::sleep}},
        {"send", {"MPI_Send", A::transfer<TransferKind::send, true>}},
        {"ssend", {"MPI_Ssend", A::transfer<TransferKind::send, true, true>}},
        {"bsend", {"MPI_Bsend", A::transfer<TransferKind::send, true, false, true>}},
        {"ibsend", {"MPI_Ibsend", A::transfer<TransferKind::send, false, false, true>}},
        {"recv", {"MPI_Recv", A::transfer<TransferKind::receive, true>}},
        {"isend", {"MPI_Isend", A::transfer<TransferKind::send, false>}},
        {"issend", {"MPI_Issend", A::transfer<TransferKind::send, false, true>}},
        {"irecv", {"MPI_Irecv", A::transfer<TransferKind::receive, false>}},
        {"sendrecv", {"MPI_Sendrecv", A::exchange}},
        {"start", {"MPI_Start", A::start}},
        {"startall", {"MPI_Startall", A::start_all}},
        {"wait", {"MPI_Wait", A::wait}},
        {"waitall", {"MPI_Waitall", A::wait_all}},
        {"waitany", {"MPI_Waitany", A::wait_any}},
        {"waitsome", {"MPI_Waitsome", A::wait_any}},
        {"test", {"MPI_Test", A::test}},
        {"testall", {"MPI_Testall", A::test_some}},
        {"testany", {"MPI_Testany", A::test_some}},
        {"testsome", {"MPI_Testsome", A::test_some}},
        {"io - read", {"MPI_File_read", A::file}},
        {"io - read_all", {"MPI_File_read_all", A::file}},
        {"io - read_at_all", {"MPI_File_read_at_all", A::file}},
        {"io - read_ordered", {"MPI_File_read_ordered", A::file}},
        {"io - read_shared", {"MPI_File_read_shared", A::file}},
        {"io - write", {"MPI_File_write", A::file}},
        {"io - write_all", {"MPI_File_write_all", A::file}},
        {"io - write_at_all", {"MPI_File_write_at_all", A::file}},
        {"io - write_ordered", {"MPI_File_write_ordered", A::file}},
        {"io - write_shared", {"MPI_File_write_shared", A::file}},
        {"probe", {"MPI_Probe", A::none}},
        {"iprobe", {"MPI_Iprobe", A::none}},
        {"comm_size", {"MPI_Comm_size", A::none}},
        {"comm_split", {"MPI_Comm_split", A::make_communicator}},
        {"comm_dup", {"MPI_Comm_dup", A::make_communicator}},
        {"barrier", {"MPI_Barrier", A::barrier}},
        {"bcast", {"MPI_Bcast", A::broadcast}},
        {"reduce", {"MPI_Reduce", A::reduce}},
        {"allreduce", {"MPI_Allreduce", A::reduce_to_all<K::allreduce>}},
        {"scan", {"MPI_Scan", A::reduce_to_all<K::scan>}},
        {"exscan", {"MPI_Exscan", A::reduce_to_all<K::exscan>}},
        {"alltoall", {"MPI_Alltoall", A::blocks<K::alltoall>}},
        {"gather", {"MPI_Gather", A::blocks<K::gather, true>}},
        {"scatter", {"MPI_Scatter", A::blocks<K::scatter, true>}},
        {"allgather", {"MPI_Allgather", A::blocks<K::allgather>}},
        {"gatherv", {"MPI_Gatherv", A::gather_sizes<K::gatherv>}},
        {"allgatherv", {"MPI_Allgatherv", A::gather_sizes<K::allgatherv>}},
        {"scatterv", {"MPI_Scatterv", A::scatter_sizes}},
        {"alltoallv", {"MPI_Alltoallv", A::all_to_all_sizes}},
        {"reducescatter", {"MPI_Reduce_scatter", A::reduce_scatter}},
        {"ibarrier", {"MPI_Ibarrier", A::barrier}},
        {"ibcast", {"MPI_Ibcast", A::broadcast}},
        {"ireduce", {"MPI_Ireduce", A::reduce}},
        {"iallreduce", {"MPI_Iallreduce", A::reduce_to_all<K::allreduce>}},
        {"iscan", {"MPI_Iscan", A::reduce_to_all<K::scan>}},
        {"iexscan", {"MPI_Iexscan", A::reduce_to_all<K::exscan>}},
        {"ialltoall", {"MPI_Ialltoall", A::blocks<K::alltoall>}},
        {"igather", {"MPI_Igather", A::blocks<K::gather, true>}},
        {"iscatter", {"MPI_Iscatter", A::blocks<K::scatter, true>}},
        {"iallgather", {"MPI_Iallgather", A::blocks<K::allgather>}},
        {"igatherv", {"MPI_Igatherv", A::gather_sizes<K::gatherv>}},
        {"iallgatherv", {"MPI_Iallgatherv", A::gather_sizes<K::allgatherv>}},
        {"iscatterv", {"MPI_Iscatterv", A::scatter_sizes}},
        {"ialltoallv", {"MPI_Ialltoallv", A::all_to_all_sizes}},
        {"ireducescatter", {"MPI_Ireduce_scatter", A::reduce_scatter}},
        {"put", {"MPI_Put", A::one_sided<TransferKind::put>}},
        {"get", {"MPI_Get", A::one_sided<TransferKind::get>}},
        {"accumulate", {"MPI_Accumulate", A::one_sided<TransferKind::accumulate>}},
        {"get_accumulate", {"MPI_Get_accumulate", A::one_sided<TransferKind::fetch>}},
        {"compare_and_swap", {"MPI_Compare_and_swap", A::one_sided<TransferKind::fetch>}},
        {"rput", {"MPI_Rput", A::one_sided<TransferKind::put>}},
        {"rget", {"MPI_Rget", A::one_sided<TransferKind::get>}},
        {"raccumulate", {"MPI_Raccumulate", A::one_sided<TransferKind::accumulate>}},
        {"rget_accumulate", {"MPI_Rget_accumulate", A::one_sided<TransferKind::fetch>}},
        {"win_fence", {"MPI_Win_fence", A::fence}},
        {"win_free", {"MPI_Win_free", A::none}},
        {"win_flush", {"MPI_Win_flush", A::flush}},
        {"win_flush_all", {"MPI_Win_flush_all", A::flush}},
        {"win_flush_local", {"MPI_Win_flush_local", A::flush}},
        {"win_flush_local_all", {"MPI_Win_flush_local_all", A::flush}},
        {"win_lock", {"MPI_Win_lock", A::epoch}},
        {"win_unlock", {"MPI_Win_unlock", A::epoch}},
        {"win_lock_all", {"MPI_Win_lock_all", A::epoch}},
        {"win_unlock_all", {"MPI_Win_unlock_all", A::epoch}},
        {"win_post", {"MPI_Win_post", A::epoch}},
        {"win_start", {"MPI_Win_start", A::epoch}},
        {"win_complete", {"MPI_Win_complete", A::epoch}},
        {"win_wait", {"MPI_Win_wait", A::epoch}}};
  }();
  return actions;
}

void SmpiRank::add(const SmpiLine& line) {
  const std::string name = line.action();
  // The work before the next call.
  if (name == "compute") return SmpiActions::compute(*this, line);
  if (name == "location") return;  // in the source, of what comes next
  const auto action = SmpiActions::all().find(name);
  if (action == SmpiActions::all().end()) {
    line.refuse(fmt::format("'{}' is not an action of SimGrid 3.32's time-independent traces", name),
                "Remove the line if the run does not depend on it");
  }
  begin(function_names_.try_emplace(action->first, action->second.function).first->second);
  action->second.perform(*this, line);
}

}  // namespace finegrain::formats
