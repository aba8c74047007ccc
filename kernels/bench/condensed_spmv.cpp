// SPDX-License-Identifier: MIT
#include "kernels/bench/condensed_spmv.hpp"

#include "kernels/run/together.hpp"

namespace finegrain::kernels {

CondensedSpmv::CondensedSpmv(const MpiSession& mpi, const SpmvInput& input)
    : input_(input),
      own_(together(mpi, [&] { return load_own_rows(input); })),
      messages_(mpi.comm()),
      exchanges_(find_exchanges(messages_, mpi.rank(), input, own_)),
      x_(together(mpi, [&] { return machine::allocate<double>(input.own_rows()); })),
      y_(together(mpi, [&] { return machine::allocate<double>(input.own_rows()); })),
      x_copy_(together(mpi, [&] { return machine::allocate<double>(input.distribution.size()); })),
      received_(exchanges_.incoming.indices.size()),
      sent_(exchanges_.outgoing.indices.size()) {
  set_start_values(input, x_.get());
}

void CondensedSpmv::iterate() {
  const Exchange& incoming = exchanges_.incoming;
  const Exchange& outgoing = exchanges_.outgoing;
  messages_.region(regions::receive, [&] {
    for (const PeerValues& from : incoming.peers)
      messages_.receive(from.of(received_.data()), from.peer);
  });
  messages_.region(regions::pack, Work{pack_bytes(outgoing.values())},
                   [&] { pack(outgoing, x_.get(), sent_.data()); });
  messages_.region(regions::send, [&] {
    for (const PeerValues& to : outgoing.peers)
      messages_.send(to.of(sent_.data()), to.peer);
  });
  messages_.region(regions::copy, copy_work(input_.own_rows()),
                   [&] { copy_own_blocks(input_, x_.get(), x_copy_.get()); });
  messages_.region(regions::wait, [&] { messages_.wait(); });
  messages_.region(regions::unpack, unpack_work(incoming.values()),
                   [&] { unpack(incoming, received_.data(), x_copy_.get()); });
  messages_.region(regions::compute, Work{multiply_bytes(input_.own_rows(), own_.r_nz)},
                   [&] { multiply_only(); });
  std::swap(x_, y_);
}

void CondensedSpmv::multiply_only() {
  multiply(input_.own_blocks, own_, x_copy_.get(), y_.get());
}

Traffic CondensedSpmv::traffic() const {
  return condensed_traffic(input_.own_rows(), own_.r_nz, exchanges_.outgoing.values(),
                           exchanges_.incoming.values());
}

}  // namespace finegrain::kernels
