// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with whole blocks: Listing 4 of Lagravière et al. 2019 (UPCv2). A rank
// gets every block of x that has an element it needs, its own included, into a private copy of x; then it
// computes. Parse, allocate, time after a warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/needed_blocks.hpp"
#include "kernels/spmv/shared_vector.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product that gets whole blocks of x (UPC++), checked and timed.", argc,
      argv);

  const SpmvInput input = open_input(upcxx, options);
  const problem::Distribution& distribution = input.distribution;
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  const auto blocks = together(upcxx, [&] { return needed_blocks(input, own); });
  const auto x_copy = together(upcxx, [&] { return machine::allocate<double>(distribution.size()); });
  SharedVector<double> x(upcxx, input);
  SharedVector<double> y(upcxx, input);
  set_start_values(input, x.local());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  const auto iterate = [&] {
    transfers.region(regions::get, [&] {
      for (const std::int64_t block : blocks) {
        const std::int64_t begin = distribution.block_begin(block);
        transfers.get(x.at(begin),
                      {x_copy.get() + begin, static_cast<std::size_t>(distribution.block_length(block))},
                      Going::blocks);
      }
    });
    transfers.region(regions::compute, Work{multiply_bytes(input.own_rows(), own.r_nz)},
                     [&] { multiply(input.own_blocks, own, x_copy.get(), y.local()); });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  return time_and_check(
      upcxx, options, describe(input, "spmv_block_get_upcxx", "block", Transfer::get, Completion::each),
      transfers, iterate, [&](std::int64_t iterations) {
        return check_against_sequential(upcxx, input, iterations,
                                        {x.local(), static_cast<std::size_t>(input.own_rows())});
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
