// SPDX-License-Identifier: MIT
// Transfers where connections keep an order: between two ranks, one way, one thing follows another, as with
// TCP. A put is complete when its answer is back; a get begins when its request has arrived; a long message
// sends its request's bytes first, and the rest when it is permitted. Such replies wait behind data that goes
// the same way (docs/testbed.md). Latencies are added at the ends, as where nothing waits.
#include <algorithm>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {
namespace {

/// All ranks of a run fit 31 bits.
std::uint64_t wire_of(std::int32_t from, std::int32_t to) {
  return std::uint64_t{static_cast<std::uint32_t>(from)} << 32U | static_cast<std::uint32_t>(to);
}

std::uint64_t wire_of(const Transfer& transfer) {
  const bool is_back = transfer.legs[transfer.next].is_back;
  return is_back ? wire_of(transfer.to, transfer.from) : wire_of(transfer.from, transfer.to);
}

/// Data, of which so many bytes go first if there are more.
void add_data(Transfer& transfer, double bytes, double request_bytes) {
  const bool is_long = request_bytes > 0 && bytes > request_bytes;
  transfer.add({is_long ? request_bytes : bytes, true, false});
  if (!is_long) return;
  transfer.add({0, false, true});
  transfer.add({bytes - request_bytes, true, false});
}

}  // namespace

void FlowSimulation::start_transfer(std::int32_t from, std::int32_t to, std::size_t route, double bytes,
                                    const Flow& flow, TransferWay way) {
  if (!keeps_order_) return start_flow(route, bytes, flow);
  const double request_bytes = job_.platform->costs.request_bytes;
  Transfer transfer{.flow = flow, .from = from, .to = to, .route = route, .route_back = 0};
  switch (way) {
    case TransferWay::message:
      transfer.add({bytes, true, false});
      break;
    case TransferWay::put:
      add_data(transfer, bytes, request_bytes);
      transfer.add({0, false, true});
      break;
    case TransferWay::get:
      transfer.add({0, false, true});
      add_data(transfer, bytes, request_bytes);
      break;
    case TransferWay::fetch:  // what comes back follows as its second part
      transfer.add({bytes, true, false});
      transfer.add({flow.bytes_back, true, true});
      transfer.flow.kind = Flow::Kind::started;
      transfer.route_back = flow.connection;
      break;
  }
  begin_leg(new_transfer(transfer));
}

std::uint32_t FlowSimulation::new_transfer(const Transfer& transfer) {
  if (ended_transfers_.empty()) {
    ended_transfers_.push_back(static_cast<std::uint32_t>(transfers_.size()));
    transfers_.emplace_back();
  }
  const std::uint32_t place = ended_transfers_.back();
  ended_transfers_.pop_back();
  transfers_[place] = transfer;
  return place;
}

void FlowSimulation::begin_leg(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  const Transfer::Leg& leg = transfer.legs[transfer.next];
  if (!leg.is_data && !job_.platform->costs.replies_wait) return end_leg(place);
  const std::uint64_t wire = wire_of(transfer);
  wires_[wire].waiting.push_back(place);
  go_on_wire(wire);
}

/// The first of those that wait goes: data as a flow, replies at once.
void FlowSimulation::go_on_wire(std::uint64_t number) {
  Wire& wire = wires_[number];
  while (!wire.waiting.empty() && !wire.is_busy) {
    const std::uint32_t place = wire.waiting.front();
    const Transfer& transfer = transfers_[place];
    const Transfer::Leg& leg = transfer.legs[transfer.next];
    if (leg.is_data) {
      wire.is_busy = true;
      start_flow(leg.is_back ? transfer.route_back : transfer.route, leg.bytes,
                 {.kind = Flow::Kind::leg, .strand = transfer.flow.strand, .connection = place},
                 transfer.is_later || transfer.next > 0);
    } else {
      wire.waiting.pop_front();
      end_leg(place);
    }
  }
}

void FlowSimulation::end_data(std::uint32_t place) {
  const std::uint64_t number = wire_of(transfers_[place]);
  Wire& wire = wires_[number];
  wire.is_busy = false;
  wire.waiting.pop_front();
  end_leg(place);
  go_on_wire(number);
}

void FlowSimulation::end_leg(std::uint32_t place) {
  Transfer& transfer = transfers_[place];
  ++transfer.next;
  if (transfer.next == transfer.leg_count) {
    const Flow flow = transfer.flow;
    ended_transfers_.push_back(place);
    end(flow);
  } else if (transfer.next < transfer.permitted) {
    begin_leg(place);
  }
}

/// A long message of two sides: its request's bytes go now, the rest when the receiver permits it.
std::uint32_t FlowSimulation::start_request(std::size_t connection, double bytes, std::size_t strand) {
  const Connection& of = compiler_.connections()[connection];
  const double first_bytes = std::min(bytes, job_.platform->costs.request_bytes);
  Transfer transfer{.flow = {.kind = Flow::Kind::offered, .strand = strand},
                    .from = of.sender,
                    .to = of.receiver,
                    .route = of.route,
                    .route_back = 0};
  if (first_bytes > 0) transfer.add({first_bytes, true, false});
  transfer.permitted = transfer.leg_count;
  transfer.add({0, false, true});
  if (bytes > first_bytes || bytes == 0) transfer.add({bytes - first_bytes, true, false});
  const std::uint32_t place = new_transfer(transfer);
  if (transfer.permitted > 0) begin_leg(place);
  return place;
}

/// @param flow  what ends with the message
void FlowSimulation::permit(std::uint32_t place, const Flow& flow) {
  Transfer& transfer = transfers_[place];
  transfer.flow = flow;
  transfer.is_later = true;
  const bool has_waited = transfer.next == transfer.permitted;
  transfer.permitted = transfer.leg_count;
  if (has_waited) begin_leg(place);
}

}  // namespace finegrain::replay
