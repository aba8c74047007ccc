// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx whose messages are condensed for whole nodes: a value that several
// ranks of a node read of another node crosses the network once. From one node to another goes one message
// (MPI's two-sided messages); its values are gathered and scattered within the nodes. Parse, allocate, time
// after a warm-up, validate.
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/together.hpp"
#include "kernels/spmv/exchange_mpi.hpp"
#include "kernels/spmv/node_aware.hpp"

namespace finegrain::kernels {
namespace {

Lists exchange_lists(const MpiSession& mpi, const Lists& lists) {
  const auto ranks = static_cast<std::size_t>(mpi.ranks());
  std::vector<int> counts_out;
  std::vector<int> starts_out;
  std::vector<std::int32_t> out;
  for (const auto& list : lists) {
    starts_out.push_back(static_cast<int>(out.size()));
    counts_out.push_back(static_cast<int>(list.size()));
    out.insert(out.end(), list.begin(), list.end());
  }
  std::vector<int> counts_in(ranks);
  MPI_Alltoall(counts_out.data(), 1, MPI_INT, counts_in.data(), 1, MPI_INT, mpi.comm());
  std::vector<int> starts_in;
  int all = 0;
  for (const int count : counts_in) {
    starts_in.push_back(all);
    all += count;
  }
  std::vector<std::int32_t> in(static_cast<std::size_t>(all));
  MPI_Alltoallv(out.data(), counts_out.data(), starts_out.data(), MPI_INT32_T, in.data(), counts_in.data(),
                starts_in.data(), MPI_INT32_T, mpi.comm());
  Lists arrived;
  for (std::size_t from = 0; from < ranks; ++from) {
    const auto begin = in.begin() + starts_in[from];
    arrived.emplace_back(begin, begin + counts_in[from]);
  }
  return arrived;
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const SpmvOptions options = parse_spmv_options(
      mpi, "Sparse matrix-vector product with a message a pair of nodes (MPI + OpenMP), checked and timed.",
      argc, argv, {"together", "overlapped"});
  const bool overlapped = options.completion == "overlapped";

  const SpmvInput input = open_input(mpi, options);
  const OwnRows own = together(mpi, [&] { return load_own_rows(input); });
  const SplitRows split = overlapped ? split_rows(input, own) : SplitRows{{}, input.own_blocks};
  const NodeLayout layout = find_node_layout(mpi, 1, options.ranks_per_node);
  const NodeAwareExchange exchange =
      find_node_aware_exchange(input, own, mpi.rank(), problem::Placement(mpi.ranks(), layout.ranks_per_node),
                               [&](const Lists& lists) { return exchange_lists(mpi, lists); });
  const std::int64_t rows = input.own_rows();
  machine::Array<double> x = together(mpi, [&] { return machine::allocate<double>(rows); });
  machine::Array<double> y = together(mpi, [&] { return machine::allocate<double>(rows); });
  const auto x_copy = together(mpi, [&] { return machine::allocate<double>(input.distribution.size()); });
  std::vector<double> sent(static_cast<std::size_t>(exchange.gather_out.values()));
  std::vector<double> received(static_cast<std::size_t>(exchange.received_values()));
  std::vector<double> gathered(static_cast<std::size_t>(exchange.gathered_values()));
  std::vector<double> arrived(static_cast<std::size_t>(exchange.arrived_values()));
  std::vector<double> scattered(static_cast<std::size_t>(exchange.scatter_out.values()));
  std::vector<double> kept(static_cast<std::size_t>(exchange.kept.values()));
  set_start_values(input, x.get());

  RecordedMessages messages(mpi.comm());
  const auto receive = [&](const std::vector<PeerValues>& peers, std::vector<double>& values) {
    for (const PeerValues& from : peers)
      messages.receive(from.of(values.data()), from.peer);
  };
  const auto send = [&](const std::vector<PeerValues>& peers, std::vector<double>& values) {
    for (const PeerValues& to : peers)
      messages.send(to.of(values.data()), to.peer);
  };
  const auto compute = [&](const std::vector<Block>& part) {
    messages.region(regions::compute, Work{multiply_bytes(count_rows(part), own.r_nz)},
                    [&] { multiply(part, own, x_copy.get(), y.get()); });
  };
  const auto wait = [&] { messages.region(regions::wait, [&] { messages.wait(); }); };
  const RegionName gather_region("gather");
  const RegionName exchange_region("exchange");
  const RegionName scatter_region("scatter");
  const auto iterate = [&] {
    messages.region(regions::receive, [&] { receive(exchange.gather_in, received); });
    messages.region(regions::pack, Work{pack_bytes(exchange.packed_values())},
                    [&] { exchange.pack_parts(x.get(), sent.data(), gathered.data()); });
    messages.region(regions::send, [&] { send(exchange.gather_out.peers, sent); });
    wait();
    messages.region(gather_region, copy_work(exchange.copied_values()),
                    [&] { exchange.gather(received.data(), gathered.data()); });
    messages.region(exchange_region, [&] {
      receive(exchange.exchange_in, arrived);
      send(exchange.exchange_out, gathered);
    });
    messages.region(regions::copy, copy_work(rows), [&] { copy_own_blocks(input, x.get(), x_copy.get()); });
    if (overlapped) compute(split.interior);
    wait();
    messages.region(scatter_region, Work{pack_bytes(exchange.scattered_values())}, [&] {
      exchange.scatter(arrived.data(), scattered.data(), kept.data());
      receive(exchange.scatter_in, kept);
      send(exchange.scatter_out.peers, scattered);
    });
    wait();
    messages.region(regions::unpack, unpack_work(exchange.unpacked_values()),
                    [&] { exchange.unpack_all(received.data(), kept.data(), x_copy.get()); });
    compute(split.boundary);
    std::swap(x, y);
  };
  return time_and_check(
      mpi, options,
      describe(input, "spmv_node_aware_mpi", "node-aware", Transfer::two_sided,
               overlapped ? Completion::overlapped : Completion::together),
      messages, iterate, [&](std::int64_t iterations) {
        return check_against_sequential(mpi, input, iterations, {x.get(), static_cast<std::size_t>(rows)});
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
