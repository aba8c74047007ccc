// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with condensed messages. While they are on their way, the rank computes
// the rows that need no remote values: the future work of Lagravière's thesis. Parse, allocate, time after a
// warm-up, validate.
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_upcxx.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  std::string copy = "full";
  const SpmvOptions options = parse_spmv_options(
      upcxx,
      "Sparse matrix-vector product with condensed messages that fly during computation (UPC++),\n"
      "checked and timed.",
      argc, argv, {}, {copy_option(copy)});
  const bool compact = copy == "compact";

  const SpmvInput input = open_input(upcxx, options);
  OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  SplitRows split = split_rows(input, own);
  const std::int64_t interior_bytes = multiply_bytes(count_rows(split.interior), own.r_nz);
  const std::int64_t boundary_bytes = multiply_bytes(count_rows(split.boundary), own.r_nz);
  RecordedTransfers transfers(InitiatorMemory::own);
  PutExchanges exchanges;
  find_exchanges(upcxx, transfers, input, own, exchanges);
  const Exchange& incoming = exchanges.incoming;
  const Exchange& outgoing = exchanges.outgoing;
  const std::int64_t rows = input.own_rows();
  if (compact) {
    make_compact(input, upcxx.rank(), own, exchanges.incoming);
    split = {in_own_x(std::move(split.interior)), in_own_x(std::move(split.boundary))};
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
        transfers.put(outgoing.peers[i].of(sent.data()), exchanges.targets[i], Going::on);
    });
    double* const read = compact ? x.get() : x_copy.get();
    if (!compact)
      transfers.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), read); });
    transfers.region(regions::compute, Work{interior_bytes},
                     [&] { multiply(split.interior, own, read, y.get()); });
    transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.barrier(upcxx);
    transfers.region(regions::unpack, unpacking,
                     [&] { unpack(incoming, exchanges.received->local(), read); });
    transfers.region(regions::compute, Work{boundary_bytes},
                     [&] { multiply(split.boundary, own, read, y.get()); });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  KernelRun described =
      describe(input, "spmv_overlapped_upcxx", "condensed", Transfer::put, Completion::overlapped);
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
