// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with individual accesses, as in Listing 3 of Lagravière et al. 2019
// (UPCv1), that go through a run-time system's software cache as MuPC's does: an element of another rank that
// is not in the cache brings its line with it. Barriers empty the cache. Parse, allocate, time after a
// warm-up, validate.
#include <string>

#include "kernels/run/together.hpp"
#include "kernels/spmv/own_rows.hpp"
#include "kernels/spmv/shared_vector.hpp"
#include "kernels/spmv/software_cache.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

struct Options : CacheOptions {
  std::string writes = "back";
};

std::vector<Option> own_options(Options& options) {
  constexpr double most = 1e15;
  return {
      {"--line", &options.line_bytes, "bytes of a line of the cache", 1, most},
      {"--lines", &options.lines, "lines that are kept of each other rank; 0: there is no cache", 0, most},
      {"--ways", &options.ways, "lines of a set, where a line has its place", 1, most},
      {"--victim", &options.victims, "lines of each other rank that are kept after they were replaced", 0,
       most},
      {.flag = "--writes",
       .value = &options.writes,
       .help = "back or through: the same here, where nothing of another rank is written",
       .choices = {"back", "through"}}};
}

std::vector<std::int64_t> rows_of_ranks(const SpmvInput& input) {
  std::vector<std::int64_t> rows;
  for (int rank = 0; rank < input.distribution.ranks(); ++rank)
    rows.push_back(input.distribution.elements_of(rank));
  return rows;
}

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  Options cache_options;
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product through a software cache (UPC++), checked and timed.", argc, argv,
      {}, own_options(cache_options));

  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  const std::int64_t r_nz = own.r_nz;
  SoftwareCache cache = together(upcxx, [&] { return SoftwareCache(cache_options, rows_of_ranks(input)); });
  SharedVector<double> x(upcxx, input);
  SharedVector<double> y(upcxx, input);
  set_start_values(input, x.local());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  const auto read = [&](std::int64_t element) {
    const int owner = input.distribution.owner(element);
    if (owner == upcxx.rank() || cache_options.lines == 0) return transfers.get(x.at(element));
    return cache.read(owner, input.local_index(element), [&](std::int64_t first, std::span<double> line) {
      transfers.load(x.of(owner) + first, line);
    });
  };
  const std::int64_t computed_bytes = multiply_bytes(input.own_rows(), own.r_nz);
  const auto iterate = [&] {
    transfers.region(regions::compute, Work{computed_bytes}, [&] {
      for (const Block& block : input.own_blocks) {
        const double* loc_x = x.local() + block.local_begin;
        double* loc_y = y.local() + block.local_begin;
        const double* loc_D = own.diagonal.get() + block.local_begin;
        const double* loc_A = own.values.get() + block.local_begin * r_nz;
        const std::int32_t* loc_J = own.columns.get() + block.local_begin * r_nz;
        for (std::int64_t k = 0; k < block.length; ++k) {
          double sum = 0.0;
          for (std::int64_t j = 0; j < r_nz; ++j)
            sum += loc_A[k * r_nz + j] * read(loc_J[k * r_nz + j]);
          loc_y[k] = loc_D[k] * loc_x[k] + sum;
        }
      }
      if (const std::int64_t hits = cache.take_hits(); hits > 0) transfers.work({.calls = hits});
    });
    cache.invalidate();
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  KernelRun described = describe(input, "spmv_cached_upcxx", "cached", Transfer::get, Completion::each);
  described.policy_settings = {{"line", cache_options.line_bytes},
                               {"lines", cache_options.lines},
                               {"ways", cache_options.ways},
                               {"victim", cache_options.victims},
                               {"writes", cache_options.writes}};
  return time_and_check(upcxx, options, described, transfers, iterate, [&](std::int64_t iterations) {
    return check_against_sequential(upcxx, input, iterations,
                                    {x.local(), static_cast<std::size_t>(input.own_rows())});
  });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
