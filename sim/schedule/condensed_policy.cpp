// SPDX-License-Identifier: MIT
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {
namespace {

/// Distinct values exchanged with one other rank.
struct PeerValues {
  std::int32_t peer;
  std::int64_t values;
};

/// What one rank sends and receives, each in ascending order of peer.
struct Exchange {
  std::vector<PeerValues> out;
  std::vector<PeerValues> in;
  std::int64_t values_out = 0;
  std::int64_t values_in = 0;
};

std::vector<Exchange> exchanges(std::span<const RankCounts> counts) {
  std::vector<Exchange> ranks(counts.size());
  for (std::size_t receiver = 0; receiver < counts.size(); ++receiver) {
    for (const PeerCounts& need : counts[receiver].needs) {
      ranks[receiver].in.push_back({need.peer, need.values});
      ranks[receiver].values_in += need.values;
      Exchange& sender = ranks[static_cast<std::size_t>(need.peer)];
      sender.out.push_back({static_cast<std::int32_t>(receiver), need.values});
      sender.values_out += need.values;
    }
  }
  return ranks;
}

/// @param transfer  all but its peer and size
void add_transfers(Body& body, Post transfer, const std::vector<PeerValues>& exchanged) {
  for (const auto& [peer, values] : exchanged) {
    transfer.peer = peer;
    transfer.size_bytes = values * double_bytes;
    body.add(transfer);
  }
}

Work copy_work(std::int64_t rows) {
  return {.memory_bytes = copy_bytes(rows), .copied_bytes = copy_bytes(rows) / 2};
}

Work unpack_work(std::int64_t values) {
  return {.memory_bytes = unpack_bytes(values), .scattered_stores = values};
}

/// The rank's multiplication, in one compute phase or two.
struct ComputeBytes {
  std::int64_t interior = 0;  ///< of rows that read no other rank's element, where they are computed first
  std::int64_t rest = 0;
};

ComputeBytes compute_bytes(const RankCounts& counts, int r_nz, Completion completion) {
  const std::int64_t interior_rows = completion == Completion::overlapped ? counts.interior_rows : 0;
  return {spmv_compute_bytes(interior_rows, r_nz), spmv_compute_bytes(counts.rows - interior_rows, r_nz)};
}

Body put_body(const RankCounts& counts, const Exchange& exchange, int r_nz, Completion completion) {
  const bool overlapped = completion == Completion::overlapped;
  const ComputeBytes compute = compute_bytes(counts, r_nz, completion);
  Body body;
  body.add_region(regions::pack, Work{pack_bytes(exchange.values_out)});
  body.begin_region(regions::put);
  add_transfers(body,
                {.kind = TransferKind::put,
                 .blocking = completion == Completion::each,
                 .private_memory = true,
                 .peer = 0,
                 .size_bytes = 0},
                exchange.out);
  if (overlapped) {
    body.add_region(regions::copy, copy_work(counts.rows));
    body.add_region(regions::compute, Work{compute.interior});
  }
  if (completion != Completion::each) body.add_region(regions::wait, Complete::all());
  body.add_region(regions::barrier, Collective{});
  if (!overlapped) body.add_region(regions::copy, copy_work(counts.rows));
  body.add_region(regions::unpack, unpack_work(exchange.values_in));
  body.add_region(regions::compute, Work{compute.rest});
  body.add_region(regions::barrier, Collective{});
  body.add_region(regions::barrier, Collective{});
  return body;
}

Body send_body(const RankCounts& counts, const Exchange& exchange, int r_nz, Completion completion) {
  const ComputeBytes compute = compute_bytes(counts, r_nz, completion);
  Body body;
  body.begin_region(regions::receive);
  add_transfers(body, {.kind = TransferKind::receive, .peer = 0, .size_bytes = 0}, exchange.in);
  body.add_region(regions::pack, Work{pack_bytes(exchange.values_out)});
  body.begin_region(regions::send);
  add_transfers(body, {.kind = TransferKind::send, .peer = 0, .size_bytes = 0}, exchange.out);
  body.add_region(regions::copy, copy_work(counts.rows));
  if (completion == Completion::overlapped) body.add_region(regions::compute, Work{compute.interior});
  body.add_region(regions::wait, Complete::all());
  body.add_region(regions::unpack, unpack_work(exchange.values_in));
  body.add_region(regions::compute, Work{compute.rest});
  return body;
}

template <class MakeBody>
std::vector<Body> bodies_of_ranks(std::span<const RankCounts> counts, const MakeBody& make_body) {
  const auto exchanged = exchanges(counts);
  std::vector<Body> ranks;
  ranks.reserve(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    ranks.push_back(make_body(counts[rank], exchanged[rank]));
  return ranks;
}

}  // namespace

std::vector<Body> condensed_put_bodies(std::span<const RankCounts> counts, int r_nz, Completion completion) {
  return bodies_of_ranks(counts, [&](const RankCounts& rank, const Exchange& exchange) {
    return put_body(rank, exchange, r_nz, completion);
  });
}

std::vector<Body> condensed_send_bodies(std::span<const RankCounts> counts, int r_nz, Completion completion) {
  return bodies_of_ranks(counts, [&](const RankCounts& rank, const Exchange& exchange) {
    return send_body(rank, exchange, r_nz, completion);
  });
}

}  // namespace finegrain
