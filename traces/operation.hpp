// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain {

/// The name of a stretch of a program, such as a listing's phase: for tables, timelines and people. Names are
/// interned, so that they are compared, copied and stored as numbers; what a program does never depends on
/// one.
class RegionName {
 public:
  static constexpr std::size_t most_names = 65'535;
  static constexpr std::size_t longest = 255;  ///< bytes

  /// @throws InputError if the text is empty, longer than 255 bytes or not of printable ASCII characters, or
  /// there are 65,535 other names in this process
  explicit RegionName(std::string_view text);

  std::string_view text() const;  ///< valid as long as the process

  friend auto operator<=>(const RegionName&, const RegionName&) = default;

 private:
  friend struct regions;
  struct Known {
    std::uint16_t number;
  };
  constexpr explicit RegionName(Known known) : number_(known.number) {}

  std::uint16_t number_;
};

/// Names of the papers' listings' phases.
struct regions {
  static const RegionName pack, put, get, send, receive, wait, copy, unpack, compute, barrier;
};
inline constexpr RegionName regions::pack{RegionName::Known{0}};
inline constexpr RegionName regions::put{RegionName::Known{1}};
inline constexpr RegionName regions::get{RegionName::Known{2}};
inline constexpr RegionName regions::send{RegionName::Known{3}};
inline constexpr RegionName regions::receive{RegionName::Known{4}};
inline constexpr RegionName regions::wait{RegionName::Known{5}};
inline constexpr RegionName regions::copy{RegionName::Known{6}};
inline constexpr RegionName regions::unpack{RegionName::Known{7}};
inline constexpr RegionName regions::compute{RegionName::Known{8}};
inline constexpr RegionName regions::barrier{RegionName::Known{9}};

/// Bytes that a rank moves over its node's memory; or, in a recording of any MPI program, work of which only
/// the time is known.
struct Work {
  std::int64_t memory_bytes = 0;       ///< loaded and stored, as the papers' equations count them
  std::int64_t scattered_stores = 0;   ///< the stores among these that go each to a cache line of its own
  std::int64_t copied_bytes = 0;       ///< stored one after the other by copying
  bool is_timed = false;               ///< all that is known of it is the time of its region
  std::int64_t calls = 0;              ///< calls of a library for single elements; they take CPU time
  std::int64_t steps = 0;              ///< comparisons of sorting and searching; they take CPU time
  std::int64_t shared_references = 0;  ///< to the rank's own memory by pointers to shared; CPU time
  std::int64_t affinity_tests = 0;     ///< tests whether an iteration is the rank's; CPU time

  friend bool operator==(const Work&, const Work&) = default;
};

/// Who calls for a transfer, and how. Both ends post a send and its receive; all others are posted by the
/// rank that initiates them only. A load or a store is one element accessed by a pointer to shared memory. An
/// accumulate is a put that is combined with the value in memory; a fetch also brings back the old value
/// (MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap).
enum class TransferKind : std::uint8_t { send, receive, put, get, load, store, accumulate, fetch };

/// A transfer begins: bytes from one rank to another. It makes a request, for which a Complete waits, unless
/// it is blocking. Sends and receives are matched by their ranks, communicator and tag, in order.
struct Post {
  TransferKind kind;
  bool blocking = false;        ///< the rank goes on when it is complete; loads and stores always are
  bool private_memory = false;  ///< a one-sided transfer uses unregistered memory of the initiator
  bool is_synchronous = false;  ///< a send that is complete only when its receive has begun (MPI_Ssend)
  bool is_buffered = false;     ///< a send that is complete at once, from a copy of its bytes (MPI_Bsend)
  bool any_source = false;      ///< a receive that took this peer's message, but would have taken any rank's
  bool any_tag = false;         ///< a receive that took this tag, but would have taken any
  std::int32_t peer;  ///< the other rank; a rank's own number for a copy of its own block (Listing 4)
  std::int32_t tag = 0;
  std::int32_t communicator = 0;
  std::int64_t size_bytes;  ///< one transfer's
  std::int64_t repeat = 1;  ///< the same transfer, this many times back to back

  friend bool operator==(const Post&, const Post&) = default;
};

/// The rank waits until some of its requests are done.
struct Complete {
  /// How many requests ago the first of them was posted; 1 is the newest. 0: all open requests are meant.
  std::int64_t oldest = 0;
  std::int64_t count = 0;  ///< how many requests, beginning with that one

  static constexpr Complete all() { return {}; }
  constexpr bool is_all() const { return oldest == 0; }
  friend bool operator==(const Complete&, const Complete&) = default;
};

/// As MPI names them; `broadcast` is MPI_Bcast.
enum class CollectiveKind : std::uint8_t {
  barrier,
  broadcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw
};
inline constexpr std::size_t collective_kinds =
    static_cast<std::size_t>(CollectiveKind::neighbor_alltoallw) + 1;

/// Whether the algorithm decides which other ranks a rank waits for. In the others it waits for all of them,
/// or for its neighbours, because it needs their data.
constexpr bool waits_depend_on_algorithm(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == broadcast || kind == gather || kind == gatherv || kind == scatter || kind == scatterv ||
         kind == reduce || kind == scan || kind == exscan;
}

/// Whether values of the ranks are combined, element by element.
constexpr bool is_reduction(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == reduce || kind == allreduce || kind == reduce_scatter || kind == reduce_scatter_block ||
         kind == scan || kind == exscan;
}

/// What all ranks of a communicator do together. The machine on which it is replayed decides how.
struct Collective {
  CollectiveKind kind = CollectiveKind::barrier;
  bool blocking = true;  ///< as its function is; one that is not makes a request
  /// A blocking one makes a request too: the rank goes on, because only one of its threads waits.
  bool posted = false;
  bool commutative = true;         ///< the operation of a reduction
  std::int32_t communicator = 0;   ///< 0: all ranks of the run
  std::int32_t root = 0;           ///< its number in the communicator
  std::int32_t element_bytes = 1;  ///< size of the datatype that the counts are of
  /// The whole vector of a broadcast, reduction or scan; of a reduce_scatter_block the block of one rank. Of
  /// a gather, scatter, allgather or alltoall: what one rank sends another. Of those with sizes of their own
  /// (v, w): what this rank contributes.
  std::int64_t size_bytes = 0;
  /// In Body::sizes: where bytes differ from rank to rank, in the order of the communicator. allgatherv,
  /// reduce_scatter: of each rank; gatherv, scatterv: of each rank, at the root only; alltoallv, alltoallw:
  /// to each rank, then from each. A neighbour collective: (rank in the communicator, bytes) of each that it
  /// sends to, `first_size + 2 n`, then of each that it receives from; their numbers before.
  std::int32_t first_size = 0;
  std::int32_t size_count = 0;
  /// Who chooses the algorithm: 0: the MPI library; else a change of the program, by its number. It is never
  /// recorded.
  std::int32_t chosen = 0;

  friend bool operator==(const Collective&, const Collective&) = default;
};

/// A rank takes or gives back the lock of a window at a rank (MPI_Win_lock, MPI_Win_unlock).
struct Lock {
  bool acquire = true;  ///< otherwise gives it back
  bool exclusive = false;
  std::int32_t window = 0;  ///< a number like a communicator's
  std::int32_t peer = 0;    ///< whose memory; -1: of all ranks of the window

  friend bool operator==(const Lock&, const Lock&) = default;
};

using Operation = std::variant<Work, Post, Complete, Collective, Lock>;

/// A named stretch of a body.
struct Region {
  RegionName name;
  std::int32_t first_operation = 0;  ///< index into Body::operations
  std::int32_t operation_count = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

/// What a rank does once, or again and again, in program order.
struct Body {
  std::vector<Region> regions;
  std::vector<Operation> operations;  ///< those of all regions
  std::vector<std::int64_t> sizes;    ///< bytes, of its collectives (Collective::first_size)

  /// Opens the next region; operations added from now on belong to it.
  Body& begin_region(RegionName name);
  /// @pre a region is open
  Body& add(const Operation& operation);
  /// A region of its own for one operation.
  Body& add_region(RegionName name, const Operation& operation) { return begin_region(name).add(operation); }
  std::span<const Operation> operations_of(const Region& region) const;

  friend bool operator==(const Body&, const Body&) = default;
};

/// A body, and how often it is done.
struct Loop {
  std::shared_ptr<const Body> body;  ///< the same object for many loops that are alike
  std::int64_t count;
  /// Seconds that each region took that holds timed work, 0 of the others: the mean of all times that it was
  /// done. Shape [body->regions], or empty where there is no timed work.
  std::span<const double> regions_s = {};
};

/// Calls visit(const Post&) for each transfer, in program order.
template <class Operations, class Visit>
void for_each_post(const Operations& operations, Visit&& visit) {
  for (const Operation& operation : operations) {
    if (const auto* post = std::get_if<Post>(&operation)) visit(*post);
  }
}

std::int64_t count_posts(std::span<const Operation> operations);
/// The sum over all work. @pre it fits 63 bits
std::int64_t memory_bytes(std::span<const Operation> operations);

/// Whether both ends post it.
constexpr bool is_two_sided(TransferKind kind) {
  return kind == TransferKind::send || kind == TransferKind::receive;
}
/// Whether the bytes go to the rank that posts it.
constexpr bool is_incoming(TransferKind kind) {
  return kind == TransferKind::receive || kind == TransferKind::get || kind == TransferKind::load;
}
/// Whether it leaves a request to be completed.
constexpr bool makes_request(const Post& post) {
  return !post.blocking && post.kind != TransferKind::load && post.kind != TransferKind::store;
}

constexpr bool makes_request(const Collective& collective) {
  return !collective.blocking || collective.posted;
}

constexpr bool makes_request(const Operation& operation) {
  if (const auto* post = std::get_if<Post>(&operation)) return makes_request(*post);
  const auto* collective = std::get_if<Collective>(&operation);
  return collective != nullptr && makes_request(*collective);
}

std::string_view to_string(TransferKind kind);
std::string_view to_string(CollectiveKind kind);
/// The operation's kind, and its numbers: "work 100 B", "send to 2, 160 B", ...; for people.
std::string describe(const Operation& operation);

}  // namespace finegrain
