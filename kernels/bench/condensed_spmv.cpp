// SPDX-License-Identifier: MIT
#include "kernels/bench/condensed_spmv.hpp"

#include "kernels/run/together.hpp"

namespace finegrain {

CondensedSpmv::CondensedSpmv(const MpiSession& mpi, const SpmvInput& input)
    : input_(input),
      own_(together(mpi, [&] { return load_own_rows(input); })),
      exchanges_(find_exchanges(mpi, input, own_)),
      x_(together(mpi, [&] { return allocate<double>(input.own_rows()); })),
      y_(together(mpi, [&] { return allocate<double>(input.own_rows()); })),
      x_copy_(together(mpi, [&] { return allocate<double>(input.distribution.size()); })),
      received_(exchanges_.incoming.indices.size()),
      sent_(exchanges_.outgoing.indices.size()),
      messages_(mpi.comm()) {
  set_start_values(input, x_.get());
}

void CondensedSpmv::iterate() {
  for (const PeerValues& from : exchanges_.incoming.peers)
    messages_.receive(from.of(received_.data()), from.peer);
  pack(exchanges_.outgoing, x_.get(), sent_.data());
  for (const PeerValues& to : exchanges_.outgoing.peers)
    messages_.send(to.of(sent_.data()), to.peer);
  copy_own_blocks(input_, x_.get(), x_copy_.get());
  messages_.wait();
  unpack(exchanges_.incoming, received_.data(), x_copy_.get());
  multiply(input_.own_blocks, own_, x_copy_.get(), y_.get());
  std::swap(x_, y_);
}

void CondensedSpmv::multiply_only() {
  multiply(input_.own_blocks, own_, x_copy_.get(), y_.get());
}

Traffic CondensedSpmv::traffic() const {
  return condensed_traffic(input_.own_rows(), own_.r_nz, exchanges_.outgoing.values(),
                           exchanges_.incoming.values());
}

}  // namespace finegrain
