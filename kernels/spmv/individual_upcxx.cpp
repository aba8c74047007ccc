// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with individual accesses: Listing 3 of Lagravière et al. 2019 (UPCv1).
// A rank goes through its own rows only, by pointers to its own memory; x alone is read through global
// pointers, an element at a time. Parse, allocate, time after a warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/own_rows.hpp"
#include "kernels/spmv/shared_vector.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product with individual accesses (UPC++), checked and timed.", argc, argv);

  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  const std::int64_t r_nz = own.r_nz;
  SharedVector<double> x(upcxx, input);
  SharedVector<double> y(upcxx, input);
  set_start_values(input, x.local());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
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
            sum += loc_A[k * r_nz + j] * transfers.get(x.at(loc_J[k * r_nz + j]));
          loc_y[k] = loc_D[k] * loc_x[k] + sum;
        }
      }
    });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  return time_and_check(
      upcxx, options, describe(input, "spmv_individual_upcxx", "individual", Transfer::get, Completion::each),
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
