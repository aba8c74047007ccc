// SPDX-License-Identifier: MIT
#include "kernels/recorder/communicator.hpp"

#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

int copy_no_communicator(MPI_Comm, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int begin_to_free_communicator(MPI_Comm comm, int, void* value, void* communicators) {
  static_cast<Communicators*>(communicators)
      ->is_being_freed(comm, std::unique_ptr<CommunicatorPtr>(static_cast<CommunicatorPtr*>(value)));
  return MPI_SUCCESS;
}

/// The ranks before and after this one in each dimension of a Cartesian grid, or MPI_PROC_NULL.
std::vector<int> neighbours_in_grid(MPI_Comm comm) {
  int dimensions = 0;
  real.MPI_Cartdim_get(comm, &dimensions);
  std::vector<int> neighbours;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL;
    int after = MPI_PROC_NULL;
    real.MPI_Cart_shift(comm, dimension, 1, &before, &after);
    neighbours.insert(neighbours.end(), {before, after});
  }
  return neighbours;
}

std::vector<int> neighbours_in_graph(MPI_Comm comm, int rank) {
  int count = 0;
  real.MPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  real.MPI_Graph_neighbors(comm, rank, count, neighbours.data());
  return neighbours;
}

void find_neighbours(MPI_Comm comm, Communicator& communicator) {
  int topology = MPI_UNDEFINED;
  real.MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) communicator.sources = communicator.destinations = neighbours_in_grid(comm);
  if (topology == MPI_GRAPH)
    communicator.sources = communicator.destinations = neighbours_in_graph(comm, communicator.rank);
  if (topology != MPI_DIST_GRAPH) return;
  int sources = 0;
  int destinations = 0;
  int is_weighted = 0;
  real.MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted);
  communicator.sources.resize(static_cast<std::size_t>(sources));
  communicator.destinations.resize(static_cast<std::size_t>(destinations));
  std::vector<int> weights(static_cast<std::size_t>(std::max(sources, destinations)));
  std::vector<int> other_weights(weights);
  real.MPI_Dist_graph_neighbors(comm, sources, communicator.sources.data(), weights.data(), destinations,
                                communicator.destinations.data(), other_weights.data());
}

}  // namespace

Communicators::Communicators(Recording& recording)
    : recording_(recording), world_handle_(recording.handle_of_world) {
  real.MPI_Comm_group(recording.world, &world_group_);
  real.MPI_Comm_create_keyval(copy_no_communicator, begin_to_free_communicator, &keyval_, this);
  auto world = std::make_shared<Communicator>();
  world->rank = recording.rank;
  world->local_ranks = recording.ranks;
  world->ranks.resize(static_cast<std::size_t>(recording.ranks));
  std::iota(world->ranks.begin(), world->ranks.end(), 0);
  world_ = std::move(world);
}

const CommunicatorPtr& Communicators::look_up(MPI_Comm comm, Cached& cached) {
  const auto freed = std::ranges::find(being_freed_, comm, &BeingFreed::comm);
  if (freed != being_freed_.end()) return *freed->communicator;
  void* value = nullptr;
  int is_set = 0;
  real.MPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &is_set);
  if (is_set == 0) {
    made(comm, "not recorded", nullptr);
    real.MPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &is_set);
  }
  cached = {comm, static_cast<const CommunicatorPtr*>(value)};
  return *cached.communicator;
}

void Communicators::made(MPI_Comm comm, std::string_view how, const Communicator* parent) {
  if (comm == MPI_COMM_NULL) return;
  Communicator made;
  MPI_Group group;
  real.MPI_Comm_group(comm, &group);
  made.ranks = ranks_of_run(group);
  real.MPI_Group_free(&group);
  made.local_ranks = made.size();
  real.MPI_Comm_rank(comm, &made.rank);
  int is_inter = 0;
  real.MPI_Comm_test_inter(comm, &is_inter);
  made.is_inter = is_inter != 0;
  if (made.is_inter) {
    real.MPI_Comm_remote_group(comm, &group);
    const std::vector<std::int32_t> remote = ranks_of_run(group);
    real.MPI_Group_free(&group);
    made.is_local_first = made.ranks < remote;
    made.ranks.insert(made.ranks.end(), remote.begin(), remote.end());
  } else {
    find_neighbours(comm, made);
  }
  define(made, how, parent);
  made_later(comm, std::make_shared<Communicator>(std::move(made)));
}

/// Gives a communicator its identity, and its numbers in the trace.
void Communicators::define(Communicator& made, std::string_view how, const Communicator* parent) {
  std::vector<std::int32_t> canonical = made.ranks;  // both groups find the same, whichever is the local one
  if (!made.is_local_first)
    std::rotate(canonical.begin(), canonical.begin() + made.local_ranks, canonical.end());
  made.identity = identity(how, parent, canonical);
  // Messages between ranks of the run are theirs, whoever else is in the communicator.
  made.has_only_run = std::erase(canonical, -1) == 0;
  made.number = recording_.recorder.define_communicator(made.identity, canonical);
  if (made.is_inter && made.has_only_run) {
    const std::span local(made.ranks.data(), static_cast<std::size_t>(made.local_ranks));
    made.local_number = recording_.recorder.define_communicator(identity("group", &made, local), local);
  }
}

CommunicatorPtr Communicators::begin_duplicate(const Communicator& parent) {
  auto made = std::make_shared<Communicator>(parent);
  define(*made, "MPI_Comm_idup", &parent);
  return made;
}

void Communicators::made_later(MPI_Comm comm, const CommunicatorPtr& communicator) {
  if (comm == MPI_COMM_NULL) return;
  is_free(comm);
  real.MPI_Comm_set_attr(comm, keyval_, new CommunicatorPtr(communicator));
}

std::int32_t Communicators::define_like(const Communicator& parent, std::string_view how) {
  std::vector<std::int32_t> of_run = parent.ranks;
  std::erase(of_run, -1);
  return recording_.recorder.define_communicator(identity(how, &parent, parent.ranks), of_run);
}

void Communicators::is_being_freed(MPI_Comm comm, std::unique_ptr<CommunicatorPtr> communicator) {
  const Access access;
  for (Cached& cached : cache_)
    cached = {};
  being_freed_.push_back({comm, std::move(communicator)});
}

void Communicators::is_free(MPI_Comm comm) {
  std::erase_if(being_freed_, [comm](const BeingFreed& freed) { return freed.comm == comm; });
}

std::vector<std::int32_t> Communicators::ranks_of_run(MPI_Group group) const {
  int size = 0;
  real.MPI_Group_size(group, &size);
  std::vector<int> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> ranks(numbers.size());
  real.MPI_Group_translate_ranks(group, size, numbers.data(), world_group_, ranks.data());
  std::replace(ranks.begin(), ranks.end(), MPI_UNDEFINED, -1);
  return {ranks.begin(), ranks.end()};
}

/// Each rank computes it for itself. The results agree, because ranks that make a communicator together have
/// made the same communicators of the same ranks before.
std::uint64_t Communicators::identity(std::string_view how, const Communicator* parent,
                                      std::span<const std::int32_t> ranks) {
  const std::uint64_t of_parent = parent == nullptr ? 0 : parent->identity;
  const std::uint64_t of_ranks = XXH3_64bits_withSeed(ranks.data(), ranks.size_bytes(), of_parent);
  const std::uint64_t alike = XXH3_64bits_withSeed(how.data(), how.size(), of_ranks);
  auto known = std::lower_bound(made_alike_.begin(), made_alike_.end(), std::pair{alike, std::uint64_t{0}});
  if (known == made_alike_.end() || known->first != alike) known = made_alike_.insert(known, {alike, 0});
  const std::uint64_t count = ++known->second;
  return XXH3_64bits_withSeed(&count, sizeof count, alike) | 1;  // 0 is the communicator of all ranks
}

}  // namespace finegrain::recorder
