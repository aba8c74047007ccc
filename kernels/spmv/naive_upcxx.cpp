// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx, the naive program: Listing 2 of Lagravière et al. 2019. Every rank
// goes through all rows and multiplies those that it owns; all arrays are shared, and every access goes
// through a global pointer. Parse, allocate, time after a warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/own_rows.hpp"
#include "kernels/spmv/shared_vector.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx,
      "Sparse matrix-vector product, every access through a global pointer (UPC++), checked and timed.", argc,
      argv);

  const SpmvInput input = open_input(upcxx, options);
  const problem::EllpackView& matrix = input.file.view();
  const SharedVector<double> diagonal(upcxx, input);
  const SharedVector<double> values(upcxx, input, matrix.r_nz);
  const SharedVector<std::int32_t> columns(upcxx, input, matrix.r_nz);
  SharedVector<double> x(upcxx, input);
  SharedVector<double> y(upcxx, input);
  for (const Block& block : input.own_blocks) {
    const auto rows = static_cast<std::size_t>(block.length);
    const auto entries = rows * static_cast<std::size_t>(matrix.r_nz);
    std::copy_n(&matrix.diagonal[block.global_begin], rows, diagonal.local() + block.local_begin);
    std::copy_n(&matrix.values[block.global_begin * matrix.r_nz], entries,
                values.local() + block.local_begin * matrix.r_nz);
    std::copy_n(&matrix.columns[block.global_begin * matrix.r_nz], entries,
                columns.local() + block.local_begin * matrix.r_nz);
  }
  set_start_values(input, x.local());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  // References besides those to x: to A, J, D and y of the rank's own rows. The rank tests for every row
  // whether it owns it.
  const Work computation{.memory_bytes = multiply_bytes(input.own_rows(), matrix.r_nz),
                         .shared_references = input.own_rows() * (2 * matrix.r_nz + 2),
                         .affinity_tests = matrix.rows};
  const auto iterate = [&] {
    transfers.region(regions::compute, computation, [&] {
      for (std::int64_t i = 0; i < matrix.rows; ++i) {
        if (y.at(i).where() != upcxx.rank()) continue;
        double sum = 0.0;
        for (std::int64_t j = 0; j < matrix.r_nz; ++j)
          sum += transfers.get(values.at(i, j)) * transfers.get(x.at(transfers.get(columns.at(i, j))));
        upcxx::rput(transfers.get(diagonal.at(i)) * transfers.get(x.at(i)) + sum, y.at(i)).wait();
      }
    });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  return time_and_check(
      upcxx, options, describe(input, "spmv_naive_upcxx", "naive", Transfer::get, Completion::each),
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
