// SPDX-License-Identifier: MIT
// wrong_send_list --matrix FILE --record FOLDER: sends and receives as spmv_condensed_mpi does, but rank 0's
// send list to its first peer lacks a value, of which the peer knows. What it records must differ from the
// schedule.
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_mpi.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::kernels;

int run(const MpiSession& mpi, int argc, char** argv) {
  SpmvOptions options = parse_spmv_options(mpi, "a wrong send list", argc, argv);
  options.check = false;
  const SpmvInput input = open_input(mpi, options);
  const OwnRows own = load_own_rows(input);
  RecordedMessages messages(mpi.comm());
  Exchanges exchanges = find_exchanges(messages, mpi.rank(), input, own);
  const int receiver = 1;
  if (mpi.is_first()) --exchanges.outgoing.peers.front().count;
  if (mpi.rank() == receiver) --exchanges.incoming.peers.front().count;

  const std::int64_t rows = input.own_rows();
  std::vector<double> received(exchanges.incoming.indices.size());
  std::vector<double> sent(exchanges.outgoing.indices.size());
  const auto nothing = [] {};
  const auto iterate = [&] {
    messages.region(regions::receive, [&] {
      for (const PeerValues& from : exchanges.incoming.peers)
        messages.receive(from.of(received.data()), from.peer);
    });
    messages.region(regions::pack, Work{pack_bytes(exchanges.outgoing.values())}, nothing);
    messages.region(regions::send, [&] {
      for (const PeerValues& to : exchanges.outgoing.peers)
        messages.send(to.of(sent.data()), to.peer);
    });
    messages.region(regions::copy, copy_work(rows), nothing);
    messages.region(regions::wait, [&] { messages.wait(); });
    messages.region(regions::unpack, unpack_work(exchanges.incoming.values()), nothing);
    messages.region(regions::compute, Work{multiply_bytes(rows, own.r_nz)}, nothing);
  };

  return time_and_check(
      mpi, options,
      describe(input, "wrong_send_list", "condensed", Transfer::two_sided, Completion::together), messages,
      iterate, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, run);
}
