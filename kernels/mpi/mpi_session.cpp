// SPDX-License-Identifier: MIT
#include "kernels/mpi/mpi_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "kernels/mpi/clock_offsets.hpp"

namespace finegrain::kernels {
namespace {

/// Calls each(values) for parts whose lengths MPI can count in an int.
template <class Each>
void in_parts(std::span<double> values, Each each) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t first = 0; first < values.size(); first += most)
    each(values.subspan(first, std::min(most, values.size() - first)));
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    fmt::print(stderr, "MPI: allows no threads beside it. Use another MPI library\n");
    abort();
  }
  MPI_Comm_rank(comm(), &rank_);
  MPI_Comm_size(comm(), &ranks_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  MPI_Allreduce(&rank_, &first_on_node_, 1, MPI_INT, MPI_MIN, node);
  MPI_Comm_free(&node);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

void MpiSession::barrier() const {
  MPI_Barrier(comm());
}

void MpiSession::maximize(std::span<double> values) const {
  in_parts(values, [&](std::span<double> part) {
    MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_DOUBLE, MPI_MAX, comm());
  });
}

void MpiSession::broadcast(std::span<double> values) const {
  in_parts(values, [&](std::span<double> part) {
    MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, comm());
  });
}

std::vector<std::string> MpiSession::all_texts(const std::string& mine) const {
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks()));
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm());
  std::vector<int> starts;
  int total = 0;
  for (const int each : lengths) {
    starts.push_back(total);
    total += each;
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, comm());
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank])));
  return texts;
}

std::vector<ClockOffset> MpiSession::measure_clock_offsets() const {
  return kernels::measure_clock_offsets(comm());
}

std::pair<std::string, std::string> MpiSession::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data());
  // Open MPI: "Open MPI v4.1.4, package: ..."; MPICH: one fact on each line.
  return {"mpi", version.substr(0, version.find_first_of(",\n"))};
}

void MpiSession::abort() const {
  MPI_Abort(comm(), 1);
  std::abort();  // MPI_Abort does not return, but is not declared so
}

int run_mpi_program(int argc, char** argv, const std::function<int(const MpiSession&, int, char**)>& kernel) {
  const MpiSession mpi(argc, argv);
  return run_kernel(mpi, [&] { return kernel(mpi, argc, argv); });
}

}  // namespace finegrain::kernels
