// SPDX-License-Identifier: MIT
// Collectives between two groups, as Open MPI 4.1 (coll/inter, coll/basic) and MPICH 4 carry them out: the
// first rank of each group speaks for it. Where only a rank itself knows its size (the v and w forms), the
// messages go directly. So do all messages of a nonblocking collective, as in Open MPI's libnbc; it is
// recorded as one operation, an exchange with neighbours.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

/// The tag of messages inside a collective; tags -1 and -2 are those of windows.
constexpr std::int32_t between_groups_tag = -3;

class BetweenGroups {
 public:
  BetweenGroups(Record& record, const Communicator& communicator, const Collective& collective,
                const std::vector<std::int64_t>& sizes)
      : record_(record), communicator_(communicator), collective_(collective), sizes_(sizes) {}

  void blocking();
  /// @returns the request's number in the trace
  std::int64_t nonblocking();

 private:
  using Sizes = std::vector<std::int64_t>;

  bool is_root() const { return collective_.root == MPI_ROOT; }
  bool takes_no_part() const { return collective_.root == MPI_PROC_NULL; }
  bool is_first() const { return communicator_.rank == 0; }
  std::size_t local() const { return static_cast<std::size_t>(communicator_.local_ranks); }
  std::size_t remote() const { return static_cast<std::size_t>(communicator_.remote_ranks()); }
  std::int64_t total(std::size_t ranks) const {
    return collective_.size_bytes * static_cast<std::int64_t>(ranks);
  }

  void post(TransferKind kind, bool blocks, int rank, std::int64_t bytes) {
    record_.post({.kind = kind,
                  .blocking = blocks,
                  .peer = communicator_.rank_of_run(rank),
                  .tag = between_groups_tag,
                  .communicator = communicator_.number,
                  .size_bytes = bytes});
  }
  void send(int rank, std::int64_t bytes) { post(TransferKind::send, true, rank, bytes); }
  void receive(int rank, std::int64_t bytes) { post(TransferKind::receive, true, rank, bytes); }
  /// Exchanges messages with the ranks of the other group, all at once.
  void exchange(std::span<const std::int64_t> to, std::span<const std::int64_t> from) {
    for (std::size_t n = 0; n < from.size(); ++n)
      post(TransferKind::receive, false, static_cast<int>(n), from[n]);
    for (std::size_t n = 0; n < to.size(); ++n)
      post(TransferKind::send, false, static_cast<int>(n), to[n]);
    if (!to.empty() || !from.empty())
      record_.complete_newest(static_cast<std::int64_t>(to.size() + from.size()));
  }
  void exchange_of_first(std::int64_t to, std::int64_t from) {
    if (is_first()) exchange({&to, 1}, {&from, 1});
  }
  /// A collective of this group's ranks; its root is the first one.
  void within(CollectiveKind kind, std::int64_t bytes, std::span<const std::int64_t> sizes = {}) {
    record_.collective({.kind = kind,
                        .commutative = collective_.commutative,
                        .communicator = communicator_.local_number,
                        .element_bytes = collective_.element_bytes,
                        .size_bytes = bytes},
                       sizes);
  }
  void rooted();

  Record& record_;
  const Communicator& communicator_;
  const Collective& collective_;
  const Sizes& sizes_;
};

void BetweenGroups::rooted() {
  const std::int64_t size = collective_.size_bytes;
  const int root = collective_.root;
  switch (collective_.kind) {
    case CollectiveKind::broadcast:
      if (is_root()) return send(0, size);
      if (is_first()) receive(root, size);
      return within(CollectiveKind::broadcast, size);
    case CollectiveKind::scatter:
      if (is_root()) return send(0, total(remote()));
      if (is_first()) receive(root, total(local()));
      return within(CollectiveKind::scatter, size);
    case CollectiveKind::gather:
      if (is_root()) return receive(0, total(remote()));
      within(CollectiveKind::gather, size);
      if (is_first()) send(root, total(local()));
      return;
    case CollectiveKind::reduce:
      if (is_root()) return receive(0, size);
      within(CollectiveKind::reduce, size);
      if (is_first()) send(root, size);
      return;
    case CollectiveKind::gatherv:
      return is_root() ? exchange({}, sizes_) : send(root, size);
    default:
      return is_root() ? exchange(sizes_, {}) : receive(root, size);  // scatterv
  }
}

void BetweenGroups::blocking() {
  const std::int64_t size = collective_.size_bytes;
  switch (collective_.kind) {
    case CollectiveKind::allgather:
      within(CollectiveKind::gather, size);
      exchange_of_first(total(local()), sizes_[0] * static_cast<std::int64_t>(remote()));
      return within(CollectiveKind::broadcast, sizes_[0] * static_cast<std::int64_t>(remote()));
    case CollectiveKind::allgatherv:
      // To the first rank of the other group, which tells its own.
      exchange({&size, 1}, is_first() ? std::span(sizes_) : std::span<const std::int64_t>());
      return within(CollectiveKind::broadcast,
                    std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0}));
    case CollectiveKind::allreduce:
      within(CollectiveKind::reduce, size);
      exchange_of_first(size, size);
      return within(CollectiveKind::broadcast, size);
    case CollectiveKind::reduce_scatter_block:
      within(CollectiveKind::reduce, total(local()));
      exchange_of_first(total(local()), total(local()));
      return within(CollectiveKind::scatter, size);
    case CollectiveKind::reduce_scatter: {
      within(CollectiveKind::reduce, size);
      exchange_of_first(size, size);
      return within(CollectiveKind::scatterv, sizes_[static_cast<std::size_t>(communicator_.rank)],
                    is_first() ? std::span(sizes_) : std::span<const std::int64_t>());
    }
    case CollectiveKind::alltoall:
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw: {
      const std::span all(sizes_);
      return exchange(all.first(remote()), all.last(remote()));
    }
    default:
      if (!takes_no_part()) rooted();
  }
}

std::int64_t BetweenGroups::nonblocking() {
  const std::int64_t size = collective_.size_bytes;
  Sizes to;  // by rank of the other group; -1: nothing
  Sizes from;
  Sizes to_own;  // by rank of this group
  Sizes from_own;
  // What comes from or goes to the root alone.
  const auto only_root = [&] {
    Sizes bytes(remote(), -1);
    bytes[static_cast<std::size_t>(collective_.root)] = size;
    return bytes;
  };
  switch (collective_.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
      if (takes_no_part()) break;
      if (!is_root()) {
        from = only_root();
      } else {
        to = collective_.kind == CollectiveKind::scatterv ? sizes_ : Sizes(remote(), size);
      }
      break;
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::reduce:
      if (takes_no_part()) break;
      if (!is_root()) {
        to = only_root();
      } else {
        from = collective_.kind == CollectiveKind::gatherv ? sizes_ : Sizes(remote(), size);
      }
      break;
    case CollectiveKind::allgather:
      to.assign(remote(), size);
      from.assign(remote(), sizes_[0]);
      break;
    case CollectiveKind::allgatherv:
      to.assign(remote(), size);
      from = sizes_;
      break;
    case CollectiveKind::allreduce:  // to the first rank of the other group, which tells all of this one
      to.assign(is_first() ? remote() : 1, size);
      from = to;
      break;
    case CollectiveKind::reduce_scatter_block:
      to.assign(remote(), total(local()) / static_cast<std::int64_t>(remote()));
      from.assign(remote(), size);
      break;
    case CollectiveKind::alltoall:
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      to.assign(sizes_.begin(), sizes_.begin() + communicator_.remote_ranks());
      from.assign(sizes_.begin() + communicator_.remote_ranks(), sizes_.end());
      break;
    default:  // reduce_scatter: to the first rank of the other group, which tells each of its own its part
      to = {size};
      if (!is_first()) {
        from_own = {sizes_[static_cast<std::size_t>(communicator_.rank)]};
        break;
      }
      from.assign(remote(), size);
      to_own = sizes_;
      to_own[0] = -1;
  }
  Sizes pairs(2, 0);
  const auto add = [&](std::size_t side, const Sizes& bytes, int first) {
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      if (bytes[n] < 0) continue;
      ++pairs[side];
      pairs.insert(pairs.end(), {first + static_cast<std::int64_t>(n), bytes[n]});
    }
  };
  const int first_own = communicator_.is_local_first ? 0 : communicator_.remote_ranks();
  const int first_other = communicator_.is_local_first ? communicator_.local_ranks : 0;
  add(0, to, first_other);
  add(0, to_own, first_own);
  add(1, from, first_other);
  add(1, from_own, first_own);
  Collective exchange = {
      .kind = CollectiveKind::neighbor_alltoallw, .blocking = false, .communicator = communicator_.number};
  for (const Sizes* sent : {&to, &to_own}) {
    for (const std::int64_t bytes : *sent)
      exchange.size_bytes += std::max<std::int64_t>(bytes, 0);
  }
  return record_.collective(exchange, pairs);
}

}  // namespace

std::int64_t record_between_groups(Record& record, const Communicator& communicator,
                                   const Collective& collective, const std::vector<std::int64_t>& sizes) {
  BetweenGroups call(record, communicator, collective, sizes);
  if (!collective.blocking) return call.nonblocking();
  call.blocking();
  return Pending::none;
}

}  // namespace finegrain::recorder
