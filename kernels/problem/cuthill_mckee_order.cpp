// SPDX-License-Identifier: MIT
#include "kernels/problem/cuthill_mckee_order.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <deque>
#include <utility>

namespace finegrain::problem {
namespace {

using RowNumber = std::uint32_t;
using Edge = std::pair<RowNumber, RowNumber>;
/// Each edge is stored in both directions.
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, RowNumber, std::int64_t>;

/// The entries off the diagonal, row by row.
std::vector<Edge> edges_of(std::span<const std::int32_t> columns, std::size_t r_nz) {
  std::vector<Edge> edges;
  edges.reserve(columns.size());
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const Edge edge{static_cast<RowNumber>(e / r_nz), static_cast<RowNumber>(columns[e])};
    if (edge.first != edge.second) edges.push_back(edge);
  }
  return edges;
}

void add_reversed(std::vector<Edge>& edges) {
  const std::size_t count = edges.size();
  edges.reserve(2 * count);
  for (std::size_t e = 0; e < count; ++e)
    edges.emplace_back(edges[e].second, edges[e].first);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

/// Looks for a row at the rim of each connected part. Boost has such a search too, but it goes through all
/// rows for every part, which takes hours where a million rows have no neighbour.
/// Source: George and Liu, "An Implementation of a Pseudoperipheral Node Finder", ACM TOMS 5(3), 1979.
class RimSearch {
 public:
  explicit RimSearch(const Graph& graph) : graph_(graph), last_search_(num_vertices(graph), 0) {}

  std::deque<RowNumber> one_row_a_part() {
    std::deque<RowNumber> rows;
    for (RowNumber row = 0; row < num_vertices(graph_); ++row) {
      if (last_search_[row] == 0) rows.push_back(rim_row(row));
    }
    return rows;
  }

 private:
  struct Reach {
    int levels;
    RowNumber last;  ///< a row with the fewest neighbours among those farthest away
  };

  RowNumber rim_row(RowNumber start) {
    Reach reach = search(start);
    for (;;) {
      const Reach next = search(reach.last);
      if (next.levels <= reach.levels) return reach.last;
      reach = next;
    }
  }

  /// Breadth first, level by level.
  Reach search(RowNumber start) {
    ++searches_;
    last_search_[start] = searches_;
    level_.assign(1, start);
    int levels = 0;
    for (;; ++levels) {
      next_level_.clear();
      for (const RowNumber row : level_) {
        for (auto [near, end] = adjacent_vertices(row, graph_); near != end; ++near) {
          if (last_search_[*near] == searches_) continue;
          last_search_[*near] = searches_;
          next_level_.push_back(*near);
        }
      }
      if (next_level_.empty()) break;
      std::swap(level_, next_level_);
    }
    const auto last = std::min_element(level_.begin(), level_.end(), [&](RowNumber a, RowNumber b) {
      return std::pair(out_degree(a, graph_), a) < std::pair(out_degree(b, graph_), b);
    });
    return {levels, *last};
  }

  const Graph& graph_;
  std::vector<std::uint32_t> last_search_;  ///< number of the last search that came to a row; 0: none
  std::uint32_t searches_ = 0;
  std::vector<RowNumber> level_;
  std::vector<RowNumber> next_level_;
};

Graph graph_of(std::span<const std::int32_t> columns, std::size_t r_nz, PatternSymmetry symmetry) {
  std::vector<Edge> edges = edges_of(columns, r_nz);
  if (symmetry == PatternSymmetry::any) add_reversed(edges);
  return Graph(boost::edges_are_sorted, edges.begin(), edges.end(),
               static_cast<RowNumber>(columns.size() / r_nz), static_cast<std::int64_t>(edges.size()));
}

}  // namespace

std::vector<std::int32_t> reverse_cuthill_mckee_order(std::span<const std::int32_t> columns, int r_nz,
                                                      PatternSymmetry symmetry) {
  const Graph graph = graph_of(columns, static_cast<std::size_t>(r_nz), symmetry);
  std::vector<std::int32_t> order(num_vertices(graph));
  std::vector<boost::default_color_type> colours(order.size());
  boost::cuthill_mckee_ordering(
      graph, RimSearch(graph).one_row_a_part(), order.rbegin(),
      boost::make_iterator_property_map(colours.begin(), get(boost::vertex_index, graph)),
      boost::make_out_degree_map(graph));
  return order;
}

}  // namespace finegrain::problem
