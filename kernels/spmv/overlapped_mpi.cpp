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
  std::string copy = "full";
  const SpmvOptions options = parse_spmv_options(
      mpi,
      "Sparse matrix-vector product with condensed messages that fly during computation (MPI + OpenMP),\n"
      "checked and timed.",
      argc, argv, {}, {copy_option(copy)});
  const bool compact = copy == "compact";

  const SpmvInput input = open_input(mpi, options);
  OwnRows own = together(mpi, [&] { return load_own_rows(input); });
  RecordedMessages messages(mpi.comm());
  Exchanges exchanges = find_exchanges(messages, mpi.rank(), input, own);
  const Exchange& incoming = exchanges.incoming;
  const Exchange& outgoing = exchanges.outgoing;
  SplitRows split = split_rows(input, own);
  const std::int64_t interior_bytes = multiply_bytes(count_rows(split.interior), own.r_nz);
  const std::int64_t boundary_bytes = multiply_bytes(count_rows(split.boundary), own.r_nz);
  const std::int64_t rows = input.own_rows();
  if (compact) {
    make_compact(input, mpi.rank(), own, exchanges.incoming);
    split = {in_own_x(std::move(split.interior)), in_own_x(std::move(split.boundary))};
  }
  const std::int64_t room = rows + (compact ? incoming.values() : 0);
  machine::Array<double> x = together(mpi, [&] { return machine::allocate<double>(room); });
  machine::Array<double> y = together(mpi, [&] { return machine::allocate<double>(room); });
  const auto x_copy =
      together(mpi, [&] { return machine::allocate<double>(compact ? 0 : input.distribution.size()); });
  std::vector<double> received(incoming.indices.size());
  std::vector<double> sent(outgoing.indices.size());
  set_start_values(input, x.get());

  const Work unpacking = compact ? compact_unpack_work(incoming.values()) : unpack_work(incoming.values());
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
    double* const read = compact ? x.get() : x_copy.get();
    if (!compact)
      messages.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), read); });
    messages.region(regions::compute, Work{interior_bytes},
                    [&] { multiply(split.interior, own, read, y.get()); });
    messages.region(regions::wait, [&] { messages.wait(); });
    messages.region(regions::unpack, unpacking, [&] { unpack(incoming, received.data(), read); });
    messages.region(regions::compute, Work{boundary_bytes},
                    [&] { multiply(split.boundary, own, read, y.get()); });
    std::swap(x, y);
  };
  KernelRun described =
      describe(input, "spmv_overlapped_mpi", "condensed", Transfer::two_sided, Completion::overlapped);
  if (compact) described.policy_settings = {{"copy", copy}};
  return time_and_check(mpi, options, described, messages, iterate, [&](std::int64_t iterations) {
    return check_against_sequential(mpi, input, iterations, {x.get(), static_cast<std::size_t>(rows)});
  });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
