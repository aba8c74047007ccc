// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sim/replay/engine/simulation.hpp"
#include "sim/replay/self_scheduling/assigned_tasks.hpp"

namespace finegrain::replay {

void FlowSimulation::flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route,
                                  double bytes, bool is_later) {
  changes_.flow_started();
  if (observers_.empty()) return;
  const platform::PlatformCosts& costs = job_.platform->costs;
  const double alone_s = bytes / (alone_bytes_per_s(route, loaded_.link_bandwidths_bytes_per_s(), costs) *
                                  part_of_share(bytes, flow, costs));
  for (Observer* observer : observers_)
    observer->flow_started(strand(flow.strand).rank,
                           {number, route, bytes, alone_s, is_later || !is_rank(flow.strand)});
}

void FlowSimulation::flow_ended(const Flow& flow, std::uint32_t number) {
  changes_.flow_ended();
  for (Observer* observer : observers_)
    observer->flow_ended(strand(flow.strand).rank, number, now_s());
}

double FlowSimulation::noticed_s(std::size_t number, double at_s) {
  if (job_.noise == nullptr || !is_rank(number)) return at_s;
  return ranks_[number].noise->noticed_s(at_s);
}

std::size_t FlowSimulation::route_between(std::int32_t from, std::int32_t to) {
  const std::uint32_t route = compiler_.route(from, to);
  meet_routes();
  return route;
}

void FlowSimulation::request_left(const Flow& flow) {
  if (job_.tasks == nullptr) return;
  announce(flow.connection, flow.message, now_s() + (latency_s(flow.connection) + flow.late_s));
}

void FlowSimulation::start_copy(double bytes, const Flow& flow) {
  const std::size_t rank = strand(flow.strand).rank;
  const Connection& connection = compiler_.connections()[flow.connection];
  const std::uint32_t from = compiler_.memory(connection.sender);
  const std::uint32_t to = compiler_.memory(connection.receiver);
  Flow timed = flow;
  timed.alone_s += (memory_.alone_s(bytes, from) + memory_.alone_s(bytes, to)) / 2;
  if (copies_.add(rank, bytes, from, to, timed)) move_next_part(beside_.add(rank));
}

void FlowSimulation::move_next_part(std::size_t number) {
  const Copies::Part& part = *copies_.current(strand(number).rank);
  memory_.move(number, part.bytes, part.domain);
}

void FlowSimulation::end_copy(std::size_t number) {
  const std::size_t rank = strand(number).rank;
  const std::optional<Flow> completed = copies_.end_part(rank);
  if (copies_.current(rank) == nullptr)
    beside_.end(number);
  else
    move_next_part(number);
  if (completed) ended(*completed);
}

void FlowSimulation::ended(const Flow& flow) {
  const Completion done = Completion{now_s(), flow.alone_s}.later_by(flow.latency_s);
  switch (flow.kind) {
    case Flow::Kind::blocked_on:
      end_transfer(flow);
      break;
    case Flow::Kind::started:
      complete(flow.strand, flow.request, done);
      break;
    case Flow::Kind::sent:
      complete(flow.strand, flow.request, done);
      end_message(flow.connection, flow.message, done.later_by(flow.late_s));
      break;
    case Flow::Kind::permitted:
      for (Observer* observer : observers_)
        observer->message_left(flow.connection, flow.message, done.at_s);
      [[fallthrough]];
    case Flow::Kind::buffered:
      end_message(flow.connection, flow.message, done.later_by(flow.late_s));
      break;
    case Flow::Kind::fetches:
    case Flow::Kind::leg:
      break;  // parts of what the network was asked for
    case Flow::Kind::offered:
      end_offered(flow, done);
      break;
    case Flow::Kind::copied:
      for (Observer* observer : observers_)
        observer->message_left(flow.connection, flow.message, done.at_s);
      complete(flow.strand, flow.request, done.later_by(-flow.latency_s));
      end_message(flow.connection, flow.message, done);
      break;
  }
}

void FlowSimulation::expect(std::size_t number, const Step& step, double latency_s) {
  Requests& requests = strand(number).requests;
  // No collective receives from any source.
  if (const auto arrival =
          matching_.expect(step.connection, {latency_s, number, requests.newest()}, step.any_source)) {
    requests.expect(arrival->there, arrival->sender);
    return;
  }
  requests.start();
  if (const auto offer = matching_.take_offer(step.connection)) {
    strand(offer->sender)
        .requests.partner_came(offer->request, partner(strand(number), Partner::Role::receiver));
    start_offered(step.connection, *offer, alone_now_s(strand(number)));
  }
}

/// Between nodes, the network carries the request. Within a node, or where the request takes a latency, the
/// offer says when it is there.
void FlowSimulation::offer(std::size_t number, const Step& step) {
  const Connection& of = compiler_.connections()[step.connection];
  const std::int64_t message = matching_.next(step.connection);
  const double late = late_s(step.connection);
  const double there_s = of.is_local ? step.latency_s : latency_s(step.connection) + late;
  Offer offer{.sender = number,
              .request = strand(number).requests.newest(),
              .bytes = step.bytes,
              .offered_s = now_s(),
              .latency_s = there_s,
              .back_s = step.latency_s,
              .more_latency_s = of.is_local ? 0 : step.more_latency_s,
              .partner = partner(strand(number), Partner::Role::sender),
              .message = message,
              .is_copy = step.kind == Step::Kind::offer_copy,
              .is_buffered = step.is_buffered,
              .is_striped = step.is_striped};
  if (of.is_local)
    announce(step.connection, message, now_s() + there_s);
  else
    offer.transfer = network_->request({of.sender, of.receiver, route_of(of, step.is_striped), step.bytes},
                                       {.kind = Flow::Kind::offered,
                                        .strand = number,
                                        .connection = step.connection,
                                        .message = message,
                                        .late_s = late});
  if (const auto taken = matching_.offer(step.connection, offer))
    start_offered(step.connection, *taken, alone_now_s(strand(number)));
}

/// A rendezvous: the offer reaches the receiver, whose answer has to come back before the bytes go.
void FlowSimulation::start_offered(std::size_t connection, const Offer& offer, double alone_s) {
  const Connection& of = compiler_.connections()[connection];
  const double on_its_way_s = std::max(0., offer.latency_s - (now_s() - offer.offered_s));
  const double back_s = offer.back_s + (of.is_local ? 0 : late_s(of.receiver, of.sender));
  const double handshake_s = on_its_way_s + back_s;
  const Flow flow{offer.is_buffered ? Flow::Kind::permitted : Flow::Kind::offered,
                  offer.sender,
                  offer.request,
                  handshake_s,
                  connection,
                  offer.message,
                  0,
                  offer.is_copy ? 0 : late_s(connection) + offer.more_latency_s,
                  alone_s};
  if (offer.is_copy) {
    start_copy(offer.bytes, flow);
  } else if (of.is_local) {
    end_offered(flow, Completion{now_s(), alone_s}.later_by(handshake_s));
  } else {
    network_->permit(offer.transfer, {of.sender, of.receiver, route_of(of, offer.is_striped), offer.bytes},
                     flow);
  }
}

void FlowSimulation::end_offered(const Flow& flow, const Completion& done) {
  for (Observer* observer : observers_)
    observer->message_left(flow.connection, flow.message, done.at_s);
  complete(flow.strand, flow.request, done);
  end_message(flow.connection, flow.message, done.later_by(flow.late_s));
}

/// A copy of what is left of its long message was taken.
void FlowSimulation::let_sender_go_on(const Flow& flow, double at_s) {
  for (Observer* observer : observers_)
    observer->sender_went_on(flow.connection, flow.message, at_s);
  complete(flow.strand, flow.request, {at_s, at_s});
}

void FlowSimulation::end_message(std::size_t connection, std::int64_t message, const Completion& ended) {
  if (job_.tasks != nullptr) announce(connection, message, ended.at_s + latency_s(connection));
  if (const auto expected = matching_.end(connection, message, ended))
    complete(expected->strand, expected->request, ended.later_by(expected->latency_s), expected->sender);
}

void FlowSimulation::announce(std::size_t connection, std::int64_t message, double at_s) {
  if (job_.tasks == nullptr) return;
  const Connection& of = compiler_.connections()[connection];
  if (!job_.tasks->is_result(of.sender, of.receiver, of.communicator, of.tag)) return;
  tasks_.announce({at_s, connection, message, static_cast<std::size_t>(of.sender)});
  const auto master = static_cast<std::size_t>(of.receiver);
  if (ranks_[master].is_undecided) events_.schedule(master, std::max(now_s(), at_s));
}

void FlowSimulation::complete(std::size_t number, std::int64_t request, const Completion& done,
                              const Partner& partner) {
  if (strand(number).requests.finish(request, done, partner) && finish_wait(number)) wake(number, now_s());
}

}  // namespace finegrain::replay
