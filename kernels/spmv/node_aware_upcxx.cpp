// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx whose messages are condensed for whole nodes: a value that several
// ranks of a node read of another node crosses the network once. From one node to another goes one message,
// which is put; its values are gathered and scattered within the nodes by puts, too. A barrier follows each
// of the three rounds. Parse, allocate, time after a warm-up, validate.
#include <algorithm>

#include "kernels/run/node_layout.hpp"
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_upcxx.hpp"
#include "kernels/spmv/node_aware.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

/// A rank's list for another: a part of its shared array.
struct Part {
  std::int64_t first;
  std::int64_t count;
};

Lists exchange_lists(const Session& session, const Lists& lists) {
  const SharedArray<Part> parts(session, session.ranks());
  std::int64_t all = 0;
  for (std::size_t to = 0; to < lists.size(); ++to) {
    const auto count = static_cast<std::int64_t>(lists[to].size());
    parts.local()[to] = {all, count};
    all += count;
  }
  const SharedArray<std::int32_t> elements(session, all);
  std::int32_t* next = elements.local();
  for (const auto& list : lists)
    next = std::copy(list.begin(), list.end(), next);
  session.barrier();
  Lists arrived;
  for (int from = 0; from < session.ranks(); ++from) {
    const Part part = upcxx::rget(parts.of(from) + session.rank()).wait();
    auto& list = arrived.emplace_back(static_cast<std::size_t>(part.count));
    if (part.count > 0) upcxx::rget(elements.of(from) + part.first, list.data(), list.size()).wait();
  }
  session.barrier();
  return arrived;
}

/// Where each message of `out` goes. Collective: each rank says where the messages of `in` begin in its part
/// of `to`.
std::vector<upcxx::global_ptr<double>> targets_of(const Session& session, const std::vector<PeerValues>& out,
                                                  const std::vector<PeerValues>& in,
                                                  const SharedArray<double>& to) {
  Lists firsts(static_cast<std::size_t>(session.ranks()));
  for (const PeerValues& from : in)
    firsts[static_cast<std::size_t>(from.peer)] = {static_cast<std::int32_t>(from.first)};
  const Lists told = exchange_lists(session, firsts);
  std::vector<upcxx::global_ptr<double>> targets;
  for (const PeerValues& message : out)
    targets.push_back(to.of(message.peer) + told[static_cast<std::size_t>(message.peer)].front());
  return targets;
}

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product with a message a pair of nodes (UPC++), checked and timed.", argc,
      argv, {"together", "overlapped"});
  const bool overlapped = options.completion == "overlapped";

  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  const SplitRows split = overlapped ? split_rows(input, own) : SplitRows{{}, input.own_blocks};
  const NodeLayout layout = find_node_layout(upcxx, 1, options.ranks_per_node);
  const NodeAwareExchange exchange = find_node_aware_exchange(
      input, own, upcxx.rank(), problem::Placement(upcxx.ranks(), layout.ranks_per_node),
      [&](const Lists& lists) { return exchange_lists(upcxx, lists); });
  const std::int64_t rows = input.own_rows();
  machine::Array<double> x = together(upcxx, [&] { return machine::allocate<double>(rows); });
  machine::Array<double> y = together(upcxx, [&] { return machine::allocate<double>(rows); });
  const auto x_copy = together(upcxx, [&] { return machine::allocate<double>(input.distribution.size()); });
  std::vector<double> sent(static_cast<std::size_t>(exchange.gather_out.values()));
  std::vector<double> gathered(static_cast<std::size_t>(exchange.gathered_values()));
  std::vector<double> scattered(static_cast<std::size_t>(exchange.scatter_out.values()));
  const SharedArray<double> received(upcxx, exchange.received_values());
  const SharedArray<double> arrived(upcxx, exchange.arrived_values());
  const SharedArray<double> kept(upcxx, exchange.kept.values());
  const auto gather_targets = targets_of(upcxx, exchange.gather_out.peers, exchange.gather_in, received);
  const auto exchange_targets = targets_of(upcxx, exchange.exchange_out, exchange.exchange_in, arrived);
  const auto scatter_targets = targets_of(upcxx, exchange.scatter_out.peers, exchange.scatter_in, kept);
  set_start_values(input, x.get());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  const auto put = [&](const std::vector<PeerValues>& peers, std::vector<double>& values,
                       const std::vector<upcxx::global_ptr<double>>& targets) {
    for (std::size_t i = 0; i < peers.size(); ++i)
      transfers.put(peers[i].of(values.data()), targets[i], Going::on);
  };
  const auto compute = [&](const std::vector<Block>& part) {
    transfers.region(regions::compute, Work{multiply_bytes(count_rows(part), own.r_nz)},
                     [&] { multiply(part, own, x_copy.get(), y.get()); });
  };
  const auto complete = [&] {
    transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.barrier(upcxx);
  };
  const RegionName gather_region("gather");
  const RegionName exchange_region("exchange");
  const RegionName scatter_region("scatter");
  const auto iterate = [&] {
    transfers.region(regions::pack, Work{pack_bytes(exchange.packed_values())},
                     [&] { exchange.pack_parts(x.get(), sent.data(), gathered.data()); });
    transfers.region(regions::put, [&] { put(exchange.gather_out.peers, sent, gather_targets); });
    complete();
    transfers.region(gather_region, copy_work(exchange.copied_values()),
                     [&] { exchange.gather(received.local(), gathered.data()); });
    transfers.region(exchange_region, [&] { put(exchange.exchange_out, gathered, exchange_targets); });
    transfers.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), x_copy.get()); });
    if (overlapped) compute(split.interior);
    complete();
    transfers.region(scatter_region, Work{pack_bytes(exchange.scattered_values())}, [&] {
      exchange.scatter(arrived.local(), scattered.data(), kept.local());
      put(exchange.scatter_out.peers, scattered, scatter_targets);
    });
    complete();
    transfers.region(regions::unpack, unpack_work(exchange.unpacked_values()),
                     [&] { exchange.unpack_all(received.local(), kept.local(), x_copy.get()); });
    compute(split.boundary);
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  return time_and_check(
      upcxx, options,
      describe(input, "spmv_node_aware_upcxx", "node-aware", Transfer::put,
               overlapped ? Completion::overlapped : Completion::together),
      transfers, iterate, [&](std::int64_t iterations) {
        return check_against_sequential(upcxx, input, iterations, {x.get(), static_cast<std::size_t>(rows)});
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
