// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with condensed messages: Listing 5 of Lagravière et al. 2019 (UPCv3).
// Each rank packs the values that another needs into one message and puts it into that rank's shared memory.
// Listing 5 waits for each put; Listing 7 of the thesis' Paper III starts all and waits once. Parse,
// allocate, time after a warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_upcxx.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  std::string copy = "full";
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product with condensed messages (UPC++), checked and timed.", argc, argv,
      {"each", "together"}, {copy_option(copy)});
  const bool compact = copy == "compact";
  const bool waits_for_each = options.completion == "each";

  const SpmvInput input = open_input(upcxx, options);
  OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  RecordedTransfers transfers(InitiatorMemory::own);
  PutExchanges exchanges;
  find_exchanges(upcxx, transfers, input, own, exchanges);
  const Exchange& incoming = exchanges.incoming;
  const Exchange& outgoing = exchanges.outgoing;
  const std::int64_t rows = input.own_rows();
  std::vector<Block> blocks = input.own_blocks;
  if (compact) {
    make_compact(input, upcxx.rank(), own, exchanges.incoming);
    blocks = in_own_x(std::move(blocks));
  }
  const std::int64_t room = rows + (compact ? incoming.values() : 0);
  machine::Array<double> x = together(upcxx, [&] { return machine::allocate<double>(room); });
  machine::Array<double> y = together(upcxx, [&] { return machine::allocate<double>(room); });
  const auto x_copy =
      together(upcxx, [&] { return machine::allocate<double>(compact ? 0 : input.distribution.size()); });
  std::vector<double> sent(outgoing.indices.size());
  set_start_values(input, x.get());
  upcxx.barrier();

  const Work unpacking = compact ? compact_unpack_work(incoming.values()) : unpack_work(incoming.values());
  const auto iterate = [&] {
    transfers.region(regions::pack, Work{pack_bytes(outgoing.values())},
                     [&] { pack(outgoing, x.get(), sent.data()); });
    transfers.region(regions::put, [&] {
      for (std::size_t i = 0; i < outgoing.peers.size(); ++i)
        transfers.put(outgoing.peers[i].of(sent.data()), exchanges.targets[i],
                      waits_for_each ? Going::blocks : Going::on);
    });
    if (!waits_for_each) transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.barrier(upcxx);
    double* const read = compact ? x.get() : x_copy.get();
    if (!compact)
      transfers.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), read); });
    transfers.region(regions::unpack, unpacking,
                     [&] { unpack(incoming, exchanges.received->local(), read); });
    transfers.region(regions::compute, Work{multiply_bytes(rows, own.r_nz)},
                     [&] { multiply(blocks, own, read, y.get()); });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  KernelRun described = describe(input, "spmv_condensed_upcxx", "condensed", Transfer::put,
                                 waits_for_each ? Completion::each : Completion::together);
  if (compact) described.policy_settings = {{"copy", copy}};
  return time_and_check(upcxx, options, described, transfers, iterate, [&](std::int64_t iterations) {
    return check_against_sequential(upcxx, input, iterations, {x.get(), static_cast<std::size_t>(rows)});
  });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
