// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {
namespace {

/// In whole bytes, at least one, as in SimGrid.
double flow_bytes(double bytes) {
  return std::max(1.0, std::round(bytes));
}

}  // namespace

void FlowSimulation::start_flow(std::size_t route, double bytes, const Flow& flow, bool is_later) {
  ++flow_count_;
  if (ended_flows_.empty()) {
    ended_flows_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t place = ended_flows_.back();
  ended_flows_.pop_back();
  flows_[place] = flow;
  const bool is_offered = flow.kind == Flow::Kind::offered || flow.kind == Flow::Kind::permitted;
  for (Observer* observer : observers_)
    observer->flow_started(strand(flow.strand).rank, place, *compiler_.routes()[route], bytes,
                           is_later || is_offered || !is_rank(flow.strand));
  network_.start(route, flow_bytes(bytes), place, now_s_);
}

void FlowSimulation::start_copy(double bytes, const Flow& flow) {
  const std::size_t rank = strand(flow.strand).rank;
  const Connection& connection = compiler_.connections()[flow.connection];
  const std::uint32_t from = compiler_.memory(connection.sender);
  const std::uint32_t to = compiler_.memory(connection.receiver);
  auto& copies = copies_[rank];
  const bool is_first = copies.empty();
  const auto add = [&](double of_bytes, std::uint32_t domain, const std::optional<Flow>& completes) {
    copies.push_back({{.kind = Step::Kind::memory, .amount = of_bytes, .target = domain}, completes});
  };
  if (from != to) add(bytes / 2, from, std::nullopt);
  add(from == to ? bytes : bytes / 2, to, flow);
  if (is_first) move_bytes(new_strand(rank), copies.front().memory);
}

void FlowSimulation::end_copy(std::size_t number) {
  const auto copies = copies_.find(strand(number).rank);
  const std::optional<Flow> ended = copies->second.front().completes;
  copies->second.pop_front();
  if (copies->second.empty()) {
    ended_strands_.push_back(number);
    copies_.erase(copies);
  } else {
    move_bytes(number, copies->second.front().memory);
  }
  if (ended) end(*ended);
}

void FlowSimulation::finish_flows(std::size_t route) {
  while (network_.next_end_s(route) <= now_s_ + clock_resolution_s) {
    const std::uint32_t place = network_.finish(route, now_s_);
    ended_flows_.push_back(place);
    for (Observer* observer : observers_)
      observer->flow_ended(strand(flows_[place].strand).rank, place, now_s_);
    end(flows_[place]);
  }
  // The event may have come before any flow's end: shares have become smaller.
  events_.schedule(first_route() + route, network_.next_end_s(route));
}

void FlowSimulation::end(const Flow& flow) {
  switch (flow.kind) {
    case Flow::Kind::blocked_on:
      wake(flow.strand, noticed_s(flow.strand, now_s_));
      break;
    case Flow::Kind::fetches:
      start_flow(flow.connection, flow.bytes_back,
                 {Flow::Kind::started, flow.strand, flow.request, flow.latency_s}, true);
      break;
    case Flow::Kind::started:
      complete(flow.strand, flow.request, now_s_ + flow.latency_s);
      break;
    case Flow::Kind::sent:
      complete(flow.strand, flow.request, now_s_ + flow.latency_s);
      end_message(flow.connection, flow.message, now_s_ + flow.latency_s + flow.late_s);
      break;
    case Flow::Kind::permitted:
      for (Observer* observer : observers_)
        observer->message_left(flow.connection, flow.message, now_s_ + flow.latency_s);
      [[fallthrough]];
    case Flow::Kind::buffered:
      end_message(flow.connection, flow.message, now_s_ + flow.latency_s + flow.late_s);
      break;
    case Flow::Kind::leg:
      end_data(static_cast<std::uint32_t>(flow.connection));
      break;
    case Flow::Kind::offered:
      end_offered(flow, now_s_ + flow.latency_s);
      break;
    case Flow::Kind::copied:
      for (Observer* observer : observers_)
        observer->message_left(flow.connection, flow.message, now_s_ + flow.latency_s);
      complete(flow.strand, flow.request, now_s_);
      end_message(flow.connection, flow.message, now_s_ + flow.latency_s);
      break;
  }
}

void FlowSimulation::expect(std::size_t number, const Step& step, double latency_s) {
  Requests& requests = strand(number).requests;
  Channel& channel = channels_[step.target];
  // No collective receives from any source.
  const std::int64_t wildcard = step.any_source ? ranks_[number].arrivals.number_next() : 0;
  if (const auto there_s = channel.expect({latency_s, number, requests.newest(), wildcard})) {
    requests.expect(*there_s);
    note_arrival(number, wildcard, *there_s);
    return;
  }
  requests.start();
  if (const auto offer = channel.take_offer()) start_offered(step.target, *offer);
}

/// A rendezvous: the offer reaches the receiver, whose answer has to come back before the bytes go. Links
/// count as busy from now on, which is one or two latencies too early; all ends are later by the same time.
void FlowSimulation::start_offered(std::size_t connection, const Offer& offer) {
  const Connection& of = compiler_.connections()[connection];
  const double on_its_way_s = std::max(0., offer.latency_s - (now_s_ - offer.offered_s));
  const double back_s = offer.back_s + (of.is_local ? 0 : loaded_late_s(of.receiver, of.sender));
  const double handshake_s = on_its_way_s + back_s;
  const Flow flow{offer.is_buffered ? Flow::Kind::permitted : Flow::Kind::offered,
                  offer.sender,
                  offer.request,
                  handshake_s,
                  connection,
                  offer.message,
                  0,
                  offer.is_copy ? 0 : late_s(connection)};
  if (offer.is_copy) {
    start_copy(offer.bytes, flow);
  } else if (of.is_local) {
    end_offered(flow, now_s_ + handshake_s);
  } else if (keeps_order_) {
    permit(offer.transfer, flow);
  } else {
    start_flow(of.route, offer.bytes, flow);
    if (offer.is_buffered) let_sender_go_on(flow, now_s_ + handshake_s);
  }
}

void FlowSimulation::end_offered(const Flow& flow, double at_s) {
  for (Observer* observer : observers_)
    observer->message_left(flow.connection, flow.message, at_s);
  complete(flow.strand, flow.request, at_s);
  end_message(flow.connection, flow.message, at_s + flow.late_s);
}

/// A copy of what is left of its long message was taken.
void FlowSimulation::let_sender_go_on(const Flow& flow, double at_s) {
  for (Observer* observer : observers_)
    observer->sender_went_on(flow.connection, flow.message, at_s);
  complete(flow.strand, flow.request, at_s);
}

void FlowSimulation::end_message(std::size_t connection, std::int64_t message, double at_s) {
  if (job_.tasks != nullptr) announce(connection, message, at_s + latency_s(connection));
  const auto expected = channels_[connection].end(message, at_s);
  if (!expected) return;
  complete(expected->strand, expected->request, at_s + expected->latency_s);
  note_arrival(expected->strand, expected->wildcard, at_s + expected->latency_s);
}

void FlowSimulation::note_arrival(std::size_t number, std::int64_t wildcard, double at_s) {
  if (wildcard == 0) return;
  ++wildcard_count_;
  out_of_order_ += ranks_[number].arrivals.note(wildcard, at_s);
}

void FlowSimulation::complete(std::size_t number, std::int64_t request, double at_s) {
  if (strand(number).requests.finish(request, at_s) && finish_wait(number)) wake(number, now_s_);
}

}  // namespace finegrain::replay
