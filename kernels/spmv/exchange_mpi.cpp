// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange_mpi.hpp"

#include <CLI/CLI.hpp>

namespace finegrain::kernels {
namespace {

std::vector<int> running_sum(const std::vector<int>& counts) {
  std::vector<int> starts;
  int sum = 0;
  for (const int count : counts) {
    starts.push_back(sum);
    sum += count;
  }
  return starts;
}

}  // namespace

void add_copy_option(CLI::App& app, std::string& copy) {
  app.add_option("--copy", copy,
                 "where x is read: full (a copy of all of x), compact (only the elements that a rank needs)")
      ->check(CLI::IsMember({"full", "compact"}))
      ->capture_default_str();
}

Exchanges find_exchanges(const MpiSession& mpi, const SpmvInput& input, const OwnRows& own) {
  std::vector<int> counts_in;
  std::vector<std::int32_t> elements_in;
  for (const auto& of_owner : needed_elements(input, own, mpi.rank())) {
    counts_in.push_back(static_cast<int>(of_owner.size()));
    elements_in.insert(elements_in.end(), of_owner.begin(), of_owner.end());
  }
  std::vector<int> counts_out(counts_in.size());
  MPI_Alltoall(counts_in.data(), 1, MPI_INT, counts_out.data(), 1, MPI_INT, mpi.comm());

  const std::vector<int> starts_in = running_sum(counts_in);
  const std::vector<int> starts_out = running_sum(counts_out);
  std::vector<std::int32_t> elements_out(static_cast<std::size_t>(starts_out.back() + counts_out.back()));
  MPI_Alltoallv(elements_in.data(), counts_in.data(), starts_in.data(), MPI_INT32_T, elements_out.data(),
                counts_out.data(), starts_out.data(), MPI_INT32_T, mpi.comm());
  for (std::int32_t& element : elements_out)
    element = static_cast<std::int32_t>(input.local_index(element));
  return {make_exchange({counts_in.begin(), counts_in.end()}, std::move(elements_in)),
          make_exchange({counts_out.begin(), counts_out.end()}, std::move(elements_out))};
}

}  // namespace finegrain::kernels
