// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with condensed messages, in MPI + OpenMP. While they are on their way,
// the rank computes the rows that need no remote values: the future work of Lagravière's thesis. Parse,
// allocate, time after a warm-up, validate.
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_mpi.hpp"

namespace finegrain::kernels {
namespace {

int run(const MpiSession& mpi, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      mpi,
      "Sparse matrix-vector product with condensed messages that fly during computation (MPI + OpenMP),\n"
      "checked and timed.",
      argc, argv);

  const SpmvInput input = open_input(mpi, options);
  const OwnRows own = together(mpi, [&] { return load_own_rows(input); });
  const Exchanges exchanges = find_exchanges(mpi, input, own);
  const Exchange& incoming = exchanges.incoming;
  const Exchange& outgoing = exchanges.outgoing;
  const SplitRows split = split_rows(input, own);
  const std::int64_t interior_bytes = multiply_bytes(count_rows(split.interior), own.r_nz);
  const std::int64_t boundary_bytes = multiply_bytes(count_rows(split.boundary), own.r_nz);
  const std::int64_t rows = input.own_rows();
  machine::Array<double> x = together(mpi, [&] { return machine::allocate<double>(rows); });
  machine::Array<double> y = together(mpi, [&] { return machine::allocate<double>(rows); });
  const auto x_copy = together(mpi, [&] { return machine::allocate<double>(input.distribution.size()); });
  std::vector<double> received(incoming.indices.size());
  std::vector<double> sent(outgoing.indices.size());
  set_start_values(input, x.get());

  RecordedMessages messages(mpi.comm());
  const auto iterate = [&] {
    messages.region(regions::receive, [&] {
      for (const PeerValues& from : incoming.peers)
        messages.receive(from.of(received.data()), from.peer);
    });
    messages.region(regions::pack, Work{pack_bytes(outgoing.values())},
                    [&] { pack(outgoing, x.get(), sent.data()); });
    messages.region(regions::send, [&] {
      for (const PeerValues& to : outgoing.peers)
        messages.send(to.of(sent.data()), to.peer);
    });
    messages.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), x_copy.get()); });
    messages.region(regions::compute, Work{interior_bytes},
                    [&] { multiply(split.interior, own, x_copy.get(), y.get()); });
    messages.region(regions::wait, [&] { messages.wait(); });
    messages.region(regions::unpack, unpack_work(incoming.values()),
                    [&] { unpack(incoming, received.data(), x_copy.get()); });
    messages.region(regions::compute, Work{boundary_bytes},
                    [&] { multiply(split.boundary, own, x_copy.get(), y.get()); });
    std::swap(x, y);
  };
  return time_and_check(
      mpi, options,
      describe(input, "spmv_overlapped_mpi", "condensed", Transfer::two_sided, Completion::overlapped),
      messages, iterate, [&](std::int64_t iterations) {
        return check_against_sequential(mpi, input, iterations, {x.get(), static_cast<std::size_t>(rows)});
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
