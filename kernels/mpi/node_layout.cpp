// SPDX-License-Identifier: MIT
#include "kernels/mpi/node_layout.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "kernels/machine/cpus.hpp"
#include "kernels/mpi/together.hpp"
#include "kernels/problem/placement.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr std::size_t most_cpus = 8192;

/// The CPUs that any of the ranks may run on.
std::vector<int> united(const std::vector<int>& cpus, MPI_Comm comm) {
  std::array<unsigned char, most_cpus> allowed{};
  for (const int cpu : cpus)
    if (static_cast<std::size_t>(cpu) < most_cpus) allowed[static_cast<std::size_t>(cpu)] = 1;
  MPI_Allreduce(MPI_IN_PLACE, allowed.data(), most_cpus, MPI_UNSIGNED_CHAR, MPI_MAX, comm);
  std::vector<int> all;
  for (std::size_t cpu = 0; cpu < most_cpus; ++cpu)
    if (allowed[cpu] != 0) all.push_back(static_cast<int>(cpu));
  return all;
}

/// Every rank's text on rank 0, "0: a; 1: b"; "all: a" where they are the same.
std::string gather_text(const MpiSession& mpi, const std::string& text) {
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(mpi.ranks()));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, mpi.comm());
  std::vector<int> starts;
  int total = 0;
  for (const int each : lengths) {
    starts.push_back(total);
    total += each;
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0,
              mpi.comm());
  if (!mpi.is_first()) return {};
  bool same = true;
  std::string listed;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const std::string each =
        all.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank]));
    same = same && each == text;
    listed += fmt::format("{}{}: {}", rank == 0 ? "" : "; ", rank, each);
  }
  return same ? "all: " + text : listed;
}

}  // namespace

NodeLayout find_node_layout(const MpiSession& mpi, int threads, std::optional<int> stated_ranks_per_node) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(mpi.comm(), MPI_COMM_TYPE_SHARED, mpi.rank(), MPI_INFO_NULL, &node);
  int ranks_here = 1;
  MPI_Comm_size(node, &ranks_here);
  int first_here = mpi.rank();
  MPI_Allreduce(MPI_IN_PLACE, &first_here, 1, MPI_INT, MPI_MIN, node);
  const std::vector<int> cpus = allowed_cpus();
  const int cores_here = count_cores(united(cpus, node));
  MPI_Comm_free(&node);

  NodeLayout layout;
  MPI_Allreduce(&ranks_here, &layout.ranks_per_node, 1, MPI_INT, MPI_MAX, mpi.comm());
  MPI_Allreduce(&cores_here, &layout.cores, 1, MPI_INT, MPI_MIN, mpi.comm());
  const int over_here = ranks_here * threads > cores_here ? 1 : 0;
  int over_anywhere = 0;
  MPI_Allreduce(&over_here, &over_anywhere, 1, MPI_INT, MPI_MAX, mpi.comm());
  layout.oversubscribed = over_anywhere != 0;
  layout.pinning = gather_text(mpi, format_cpus(cpus));

  together(mpi, [&] {
    const Placement placement(mpi.ranks(), stated_ranks_per_node.value_or(layout.ranks_per_node));
    if (!stated_ranks_per_node && placement.first_rank(placement.node(mpi.rank())) != first_here) {
      throw InputError(fmt::format(
          "ranks: rank {} is not on the node of rank {} (a node must hold consecutive ranks). Start them "
          "with mpirun --map-by slot, the same number on each node, or give --ranks-per-node",
          mpi.rank(), placement.first_rank(placement.node(mpi.rank()))));
    }
  });
  layout.ranks_per_node = stated_ranks_per_node.value_or(layout.ranks_per_node);
  return layout;
}

}  // namespace finegrain
