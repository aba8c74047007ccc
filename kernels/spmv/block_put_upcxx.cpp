// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with whole blocks, as in Listing 4 of the thesis' Paper III: it puts
// the blocks that Listing 4 of Lagravière et al. 2019 gets. A rank computes, then puts each of its blocks of
// y into the copy of x of every rank that needs it, itself included. The listing puts into x at once; here a
// barrier comes first, so that no put overwrites values that another rank still reads. Parse, allocate, time
// after a warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/needed_blocks.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/shared_array.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

/// A block of this rank, and a rank that needs it.
struct BlockPut {
  int target;
  Block block;
};

/// Collective: each rank says which blocks it needs, and finds which ranks need its own blocks. The puts are
/// in ascending order of target, then of block.
std::vector<BlockPut> find_puts(const Session& session, const SpmvInput& input, const OwnRows& own) {
  const auto needed = together(session, [&] { return needed_blocks(input, own); });
  const SharedArray<std::int64_t> all_needed(session, static_cast<std::int64_t>(needed.size()));
  std::copy(needed.begin(), needed.end(), all_needed.local());
  const SharedArray<std::int64_t> counts(session, 1);
  *counts.local() = static_cast<std::int64_t>(needed.size());
  session.barrier();
  std::vector<BlockPut> puts;
  for (int target = 0; target < session.ranks(); ++target) {
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(upcxx::rget(counts.of(target)).wait()));
    upcxx::rget(all_needed.of(target), blocks.data(), blocks.size()).wait();
    for (const std::int64_t block : blocks) {
      if (input.distribution.owner_of_block(block) != session.rank()) continue;
      const std::int64_t begin = input.distribution.block_begin(block);
      puts.push_back({target, {begin, input.local_index(begin), input.distribution.block_length(block)}});
    }
  }
  session.barrier();
  return puts;
}

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product that puts whole blocks of y (UPC++), checked and timed.", argc,
      argv);

  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  const auto puts = find_puts(upcxx, input, own);
  const SharedArray<double> x_copies(upcxx, input.distribution.size());
  const auto y = together(upcxx, [&] { return machine::allocate<double>(input.own_rows()); });
  for (std::int64_t element = 0; element < input.distribution.size(); ++element)
    x_copies.local()[element] = start_value(element);
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  const auto iterate = [&] {
    transfers.region(regions::compute, Work{multiply_bytes(input.own_rows(), own.r_nz)},
                     [&] { multiply(input.own_blocks, own, x_copies.local(), y.get()); });
    transfers.barrier(upcxx);
    transfers.region(regions::put, [&] {
      for (const auto& [target, block] : puts) {
        transfers.put({y.get() + block.local_begin, static_cast<std::size_t>(block.length)},
                      x_copies.of(target) + block.global_begin, Going::on);
      }
    });
    transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.barrier(upcxx);
  };
  return time_and_check(upcxx, options,
                        describe(input, "spmv_block_put_upcxx", "block", Transfer::put, Completion::together),
                        transfers, iterate, [&](std::int64_t iterations) {
                          std::vector<double> x;
                          for (const Block& block : input.own_blocks) {
                            const double* begin = x_copies.local() + block.global_begin;
                            x.insert(x.end(), begin, begin + block.length);
                          }
                          return check_against_sequential(upcxx, input, iterations, x);
                        });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
