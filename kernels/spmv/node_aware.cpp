// SPDX-License-Identifier: MIT
#include "kernels/spmv/node_aware.hpp"

#include <algorithm>
#include <iterator>

namespace finegrain::kernels {
namespace {

/// Which ranks of a node exchange its messages with the other nodes.
class Leaders {
 public:
  Leaders(const problem::Placement& nodes, int rank)
      : nodes_(nodes), own_node_(nodes.node(rank)), own_ranks_(nodes.ranks_of(own_node_)) {}

  int own_node() const { return own_node_; }
  const std::vector<int>& own_ranks() const { return own_ranks_; }

  /// The rank of `node` that exchanges its messages with the node `other`.
  int leader(int node, int other) const {
    const std::vector<int> ranks = nodes_.ranks_of(node);
    return ranks[static_cast<std::size_t>(other) % ranks.size()];
  }
  /// The other nodes with which `leader` exchanges the messages of this rank's node, ascending.
  std::vector<int> led_by(int leader) const {
    std::vector<int> led;
    for (int node = 0; node < nodes_.nodes(); ++node)
      if (node != own_node_ && this->leader(own_node_, node) == leader) led.push_back(node);
    return led;
  }
  std::vector<int> ranks_of(int node) const { return nodes_.ranks_of(node); }

 private:
  const problem::Placement& nodes_;
  int own_node_;
  std::vector<int> own_ranks_;
};

std::vector<std::int32_t>& at(Lists& lists, int rank) {
  return lists[static_cast<std::size_t>(rank)];
}
const std::vector<std::int32_t>& at(const Lists& lists, int rank) {
  return lists[static_cast<std::size_t>(rank)];
}

std::int32_t length(const std::vector<std::int32_t>& list) {
  return static_cast<std::int32_t>(list.size());
}

void append(std::vector<std::int32_t>& list, const std::vector<std::int32_t>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Each element once, ascending.
std::vector<std::int32_t> united(std::vector<std::int32_t> elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

/// The elements' places in this rank's x.
std::vector<std::int32_t> local_indices(const SpmvInput& input, std::vector<std::int32_t> elements) {
  for (std::int32_t& element : elements)
    element = static_cast<std::int32_t>(input.local_index(element));
  return elements;
}

void add_message(std::vector<PeerValues>& messages, std::int64_t& first, int peer, std::int64_t count) {
  if (count > 0) messages.push_back({peer, first, count});
  first += count;
}

/// Adds what this rank sends in the gather round, and its own parts of the messages that it leads itself.
/// @param readers  the elements of this rank that each rank reads
/// @returns the number of values of each part, for the leader that gets it. Shape [ranks][nodes that it
/// leads]
Lists add_gather_out(NodeAwareExchange& exchange, const SpmvInput& input, int rank, const Leaders& leaders,
                     const Lists& readers, Lists& own_parts) {
  Lists sizes(readers.size());
  std::vector<std::int64_t> counts(readers.size());
  std::vector<std::int32_t> indices;
  for (const int leader : leaders.own_ranks()) {
    std::vector<std::int32_t> message;
    if (leader != rank) message = at(readers, leader);
    for (const int node : leaders.led_by(leader)) {
      std::vector<std::int32_t> part;
      for (const int reader : leaders.ranks_of(node))
        append(part, at(readers, reader));
      part = united(std::move(part));
      at(sizes, leader).push_back(length(part));
      if (leader == rank) {
        own_parts.push_back(local_indices(input, std::move(part)));
      } else {
        append(message, part);
      }
    }
    counts[static_cast<std::size_t>(leader)] = length(message);
    append(indices, local_indices(input, std::move(message)));
  }
  exchange.gather_out = make_exchange(counts, std::move(indices));
  return sizes;
}

/// Adds what this rank receives in the gather round, and the messages between nodes that it makes of it.
/// @param needed  the elements of each rank that this one reads
/// @param sizes  how many values each rank of the node has for each message that this one leads
void add_gather_in(NodeAwareExchange& exchange, int rank, const Leaders& leaders, const Lists& needed,
                   const Lists& sizes, Lists own_parts) {
  std::vector<std::int64_t> next;  // where the next part of each rank of the node begins in `received`
  std::int64_t received = 0;
  for (const int from : leaders.own_ranks()) {
    next.push_back(received);
    if (from == rank) continue;
    std::int64_t count = length(at(needed, from));
    if (count > 0) exchange.direct.push_back({received, {{}, at(needed, from)}});
    next.back() += count;
    for (const std::int32_t part : at(sizes, from))
      count += part;
    add_message(exchange.gather_in, received, from, count);
  }
  std::int64_t gathered = 0;
  const std::vector<int> led = leaders.led_by(rank);
  for (std::size_t message = 0; message < led.size(); ++message) {
    const std::int64_t first = gathered;
    for (std::size_t i = 0; i < leaders.own_ranks().size(); ++i) {
      const int from = leaders.own_ranks()[i];
      const std::int64_t count = at(sizes, from)[message];
      if (count == 0) continue;
      if (from == rank) {
        exchange.own_parts.push_back({gathered, {{}, std::move(own_parts[message])}});
      } else {
        exchange.others_parts.push_back({next[i], gathered, count});
        next[i] += count;
      }
      gathered += count;
    }
    if (gathered > first)
      exchange.exchange_out.push_back(
          {leaders.leader(led[message], leaders.own_node()), first, gathered - first});
  }
}

/// For each leader of the node, what this rank reads of the nodes that it leads: for each of their ranks the
/// number of elements, and then the elements.
Lists questions_of(int ranks, const Leaders& leaders, const Lists& needed) {
  Lists questions(static_cast<std::size_t>(ranks));
  for (const int leader : leaders.own_ranks()) {
    for (const int node : leaders.led_by(leader)) {
      for (const int owner : leaders.ranks_of(node)) {
        at(questions, leader).push_back(length(at(needed, owner)));
        append(at(questions, leader), at(needed, owner));
      }
    }
  }
  return questions;
}

/// Reads the questions of one rank, one list of elements after the other.
class Questions {
 public:
  explicit Questions(const std::vector<std::int32_t>& list) : list_(list) {}

  std::vector<std::int32_t> next() {
    const std::int32_t count = list_[place_++];
    const auto begin = list_.begin() + static_cast<std::ptrdiff_t>(place_);
    place_ += static_cast<std::size_t>(count);
    return {begin, begin + count};
  }

 private:
  const std::vector<std::int32_t>& list_;
  std::size_t place_ = 0;
};

/// Adds what this rank receives for its node from other nodes, and passes on within the node.
/// @param asked  questions of each rank of the node
void add_scatter_out(NodeAwareExchange& exchange, int rank, const Leaders& leaders, const Lists& asked) {
  std::vector<Questions> questions;
  for (const int reader : leaders.own_ranks())
    questions.emplace_back(at(asked, reader));
  Lists places(questions.size());  // in `arrived`
  std::int64_t arrived = 0;
  for (const int node : leaders.led_by(rank)) {
    const std::int64_t first = arrived;
    for (std::size_t owner = 0; owner < leaders.ranks_of(node).size(); ++owner) {
      Lists elements;
      std::vector<std::int32_t> all;
      for (Questions& of_reader : questions)
        append(all, elements.emplace_back(of_reader.next()));
      all = united(std::move(all));
      for (std::size_t reader = 0; reader < questions.size(); ++reader) {
        for (const std::int32_t element : elements[reader]) {
          const auto place = std::lower_bound(all.begin(), all.end(), element) - all.begin();
          places[reader].push_back(static_cast<std::int32_t>(arrived + place));
        }
      }
      arrived += length(all);
    }
    if (arrived > first)
      exchange.exchange_in.push_back({leaders.leader(node, leaders.own_node()), first, arrived - first});
  }
  std::vector<std::int64_t> counts(asked.size());
  std::vector<std::int32_t> others;
  for (std::size_t reader = 0; reader < questions.size(); ++reader) {
    const int peer = leaders.own_ranks()[reader];
    if (peer == rank) {
      exchange.own_scatter.places = {{}, std::move(places[reader])};
    } else {
      counts[static_cast<std::size_t>(peer)] = length(places[reader]);
      append(others, places[reader]);
    }
  }
  exchange.scatter_out = make_exchange(counts, std::move(others));
}

/// Adds what this rank receives from the leaders of its own node: elements of other nodes.
void add_scatter_in(NodeAwareExchange& exchange, int rank, const Leaders& leaders, const Lists& needed) {
  for (const int leader : leaders.own_ranks()) {
    const std::int64_t first = exchange.kept.values();
    for (const int node : leaders.led_by(leader))
      for (const int owner : leaders.ranks_of(node))
        append(exchange.kept.indices, at(needed, owner));
    if (leader == rank) {
      exchange.own_scatter.first = first;
    } else if (exchange.kept.values() > first) {
      exchange.scatter_in.push_back({leader, first, exchange.kept.values() - first});
    }
  }
}

}  // namespace

std::int64_t NodeAwareExchange::values_of(const std::vector<PeerValues>& messages) {
  return messages.empty() ? 0 : messages.back().first + messages.back().count;
}

std::int64_t NodeAwareExchange::packed_values() const {
  std::int64_t values = gather_out.values();
  for (const Stretch& part : own_parts)
    values += part.places.values();
  return values;
}

std::int64_t NodeAwareExchange::copied_values() const {
  std::int64_t values = 0;
  for (const CopiedPart& part : others_parts)
    values += part.count;
  return values;
}

std::int64_t NodeAwareExchange::unpacked_values() const {
  std::int64_t values = kept.values();
  for (const Stretch& from : direct)
    values += from.places.values();
  return values;
}

void NodeAwareExchange::pack_parts(const double* x, double* sent, double* gathered) const {
  pack(gather_out, x, sent);
  for (const Stretch& part : own_parts)
    pack(part.places, x, gathered + part.first);
}

void NodeAwareExchange::gather(const double* received, double* gathered) const {
  for (const CopiedPart& part : others_parts)
    std::copy_n(received + part.from, part.count, gathered + part.to);
}

void NodeAwareExchange::scatter(const double* arrived, double* scattered, double* to_keep) const {
  pack(scatter_out, arrived, scattered);
  pack(own_scatter.places, arrived, to_keep + own_scatter.first);
}

void NodeAwareExchange::unpack_all(const double* received, const double* to_keep, double* x_copy) const {
  for (const Stretch& from : direct)
    unpack(from.places, received + from.first, x_copy);
  unpack(kept, to_keep, x_copy);
}

NodeAwareExchange find_node_aware_exchange(const SpmvInput& input, const OwnRows& own, int rank,
                                           const problem::Placement& nodes,
                                           const ExchangeLists& exchange_lists) {
  const Leaders leaders(nodes, rank);
  const Lists needed = needed_elements(input, own, rank);
  NodeAwareExchange exchange{};
  Lists own_parts;
  const Lists sizes = add_gather_out(exchange, input, rank, leaders, exchange_lists(needed), own_parts);
  add_gather_in(exchange, rank, leaders, needed, exchange_lists(sizes), std::move(own_parts));
  add_scatter_out(exchange, rank, leaders, exchange_lists(questions_of(nodes.ranks(), leaders, needed)));
  add_scatter_in(exchange, rank, leaders, needed);
  return exchange;
}

}  // namespace finegrain::kernels
