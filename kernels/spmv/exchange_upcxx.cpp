// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange_upcxx.hpp"

#include <algorithm>

namespace finegrain::kernels {
namespace {

/// Reads which of this rank's elements of x others need, and where their values go.
void read_needs(const Session& session, RecordedTransfers& transfers, const SpmvInput& input,
                PutExchanges& exchanges) {
  static const RegionName counts("counts");
  static const RegionName lists("lists");
  static const RegionName places("places");
  std::vector<Need> needs(static_cast<std::size_t>(session.ranks()));
  transfers.region(counts, [&] {
    for (int reader = 0; reader < session.ranks(); ++reader)
      if (reader != session.rank())
        transfers.get(exchanges.needs->of(reader) + session.rank(),
                      std::span(&needs[static_cast<std::size_t>(reader)], 1), Going::on);
  });
  transfers.region(regions::wait, [&] { transfers.wait(); });

  std::vector<std::int64_t> counts_out;
  std::int64_t values = 0;
  for (const Need& need : needs) {
    counts_out.push_back(need.count);
    values += need.count;
  }
  exchanges.outgoing = make_exchange(counts_out, std::vector<std::int32_t>(static_cast<std::size_t>(values)));
  std::vector<std::int32_t>& indices = exchanges.outgoing.indices;
  transfers.region(lists, [&] {
    exchanges.targets.clear();
    for (const PeerValues& to : exchanges.outgoing.peers) {
      const std::int64_t first = needs[static_cast<std::size_t>(to.peer)].first;
      transfers.get(exchanges.elements->of(to.peer) + first, to.of(indices.data()), Going::on);
      exchanges.targets.push_back(exchanges.received->of(to.peer) + first);
    }
  });
  transfers.region(regions::wait, [&] { transfers.wait(); });
  transfers.region(places, places_work(indices.size()), [&] {
    for (std::int32_t& element : indices)
      element = static_cast<std::int32_t>(input.local_index(element));
  });
}

}  // namespace

void find_exchanges(const Session& session, RecordedTransfers& transfers, const SpmvInput& input,
                    const OwnRows& own, PutExchanges& exchanges) {
  static const RegionName find("find");
  std::vector<std::int64_t> counts_in;
  std::vector<std::int32_t> elements_in;
  transfers.region(find, [&] {
    for (const auto& of_owner : needed_elements(input, own, session.rank())) {
      counts_in.push_back(static_cast<std::int64_t>(of_owner.size()));
      elements_in.insert(elements_in.end(), of_owner.begin(), of_owner.end());
    }
    transfers.work(find_work(input, own, elements_in.size()));
  });
  if (!exchanges.needs) {
    const auto values = static_cast<std::int64_t>(elements_in.size());
    exchanges.needs.emplace(session, session.ranks());
    exchanges.elements.emplace(session, values);
    exchanges.received.emplace(session, values);
  }
  std::int64_t first = 0;
  for (std::size_t owner = 0; owner < counts_in.size(); ++owner) {
    exchanges.needs->local()[owner] = {first, counts_in[owner]};
    first += counts_in[owner];
  }
  std::ranges::copy(elements_in, exchanges.elements->local());
  exchanges.incoming = make_exchange(counts_in, std::move(elements_in));
  transfers.barrier(session);
  read_needs(session, transfers, input, exchanges);
  transfers.barrier(session);
}

}  // namespace finegrain::kernels
