// SPDX-License-Identifier: MIT
//
// Does each collective with Open MPI, and compares the messages that every rank sends to every other one,
// with their sizes and in their order, with those of sim/collectives. Open MPI's component pml_monitoring
// sees all messages, those inside collectives included:
//
//   mpirun -n 16 --mca pml_monitoring_enable 1 collectives_oracle [--all] [--only NAME] [--collective
//   NAME=ALGORITHM]
//
// --all: more sizes and numbers of ranks. --only: one collective, such as bcast. --collective: what
// sim/collectives takes instead of the table's algorithm; mpirun is to be told the same.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "calls_of_all.hpp"
#include "sim/collectives/decisions.hpp"

using namespace finegrain;
using namespace finegrain::collectives;

extern "C" void mca_common_monitoring_record_pml(int world_rank, std::size_t size_bytes, int tag);

namespace {

/// Sizes of the messages that this rank sends to each other one, in their order. Shape [ranks].
using Traffic = std::vector<std::vector<std::int64_t>>;

Traffic& seen() {
  static Traffic messages;
  return messages;
}

Traffic expected(const Call& call, const Choice& choice, int world) {
  Traffic traffic(static_cast<std::size_t>(world));
  for_each_post(expand(call, choice), [&](const Post& post) {
    if (post.kind == TransferKind::send)
      traffic[static_cast<std::size_t>(post.peer)].push_back(post.size_bytes);
  });
  return traffic;
}

/// Counts and displacements of blocks whose bytes are in a call.
struct Blocks {
  Blocks(const Call& call, std::size_t first) {
    for (int rank = 0; rank < call.ranks && !call.sizes.empty(); ++rank) {
      const std::int64_t bytes = call.sizes[first + static_cast<std::size_t>(rank)];
      counts.push_back(static_cast<int>(bytes / call.element_bytes));
      displacements.push_back(all);
      displacements_bytes.push_back(static_cast<int>(all * call.element_bytes));
      all += counts.back();
    }
  }
  std::vector<int> counts, displacements, displacements_bytes;
  int all = 0;
};

/// The communicator of the first ranks of the world, also as a ring of neighbours.
struct Communicator {
  explicit Communicator(int ranks) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &all);
    if (all == MPI_COMM_NULL) return;
    // Not a distributed graph: on one, Open MPI's component coll/monitoring 4.1.4 crashes.
    const int is_periodic = 1;
    MPI_Cart_create(all, 1, &ranks, &is_periodic, 0, &ring);
  }
  MPI_Comm all = MPI_COMM_NULL, ring = MPI_COMM_NULL;
};

/// Calls one of the two functions, whose last argument but for the request is the same.
template <class Blocking, class Nonblocking, class... Arguments>
void do_one(bool blocking, Blocking* function, Nonblocking* nonblocking, Arguments... arguments) {
  if (blocking) {
    function(arguments...);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    nonblocking(arguments..., &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void do_collective(const Call& call, const Communicator& communicator, MPI_Op op) {
  static std::vector<char> in, out;
  const std::int64_t blocks = std::accumulate(call.sizes.begin(), call.sizes.end(), call.size_bytes);
  const auto room = static_cast<std::size_t>(std::max(blocks, call.ranks * call.size_bytes) + 64);
  if (in.size() < room) in.resize(room), out.resize(room);
  const void* from = in.data();
  void* to = out.data();
  const MPI_Datatype type = call.element_bytes == 8 ? MPI_DOUBLE : MPI_BYTE;
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(call.ranks), type);
  const auto count = static_cast<int>(call.size_bytes / call.element_bytes);
  const MPI_Comm comm = communicator.all;
  const MPI_Comm ring = communicator.ring;
  const bool blocking = call.blocking;
  const Blocks to_each(call, 0);
  const auto ranks = static_cast<std::size_t>(call.ranks);
  const Blocks from_each(call, call.sizes.size() == 2 * ranks ? ranks : 0);
  const int* counts = to_each.counts.data();
  const int* places = to_each.displacements.data();
  const int* bytes = to_each.displacements_bytes.data();
  const int* counts_in = from_each.counts.data();
  const int* places_in = from_each.displacements.data();
  const int* bytes_in = from_each.displacements_bytes.data();
  // Counts and places of both neighbours on the ring.
  const std::array<int, 2> two_counts{count, count};
  const std::array<int, 2> two_places{0, count};
  const std::array<MPI_Aint, 2> two_starts{0, call.size_bytes};
  switch (call.kind) {
    case CollectiveKind::barrier:
      return do_one(blocking, MPI_Barrier, MPI_Ibarrier, comm);
    case CollectiveKind::broadcast:
      return do_one(blocking, MPI_Bcast, MPI_Ibcast, to, count, type, call.root, comm);
    case CollectiveKind::gather:
      return do_one(blocking, MPI_Gather, MPI_Igather, from, count, type, to, count, type, call.root, comm);
    case CollectiveKind::gatherv:
      return do_one(blocking, MPI_Gatherv, MPI_Igatherv, from, count, type, to, counts, places, type,
                    call.root, comm);
    case CollectiveKind::scatter:
      return do_one(blocking, MPI_Scatter, MPI_Iscatter, from, count, type, to, count, type, call.root, comm);
    case CollectiveKind::scatterv:
      return do_one(blocking, MPI_Scatterv, MPI_Iscatterv, from, counts, places, type, to, count, type,
                    call.root, comm);
    case CollectiveKind::allgather:
      return do_one(blocking, MPI_Allgather, MPI_Iallgather, from, count, type, to, count, type, comm);
    case CollectiveKind::allgatherv:
      return do_one(blocking, MPI_Allgatherv, MPI_Iallgatherv, from, count, type, to, counts, places, type,
                    comm);
    case CollectiveKind::alltoall:
      return do_one(blocking, MPI_Alltoall, MPI_Ialltoall, from, count, type, to, count, type, comm);
    case CollectiveKind::alltoallv:
      return do_one(blocking, MPI_Alltoallv, MPI_Ialltoallv, from, counts, places, type, to, counts_in,
                    places_in, type, comm);
    case CollectiveKind::alltoallw:
      return do_one(blocking, MPI_Alltoallw, MPI_Ialltoallw, from, counts, bytes, types.data(), to, counts_in,
                    bytes_in, types.data(), comm);
    case CollectiveKind::reduce:
      return do_one(blocking, MPI_Reduce, MPI_Ireduce, from, to, count, type, op, call.root, comm);
    case CollectiveKind::allreduce:
      return do_one(blocking, MPI_Allreduce, MPI_Iallreduce, from, to, count, type, op, comm);
    case CollectiveKind::reduce_scatter:
      return do_one(blocking, MPI_Reduce_scatter, MPI_Ireduce_scatter, from, to, counts, type, op, comm);
    case CollectiveKind::reduce_scatter_block:
      return do_one(blocking, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, to, count, type, op,
                    comm);
    case CollectiveKind::scan:
      return do_one(blocking, MPI_Scan, MPI_Iscan, from, to, count, type, op, comm);
    case CollectiveKind::exscan:
      return do_one(blocking, MPI_Exscan, MPI_Iexscan, from, to, count, type, op, comm);
    case CollectiveKind::neighbor_allgather:
      return do_one(blocking, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, from, count, type, to, count,
                    type, ring);
    case CollectiveKind::neighbor_allgatherv:
      return do_one(blocking, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, from, count, type, to,
                    two_counts.data(), two_places.data(), type, ring);
    case CollectiveKind::neighbor_alltoall:
      return do_one(blocking, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, from, count, type, to, count,
                    type, ring);
    case CollectiveKind::neighbor_alltoallv:
      return do_one(blocking, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, from, two_counts.data(),
                    two_places.data(), type, to, two_counts.data(), two_places.data(), type, ring);
    case CollectiveKind::neighbor_alltoallw:
      return do_one(blocking, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, from, two_counts.data(),
                    two_starts.data(), types.data(), to, two_counts.data(), two_starts.data(), types.data(),
                    ring);
  }
}

struct Options {
  std::string mpi = "openmpi-4.1";
  bool all = false;  ///< every size and number of ranks
  std::string only;  ///< a collective's name; empty: all
  Overrides overrides;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&] { return i + 1 < count ? std::string(arguments[++i]) : std::string(); };
    if (argument == "--all") {
      options.all = true;
    } else if (argument == "--mpi") {
      options.mpi = value();
    } else if (argument == "--only") {
      options.only = value();
    } else if (argument == "--collective") {
      options.overrides.add(value());
    } else {
      throw std::runtime_error(fmt::format("unknown argument {}", argument));
    }
  }
  return options;
}

struct Sum {
  long cases = 0, unequal = 0, messages = 0;
};

class Oracle {
 public:
  explicit Oracle(const Options& options) : options_(options), decisions_(options.mpi, options.overrides) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &world_);
    seen().resize(static_cast<std::size_t>(world_));
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &noncommutative_);
  }

  Sum run() {
    for (int ranks = 2; ranks <= world_; ++ranks) {
      const bool is_usual = ranks <= 5 || ranks == 7 || ranks == 8 || ranks == 16;
      if (!options_.all && !is_usual) continue;
      const Communicator communicator(ranks);
      if (communicator.all == MPI_COMM_NULL) continue;
      constexpr auto last = static_cast<int>(CollectiveKind::neighbor_alltoallw);
      for (int kind = 0; kind <= last; ++kind)
        for (const bool blocking : {true, false})
          for_each_size({.kind = static_cast<CollectiveKind>(kind), .blocking = blocking, .ranks = ranks},
                        communicator);
    }
    return sum_;
  }

 private:
  static bool reduces(CollectiveKind kind) {
    return kind >= CollectiveKind::reduce && kind <= CollectiveKind::exscan;
  }
  static bool has_root(CollectiveKind kind) {
    return (kind >= CollectiveKind::broadcast && kind <= CollectiveKind::scatterv) ||
           kind == CollectiveKind::reduce;
  }
  /// Whether a rank sends or gets a block of each other one.
  static bool has_blocks(CollectiveKind kind) {
    return (kind >= CollectiveKind::gather && kind <= CollectiveKind::alltoallw) ||
           kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::reduce_scatter_block;
  }

  void for_each_size(Call call, const Communicator& communicator) {
    const std::string name = collective_name(call.kind, call.blocking);
    if (!options_.only.empty() && options_.only != name) return;
    if (call.kind == CollectiveKind::barrier) return check(call, communicator);
    for (const std::int64_t size_bytes :
         {1,    2,     4,     8,     24,     64,     200,    512,     1024,    2000,   4096,
          8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304}) {
      // So that 16 ranks fit into a small computer, and this does not take long.
      const std::int64_t rank_bytes = size_bytes * (has_blocks(call.kind) ? call.ranks : 1);
      if (options_.all ? rank_bytes > 64 << 20 : rank_bytes * call.ranks > 16 << 20) continue;
      call.size_bytes = size_bytes;
      call.element_bytes = size_bytes % 8 == 0 ? 8 : 1;
      for (const int root : {0, call.ranks - 1}) {
        if (root > 0 && !has_root(call.kind)) continue;
        call.root = root;
        for (const bool commutative : {true, false}) {
          if (!commutative && !reduces(call.kind)) continue;
          call.commutative = commutative;
          check(call, communicator);
        }
      }
    }
  }

  void check(const Call& one, const Communicator& communicator) {
    std::vector<std::vector<std::int64_t>> storage;
    const Call call = test::calls_of_all(one, storage)[static_cast<std::size_t>(rank_)];
    const MPI_Op builtin = call.element_bytes == 8 ? MPI_SUM : MPI_BOR;
    for (std::vector<std::int64_t>& sizes : seen())
      sizes.clear();
    do_collective(call, communicator, call.commutative ? builtin : noncommutative_);
    // What a rank sends to itself is a copy here.
    seen()[static_cast<std::size_t>(rank_)].clear();
    const Traffic sent = seen();
    const Choice choice = decisions_.choose(call);
    ++sum_.cases;
    for (const std::vector<std::int64_t>& sizes : sent)
      sum_.messages += static_cast<long>(sizes.size());
    if (sent == expected(call, choice, world_)) return;
    ++sum_.unequal;
    if (sum_.unequal <= 20) report(call, choice, sent);
  }

  void report(const Call& call, const Choice& choice, const Traffic& sent) const {
    const Traffic wanted = expected(call, choice, world_);
    std::string text =
        fmt::format("{} {} B of {} on {} ranks, root {}, commutative {}, by {}: rank {} sent",
                    collective_name(call.kind, call.blocking), call.size_bytes, call.element_bytes,
                    call.ranks, call.root, call.commutative, choice.algorithm->name(), call.rank);
    for (std::size_t r = 0; r < sent.size(); ++r)
      if (sent[r] != wanted[r])
        text += fmt::format(" to {}: {}, not {};", r, fmt::join(sent[r], " "), fmt::join(wanted[r], " "));
    fmt::print("{}\n", text);
  }

  Options options_;
  Decisions decisions_;
  int rank_ = 0;
  int world_ = 1;
  MPI_Op noncommutative_ = MPI_OP_NULL;
  Sum sum_;
};

int run(int count, char** arguments) {
  const Sum own = Oracle(parse(count, arguments)).run();
  std::array<long, 2> own_sums{own.unequal, own.messages};
  std::array<long, 2> sums{};
  MPI_Allreduce(own_sums.data(), sums.data(), 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Rank 0 takes part in all collectives.
  if (rank == 0)
    fmt::print("{} collectives, {} messages; {} times a rank sent something else than expected\n", own.cases,
               sums[1], sums[0]);
  if (sums[1] == 0) throw std::runtime_error("no message was seen: run with --mca pml_monitoring_enable 1");
  return sums[0] == 0 ? 0 : 1;
}

}  // namespace

/// Open MPI's component calls a function of this name for each message that a rank begins to send. The
/// program's own one comes before that of the component's library, which only adds up.
void mca_common_monitoring_record_pml(int world_rank, std::size_t size_bytes, int /*tag*/) {
  const auto rank = static_cast<std::size_t>(world_rank);
  if (rank < seen().size()) seen()[rank].push_back(static_cast<std::int64_t>(size_bytes));
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int code = 1;
  try {
    code = run(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
