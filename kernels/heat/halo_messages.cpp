// SPDX-License-Identifier: MIT
#include "kernels/heat/halo_messages.hpp"

namespace finegrain::kernels {
namespace {

std::vector<double>& at(std::array<std::vector<double>, 2>& columns, problem::Side side) {
  return columns[side == problem::Side::left ? 0 : 1];
}

}  // namespace

HaloMessages::HaloMessages(const problem::HeatPart& part, std::vector<Neighbour> neighbours)
    : part_(part), neighbours_(std::move(neighbours)) {
  for (const Neighbour& neighbour : neighbours_) {
    if (!neighbour.is_column()) continue;
    at(outgoing_, neighbour.side).resize(static_cast<std::size_t>(part.rows));
    at(incoming_, neighbour.side).resize(static_cast<std::size_t>(part.rows));
  }
}

void HaloMessages::receive(RecordedMessages& messages, const Field& phi) {
  for (const Neighbour& from : neighbours_) {
    const std::span<double> values =
        from.is_column() ? std::span(at(incoming_, from.side)) : phi.inner(halo_row(part_, from.side));
    messages.receive(values, from.peer);
  }
}

void HaloMessages::pack(const Field& phi) {
  for (const Neighbour& to : neighbours_)
    if (to.is_column()) pack_column(part_, to.side, phi, at(outgoing_, to.side).data());
}

void HaloMessages::send(RecordedMessages& messages, const Field& phi) {
  for (const Neighbour& to : neighbours_) {
    const std::span<double> values =
        to.is_column() ? std::span(at(outgoing_, to.side)) : phi.inner(edge_row(part_, to.side));
    messages.send(values, to.peer);
  }
}

void HaloMessages::unpack(const Field& phi) const {
  for (const Neighbour& from : neighbours_)
    if (from.is_column())
      unpack_column(part_, from.side, incoming_[from.side == problem::Side::left ? 0 : 1].data(), phi);
}

}  // namespace finegrain::kernels
