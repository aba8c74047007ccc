// SPDX-License-Identifier: MIT
//
// The preparation that sparse matrix-vector products with condensed messages need once before the first of
// them (section 4.3.1 of Lagravière et al. 2019); here it is repeated. Each rank finds the elements of others
// that its rows read, and tells their owners, in MPI. Parse, time after a warm-up, validate: one product with
// the lists that the last preparation made.
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_mpi.hpp"

namespace finegrain::kernels {
namespace {

CheckResult check_product(const MpiSession& mpi, const SpmvInput& input, const OwnRows& own,
                          RecordedMessages& messages, const Exchanges& exchanges) {
  const std::int64_t rows = input.own_rows();
  std::vector<double> x(static_cast<std::size_t>(rows));
  std::vector<double> y(x.size());
  const auto x_copy = together(mpi, [&] { return machine::allocate<double>(input.distribution.size()); });
  std::vector<double> received(exchanges.incoming.indices.size());
  std::vector<double> sent(exchanges.outgoing.indices.size());
  set_start_values(input, x.data());
  pack(exchanges.outgoing, x.data(), sent.data());
  for (const PeerValues& from : exchanges.incoming.peers)
    messages.receive(from.of(received.data()), from.peer);
  for (const PeerValues& to : exchanges.outgoing.peers)
    messages.send(to.of(sent.data()), to.peer);
  messages.wait();
  copy_own_blocks(input, x.data(), x_copy.get());
  unpack(exchanges.incoming, received.data(), x_copy.get());
  multiply(input.own_blocks, own, x_copy.get(), y.data());
  return check_against_sequential(mpi, input, 1, y);
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      mpi, "What products with condensed messages need once before the first (MPI), checked and timed.", argc,
      argv);
  const SpmvInput input = open_input(mpi, options);
  const OwnRows own = together(mpi, [&] { return load_own_rows(input); });
  RecordedMessages messages(mpi.comm());
  Exchanges exchanges;
  KernelRun described =
      describe(input, "spmv_preparation_mpi", "preparation", Transfer::two_sided, Completion::together);
  described.flops_per_iteration = 0;
  return time_and_check(
      mpi, options, described, messages,
      [&] { exchanges = find_exchanges(messages, mpi.rank(), input, own); },
      [&](std::int64_t) { return check_product(mpi, input, own, messages, exchanges); });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
