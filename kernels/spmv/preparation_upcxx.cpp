// SPDX-License-Identifier: MIT
//
// The preparation that sparse matrix-vector products with condensed puts need once before the first of them
// (section 4.3.1 of Lagravière et al. 2019, Listing 6 of the thesis' Paper III); here it is repeated. Each
// rank writes down which elements of others its rows read, and reads which of its own elements others need.
// The ranks agree only once on where the lists lie. Parse, time after a warm-up, validate: one product with
// the lists of the last preparation.
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_upcxx.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

CheckResult check_product(const UpcxxSession& upcxx, const SpmvInput& input, const OwnRows& own,
                          RecordedTransfers& transfers, const PutExchanges& exchanges) {
  std::vector<double> x(static_cast<std::size_t>(input.own_rows()));
  std::vector<double> y(x.size());
  const auto x_copy = together(upcxx, [&] { return machine::allocate<double>(input.distribution.size()); });
  std::vector<double> sent(exchanges.outgoing.indices.size());
  set_start_values(input, x.data());
  pack(exchanges.outgoing, x.data(), sent.data());
  for (std::size_t i = 0; i < exchanges.targets.size(); ++i)
    transfers.put(exchanges.outgoing.peers[i].of(sent.data()), exchanges.targets[i], Going::on);
  transfers.wait();
  upcxx.barrier();
  copy_own_blocks(input, x.data(), x_copy.get());
  unpack(exchanges.incoming, exchanges.received->local(), x_copy.get());
  multiply(input.own_blocks, own, x_copy.get(), y.data());
  return check_against_sequential(upcxx, input, 1, y);
}

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx, "What products with condensed puts need once before the first (UPC++), checked and timed.", argc,
      argv);
  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  RecordedTransfers transfers(InitiatorMemory::own);
  PutExchanges exchanges;
  const auto prepare = [&] { find_exchanges(upcxx, transfers, input, own, exchanges); };
  prepare();
  KernelRun described =
      describe(input, "spmv_preparation_upcxx", "preparation", Transfer::get, Completion::together);
  described.flops_per_iteration = 0;
  return time_and_check(upcxx, options, described, transfers, prepare,
                        [&](std::int64_t) { return check_product(upcxx, input, own, transfers, exchanges); });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
