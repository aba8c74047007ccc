// SPDX-License-Identifier: MIT
// The critical path of a run, as the longest path of a graph. An example: rank 0 works for 3 s and sends a
// message that takes 2 s; rank 1 works for 1 s and waits for it.
//
//     start --3 s--> end of rank 0's work --0 s--> end of its send
//     start --1 s--> end of rank 1's work              |
//                                                      2 s, the message
//                                                      v
//                                             end of rank 1's wait
//
// Each step's end is a vertex. An edge says what had to pass before: the rank's own work, a message, a
// barrier, or a lock. Seconds are those of the simulation. The longest path to the last end is 3 + 2 s, so it
// is rank 0's work and then the message. It is as long as the run, because a wait ends when the last of what
// it waits for is there.
#include "sim/replay/observers/critical_path.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace finegrain::replay {
namespace {

/// What has to pass between two vertices.
struct Passing {
  double seconds;
  std::int32_t peer;
  PathPiece::Kind kind;
  bool is_outgoing;
};

/// It takes much of the memory that a long run needs, so its numbers have 32 bits.
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Passing,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

constexpr Vertex start = 0;
/// A wait that is longer than everything it is known to wait for, by more than rounding.
constexpr double unexplained_s = 1e-9;

/// The graph of a run: vertex 0 is its start; then the end of each step of each rank; then barriers.
class HappensBefore {
 public:
  explicit HappensBefore(const StepLog& log) : log_(log), arrivals_(log.ranks()), departures_(log.ranks()) {
    for (std::size_t rank = 0; rank < log.ranks(); ++rank) {
      first_vertices_.push_back(vertices_);
      vertices_ += static_cast<Vertex>(log.of(rank).size());
    }
    steps_end_ = vertices_;
    for (const MatchedMessage& message : log.matched_messages()) {
      // An offered message goes when both ends are ready: it waited for the later one.
      const bool receiver_is_late =
          message.is_offer && log.at(message.expected).done_s > log.at(message.sent).done_s;
      const StepPlace since = receiver_is_late ? message.expected : message.sent;
      const auto pending = [&](double complete_s, StepPlace peer) {
        return Incomplete{vertex(since), log.at(since).done_s, complete_s,
                          static_cast<std::int32_t>(peer.rank), peer.rank == message.expected.rank};
      };
      arrivals_[message.expected.rank].emplace(message.expected.number,
                                               pending(message.arrival_s, message.sent));
      if (message.left_s)
        departures_[message.sent.rank].emplace(message.sent.number,
                                               pending(*message.left_s, message.expected));
    }
    find_meetings();
    for (std::size_t rank = 0; rank < log.ranks(); ++rank)
      add_rank(rank);
    arrivals_ = {};
    departures_ = {};
  }

  /// Once: the edges are in the graph only from then on.
  Graph take_graph() {
    Graph graph(boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(), passings_.begin(),
                vertices_);
    ends_ = std::vector<std::pair<Vertex, Vertex>>();  // = {} would keep its memory
    passings_ = std::vector<Passing>();
    return graph;
  }

  /// @pre it is a step's
  StepPlace place(Vertex vertex) const {
    const auto after = std::ranges::upper_bound(first_vertices_, vertex);
    const auto rank = static_cast<std::size_t>(after - first_vertices_.begin()) - 1;
    return {rank, vertex - first_vertices_[rank]};
  }
  bool is_barrier(Vertex vertex) const { return vertex >= steps_end_; }

 private:
  /// What a rank knows to be complete only at a later time.
  struct Incomplete {
    Vertex since;
    double start_s;
    double complete_s;
    std::int32_t peer;
    bool is_outgoing;
    std::int64_t request = 0;  ///< counted from 0 among those that the rank has made
  };

  Vertex vertex(StepPlace place) const {
    return first_vertices_[place.rank] + static_cast<Vertex>(place.number);
  }

  void add(Vertex from, Vertex to, double seconds, PathPiece::Kind kind, std::int32_t peer = -1,
           bool is_outgoing = false) {
    ends_.emplace_back(from, to);
    passings_.push_back({seconds, peer, kind, is_outgoing});
  }

  void add_rank(std::size_t rank) {
    std::vector<Incomplete> incomplete;
    std::int64_t requests = 0;
    std::size_t barriers = 0;
    Vertex before = start;
    double before_s = 0;
    for (std::size_t number = 0; number < log_.of(rank).size(); ++number) {
      const auto& [step, done_s, flow_end_s, region, iteration] = log_.of(rank)[number];
      const Vertex after = vertex({rank, number});
      switch (step.kind) {
        case Step::Kind::memory:
        case Step::Kind::delay:
          add(before, after, done_s - before_s, PathPiece::Kind::busy);
          break;
        case Step::Kind::put:
        case Step::Kind::get:
          add(before, after, done_s - before_s, PathPiece::Kind::transfer, step.peer,
              step.kind == Step::Kind::put);
          break;
        case Step::Kind::barrier: {
          const Vertex barrier = barrier_vertex(barriers++);
          add(before, barrier, 0, PathPiece::Kind::barrier);
          add(barrier, after, std::max(0., done_s - met_s_[barriers - 1]), PathPiece::Kind::barrier);
          break;
        }
        case Step::Kind::wait:
        case Step::Kind::wait_some: {
          add(before, after, 0, PathPiece::Kind::busy);
          const bool all = step.kind == Step::Kind::wait;
          double known_s = before_s;
          const double end_s = done_s;
          const std::int64_t from = requests - step.oldest;
          const std::int64_t to = from + step.requests;
          std::erase_if(incomplete, [&](const Incomplete& one) {
            if (!all && (one.request < from || one.request >= to)) return false;
            // Where threads call collectives at once, the steps of one stand between those of another, and
            // their requests cannot be told apart by number. This wait was not for what completed after it.
            if (one.complete_s > end_s + unexplained_s * (1 + end_s)) return false;
            add(one.since, after, one.complete_s - one.start_s, PathPiece::Kind::transfer, one.peer,
                one.is_outgoing);
            known_s = std::max(known_s, one.complete_s);
            return true;
          });
          // What else it waited for is not followed further: collectives that go on beside, bytes that come
          // back.
          if (known_s < done_s - unexplained_s) add(before, after, done_s - before_s, PathPiece::Kind::other);
          break;
        }
        case Step::Kind::open:
        case Step::Kind::close:
          add(before, after, 0, PathPiece::Kind::busy);
          requests += step.kind == Step::Kind::open ? step.requests : -step.requests;
          break;
        case Step::Kind::start_collective:
          add(before, after, 0, PathPiece::Kind::busy);
          ++requests;
          break;
        case Step::Kind::lock_shared:
        case Step::Kind::lock_exclusive:
          add(before, after, done_s - before_s, PathPiece::Kind::other);
          break;
        default:
          add(before, after, 0, PathPiece::Kind::busy);
      }
      switch (step.kind) {
        case Step::Kind::send:
          if (step.is_buffered) break;
          [[fallthrough]];
        case Step::Kind::start_put:
        case Step::Kind::start_get:
          incomplete.push_back({after, done_s, flow_end_s + step.latency_s, step.peer,
                                step.kind != Step::Kind::start_get, requests - 1});
          break;
        case Step::Kind::expect:
          incomplete.push_back({after, done_s, done_s + step.seconds, step.peer, true, requests - 1});
          break;
        case Step::Kind::receive:
        case Step::Kind::collect:
          add_incomplete(arrivals_[rank], number, requests - 1, incomplete);
          break;
        case Step::Kind::offer:
        case Step::Kind::offer_copy:
        case Step::Kind::copy:
          add_incomplete(departures_[rank], number, requests - 1, incomplete);
          break;
        default:
          break;
      }
      before = after;
      before_s = done_s;
    }
  }

  /// The other end may be missing, of a run that was killed.
  static void add_incomplete(const std::map<std::size_t, Incomplete>& messages, std::size_t number,
                             std::int64_t request, std::vector<Incomplete>& incomplete) {
    const auto message = messages.find(number);
    if (message == messages.end()) return;
    incomplete.push_back(message->second);
    incomplete.back().request = request;
  }

  /// When the last rank came to each barrier.
  void find_meetings() {
    for (std::size_t rank = 0; rank < log_.ranks(); ++rank) {
      std::size_t barriers = 0;
      double before_s = 0;
      for (const LoggedStep& logged : log_.of(rank)) {
        if (logged.step.kind == Step::Kind::barrier) {
          if (met_s_.size() == barriers) met_s_.push_back(0);
          met_s_[barriers] = std::max(met_s_[barriers], before_s);
          ++barriers;
        }
        before_s = logged.done_s;
      }
    }
  }

  Vertex barrier_vertex(std::size_t number) {
    while (barriers_.size() <= number)
      barriers_.push_back(vertices_++);
    return barriers_[number];
  }

  const StepLog& log_;
  Vertex vertices_ = 1;
  Vertex steps_end_ = 0;                ///< the first vertex that is no step's
  std::vector<Vertex> first_vertices_;  ///< each rank's
  std::vector<Vertex> barriers_;
  std::vector<double> met_s_;                                ///< when the last rank came to each barrier
  std::vector<std::map<std::size_t, Incomplete>> arrivals_;  ///< by the rank's step that expects them
  /// By the rank's step that offers them.
  std::vector<std::map<std::size_t, Incomplete>> departures_;
  std::vector<std::pair<Vertex, Vertex>> ends_;
  std::vector<Passing> passings_;
};

/// Remembers the edge by which each vertex was reached last.
class LastEdges : public boost::dijkstra_visitor<> {
 public:
  explicit LastEdges(std::vector<Edge>& edges) : edges_(&edges) {}
  void edge_relaxed(Edge edge, const Graph& graph) const { (*edges_)[target(edge, graph)] = edge; }

 private:
  std::vector<Edge>* edges_;
};

bool continues(const PathPiece& piece, const PathPiece& next) {
  return piece.kind == next.kind && piece.rank == next.rank && piece.peer == next.peer &&
         piece.is_outgoing == next.is_outgoing && piece.phase == next.phase &&
         piece.iteration == next.iteration && piece.peer_phase == next.peer_phase;
}

/// When a rank began what it does in a step.
double began_s(const StepLog& log, StepPlace place) {
  return place.number == 0 ? 0 : log.at({place.rank, place.number - 1}).done_s;
}

}  // namespace

std::vector<PathPiece> critical_path(const StepLog& log) {
  HappensBefore happens_before(log);
  const Graph graph = happens_before.take_graph();
  constexpr double unreached = -std::numeric_limits<double>::infinity();
  std::vector<double> reached_s(num_vertices(graph), unreached);
  std::vector<Edge> last_edges(num_vertices(graph));
  boost::dag_shortest_paths(
      graph, start,
      boost::weight_map(get(&Passing::seconds, graph))
          .distance_map(make_iterator_property_map(reached_s.begin(), get(boost::vertex_index, graph)))
          .distance_compare(std::greater<double>())
          .distance_inf(unreached)
          .visitor(LastEdges(last_edges)));

  std::vector<PathPiece> pieces;
  auto vertex = static_cast<Vertex>(std::ranges::max_element(reached_s) - reached_s.begin());
  StepPlace place{};  // where a piece ends; one that ends at a barrier, where the next ends
  while (vertex != start) {
    if (!happens_before.is_barrier(vertex)) place = happens_before.place(vertex);
    const Passing& passing = graph[last_edges[vertex]];
    const Vertex before = source(last_edges[vertex], graph);
    const LoggedStep& ending = log.at(place);
    PathPiece piece{passing.kind,      static_cast<std::int32_t>(place.rank),
                    passing.peer,      passing.is_outgoing,
                    ending.region,     ending.iteration,
                    reached_s[before], reached_s[vertex]};
    if (passing.kind == PathPiece::Kind::transfer && before != start && !happens_before.is_barrier(before))
      if (const StepPlace since = happens_before.place(before); since.rank != place.rank) {
        piece.peer_phase = log.at(since).region;
        piece.waits_since_s = began_s(log, place);
        piece.waits_until_s = ending.done_s;
      }
    if (passing.seconds > 0) {
      if (!pieces.empty() && continues(piece, pieces.back())) {
        pieces.back().start_s = piece.start_s;
        pieces.back().waits_since_s = std::min(pieces.back().waits_since_s, piece.waits_since_s);
        pieces.back().waits_until_s = std::max(pieces.back().waits_until_s, piece.waits_until_s);
      } else {
        pieces.push_back(piece);
      }
    }
    vertex = before;
  }
  std::ranges::reverse(pieces);
  return pieces;
}

}  // namespace finegrain::replay
