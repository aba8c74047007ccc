// SPDX-License-Identifier: MIT
// Transfers where connections keep an order: what goes from one rank to another passes one after the other,
// as with TCP. A put is complete when its answer is back; a get begins when its request has arrived; a long
// message sends its request's bytes first, and the rest when it is permitted. Such replies wait behind data
// in the same direction, and until the rank that has to give them is in a call (docs/testbed.md). Where links
// serve in order what comes first, all wait in front of the last link. Where a connection is ahead of others
// that begin at the same time, these wait in front of the first link. Latencies of two-sided messages are
// added at their ends, as for transfers that do not wait.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {
namespace {

/// All ranks of a run fit 31 bits.
std::uint64_t wire_of(std::int32_t from, std::int32_t to) {
  return std::uint64_t{static_cast<std::uint32_t>(from)} << 32U | static_cast<std::uint32_t>(to);
}

std::uint64_t wire_of(const Transfer& transfer) {
  return transfer.leg().is_back ? wire_of(transfer.to, transfer.from) : wire_of(transfer.from, transfer.to);
}

/// Adds data. Of a long message, `request_bytes` go first.
void add_data(Transfer& transfer, double bytes, double request_bytes, TransferWay way) {
  const bool is_long = request_bytes > 0 && bytes > request_bytes;
  const bool is_got = way == TransferWay::get || way == TransferWay::gets;
  transfer.add({.bytes = is_long ? request_bytes : bytes, .is_data = true, .is_late = is_got});
  if (!is_long) return;
  transfer.add({.is_back = true, .is_late = !is_got});
  transfer.add({.bytes = bytes - request_bytes, .is_data = true});
}

}  // namespace

void FlowSimulation::start_transfer(std::int32_t from, std::int32_t to, std::size_t route, double bytes,
                                    const Flow& flow, TransferWay way) {
  if (!keeps_order_) return start_flow(route, bytes, flow);
  const bool are_several = way == TransferWay::puts || way == TransferWay::gets;
  const double request_bytes = are_several ? 0 : job_.platform->costs.request_bytes;
  Transfer transfer{.flow = flow, .from = from, .to = to, .route = route, .route_back = 0};
  if (way != TransferWay::message) {
    transfer.is_one_sided = true;
    transfer.latency_s = std::exchange(transfer.flow.latency_s, 0) / 2;
  }
  switch (way) {
    case TransferWay::message:
      transfer.add({.bytes = bytes, .is_data = true});
      break;
    case TransferWay::put:
    case TransferWay::puts:
      add_data(transfer, bytes, request_bytes, way);
      transfer.add({.is_back = true, .is_late = true});
      break;
    case TransferWay::get:
    case TransferWay::gets:
      transfer.add({.is_back = true});
      add_data(transfer, bytes, request_bytes, way);
      break;
    case TransferWay::fetch:  // what comes back follows as its second part
      transfer.add({.bytes = bytes, .is_data = true});
      transfer.add({.bytes = flow.bytes_back, .is_data = true, .is_back = true, .is_late = true});
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
  const Transfer::Leg& leg = transfer.leg();
  const bool is_answer = transfer.next > 0;
  if (is_answer && job_.platform->costs.replies_wait) {
    Rank& sender = ranks_[static_cast<std::size_t>(transfer.sender_of(leg))];
    const bool goes_on = sender.goes_on_s == now_s_;
    const double looks_s = sender.is_away || goes_on ? now_s_ : noticed_s(sender.rank, now_s_);
    if (sender.is_away || looks_s > now_s_ + clock_resolution_s) {
      sender.unanswered.push_back(place);
      if (!sender.is_away) wake_posted_at(sender.rank, looks_s);
      return;
    }
  }
  if (!leg.is_data && !job_.platform->costs.replies_wait) return end_leg(place);
  const std::uint64_t wire = wire_of(transfer);
  wires_[wire].waiting.push_back(place);
  go_on_wire(wire);
}

/// The first of those that wait goes: data as a flow, once those have left that are ahead of them; replies
/// at once.
void FlowSimulation::go_on_wire(std::uint64_t number) {
  Wire& wire = wires_[number];
  while (!wire.waiting.empty() && !wire.is_busy) {
    const std::uint32_t place = wire.waiting.front();
    const Transfer& transfer = transfers_[place];
    const Transfer::Leg& leg = transfer.leg();
    if (!leg.is_data) {
      wire.waiting.pop_front();
      end_leg(place);
      continue;
    }
    wire.is_busy = true;
    const double wait_s = line_up(transfer);
    if (wait_s <= clock_resolution_s || now_s_ <= wire.free_s + clock_resolution_s) {
      start_data(place);  // what goes on is not behind others
    } else {
      arrivals_.push({now_s_ + wait_s, false, ++arrivals_noted_, place, true});
      events_.schedule(arrivals_source(), arrivals_.top().at_s);
    }
  }
}

void FlowSimulation::start_data(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  start_flow(transfer.data_route(), transfer.leg().bytes,
             {.kind = Flow::Kind::leg, .strand = transfer.flow.strand, .connection = place},
             transfer.is_later || transfer.next > 0);
}

std::optional<std::size_t> FlowSimulation::link_to_wait_for(const Transfer& transfer) const {
  const std::vector<std::size_t>& links = compiler_.routes()[transfer.data_route()]->shared_links;
  if (job_.platform->costs.connection_lead_bytes <= 0 || links.empty()) return std::nullopt;
  return links.front();
}

double FlowSimulation::lead_bytes(const Transfer& transfer) const {
  return std::min(job_.platform->costs.connection_lead_bytes, transfer.leg().bytes);
}

double FlowSimulation::line_up(const Transfer& transfer) {
  const auto link = link_to_wait_for(transfer);
  if (!link) return 0;
  const double wait_s = leads_bytes_[*link] / loaded_.link_bandwidths_bytes_per_s()[*link];
  leads_bytes_[*link] += lead_bytes(transfer);
  return wait_s;
}

void FlowSimulation::end_data(std::uint32_t place) {
  const std::uint64_t number = wire_of(transfers_[place]);
  Wire& wire = wires_[number];
  wire.is_busy = false;
  wire.free_s = now_s_;
  wire.waiting.pop_front();
  if (const auto link = link_to_wait_for(transfers_[place]))
    leads_bytes_[*link] -= lead_bytes(transfers_[place]);
  end_leg(place);
  go_on_wire(number);
}

double FlowSimulation::queued_s(const Transfer& transfer) {
  if (!job_.platform->costs.links_in_order) return 0;
  const std::uint32_t route = transfer.leg().is_back ? compiler_.route(transfer.to, transfer.from)
                                                     : compiler_.route(transfer.from, transfer.to);
  meet_routes();
  return network_.delay_s(route, now_s_);
}

/// It has left the connection.
void FlowSimulation::end_leg(std::uint32_t place) {
  const Transfer& transfer = transfers_[place];
  const double delay_s = queued_s(transfer);
  if (!transfer.is_one_sided && delay_s < clock_resolution_s) return arrive(place);
  const bool is_answered_late =
      transfer.next + 1 < transfer.leg_count && transfer.legs[transfer.next + 1].is_late;
  arrivals_.push({now_s_ + delay_s + transfer.latency_s, is_answered_late, ++arrivals_noted_, place});
  events_.schedule(arrivals_source(), arrivals_.top().at_s);
}

/// Transfers that are not answered late: the ranks that wait for them go on. The others have an event of
/// their own at the same time.
void FlowSimulation::arrive_due() {
  const bool are_late = !arrivals_.empty() && arrivals_.top().is_answered_late;
  while (!arrivals_.empty() && arrivals_.top().at_s <= now_s_ + clock_resolution_s &&
         arrivals_.top().is_answered_late == are_late) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    arrival.begins ? start_data(arrival.transfer) : arrive(arrival.transfer);
  }
  if (!arrivals_.empty()) events_.schedule(arrivals_source(), arrivals_.top().at_s);
}

void FlowSimulation::look(Rank& rank) {
  const bool goes_on = std::abs(rank.goes_on_s - now_s_) <= clock_resolution_s;
  if (!rank.is_away && !goes_on) answer(rank);
}

void FlowSimulation::answer(Rank& rank) {
  std::vector<std::uint32_t> asked = std::exchange(rank.unanswered, {});
  std::stable_partition(asked.begin(), asked.end(),
                        [&](std::uint32_t place) { return !transfers_[place].leg().is_late; });
  for (const std::uint32_t place : asked)
    begin_leg(place);
}

void FlowSimulation::arrive(std::uint32_t place) {
  Transfer& transfer = transfers_[place];
  const Flow flow = transfer.flow;
  const bool is_permission = flow.kind == Flow::Kind::permitted && transfer.leg().is_back;
  ++transfer.next;
  if (transfer.next == transfer.leg_count) {
    ended_transfers_.push_back(place);
    end(flow);
  } else if (transfer.next < transfer.permitted) {
    begin_leg(place);
  } else if (job_.tasks != nullptr) {
    announce(transfer.flow.connection, transfer.flow.message, now_s_ + latency_s(transfer.flow.connection));
  }
  if (is_permission) let_sender_go_on(flow, now_s_ + flow.latency_s);
}

/// A long two-sided message: the bytes with its request go now, the rest when the receiver permits it.
std::uint32_t FlowSimulation::start_request(std::size_t connection, double bytes, std::size_t strand) {
  const Connection& of = compiler_.connections()[connection];
  const double first_bytes = std::min(bytes, job_.platform->costs.request_bytes);
  Transfer transfer{.flow = {.kind = Flow::Kind::offered,
                             .strand = strand,
                             .connection = connection,
                             .message = channels_[connection].sent()},
                    .from = of.sender,
                    .to = of.receiver,
                    .route = of.route,
                    .route_back = 0};
  if (first_bytes > 0) transfer.add({.bytes = first_bytes, .is_data = true});
  transfer.permitted = transfer.leg_count;
  transfer.add({.is_back = true});
  if (bytes > first_bytes || bytes == 0) transfer.add({.bytes = bytes - first_bytes, .is_data = true});
  const std::uint32_t place = new_transfer(transfer);
  if (transfer.permitted > 0) {
    begin_leg(place);
  } else if (job_.tasks != nullptr) {
    announce(connection, transfer.flow.message, now_s_ + latency_s(connection));
  }
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
