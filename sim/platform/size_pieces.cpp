// SPDX-License-Identifier: MIT
// Which number of lines is right, an example: 23 sizes from 1 B to 4 MiB on three lines, with noise of 2 %.
//
//     lines  deviation  23 ln(deviation^2)  2 x parameters x ln 23  sum
//     1      28.4 %           -58                  13               -45
//     2      12.8 %           -95                  31               -63
//     3       1.7 %          -188                  50              -138   <- the least
//     4       1.6 %          -191                  69              -122
//
// A line has two parameters, and each line but the first has the size where it begins. The sum is Schwarz'
// criterion (BIC) with twice its penalty: where a line begins is the best of many places, so that chance
// alone makes deviations smaller than the usual penalty expects. With the usual one, 39 of 100 straight
// lines at twelve sizes, with noise of 2 %, came out as several; with twice as much, 3 of 100.
#include "sim/platform/size_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace finegrain::platform {
namespace {

/// So that a line is not drawn through its only two points.
constexpr std::size_t least_points = 3;
constexpr std::size_t most_pieces = 6;
/// Benchmarks do not repeat better than this: what is nearer is as good.
constexpr double least_deviation = 0.005;

struct Line {
  double intercept_s = 0;
  double s_per_byte = 0;
  double squares = 0;  ///< the sum of its squared relative deviations
};

/// Not below the least intercept, and not falling. Deviations count relative to each time: a message of 8 B
/// counts as much as one of 4 MiB.
Line fit_line(std::span<const TimedSize> times, double least_intercept_s) {
  double ones = 0;
  double sizes = 0;
  double seconds = 0;
  for (const auto& [size_bytes, time_s] : times) {
    const double weight = 1 / (time_s * time_s);
    ones += weight;
    sizes += weight * size_bytes;
    seconds += weight * time_s;
  }
  const double mean_size = sizes / ones;
  double xx = 0;
  double xy = 0;
  for (const auto& [size_bytes, time_s] : times) {
    const double weight = 1 / (time_s * time_s);
    xx += weight * (size_bytes - mean_size) * (size_bytes - mean_size);
    xy += weight * (size_bytes - mean_size) * time_s;
  }
  Line line;
  line.s_per_byte = xx > 0 ? std::max(0., xy / xx) : 0;
  line.intercept_s = seconds / ones - line.s_per_byte * mean_size;
  if (line.intercept_s < least_intercept_s) {
    double of_bytes = 0;
    double squared_bytes = 0;
    for (const auto& [size_bytes, time_s] : times) {
      of_bytes += (time_s - least_intercept_s) * size_bytes / (time_s * time_s);
      squared_bytes += size_bytes * size_bytes / (time_s * time_s);
    }
    line.intercept_s = least_intercept_s;
    line.s_per_byte = squared_bytes > 0 ? std::max(0., of_bytes / squared_bytes) : 0;
  }
  for (const auto& [size_bytes, time_s] : times)
    line.squares += std::pow((line.intercept_s + line.s_per_byte * size_bytes) / time_s - 1, 2);
  return line;
}

/// The best lines for the first so many times, for each number of lines.
class BestLines {
 public:
  BestLines(std::span<const TimedSize> times, double least_intercept_s)
      : times_(times), least_intercept_s_(least_intercept_s) {
    const std::size_t most = std::clamp<std::size_t>(times.size() / least_points, 1, most_pieces);
    by_pieces_.assign(most + 1, std::vector<Best>(times.size() + 1));
    by_pieces_[0][0].squares = 0;
    for (std::size_t pieces = 1; pieces <= most; ++pieces)
      for (std::size_t end = 1; end <= times.size(); ++end)
        find(pieces, end);
  }

  std::size_t most() const { return by_pieces_.size() - 1; }
  double squares(std::size_t pieces) const { return by_pieces_[pieces].back().squares; }
  std::vector<LinePiece> lines(std::size_t pieces) const {
    std::vector<LinePiece> lines;
    for (std::size_t end = times_.size(); pieces > 0; --pieces) {
      const Best& best = by_pieces_[pieces][end];
      lines.push_back({times_[end - 1].size_bytes, best.last.intercept_s, best.last.s_per_byte});
      end = best.before;
    }
    std::ranges::reverse(lines);
    return lines;
  }

 private:
  struct Best {
    double squares = std::numeric_limits<double>::infinity();
    std::size_t before = 0;  ///< how many times the last line leaves to those before it
    Line last;
  };

  void find(std::size_t pieces, std::size_t end) {
    const std::size_t least = pieces == 1 && by_pieces_.size() == 2 ? 1 : least_points;
    Best& best = by_pieces_[pieces][end];
    for (std::size_t before = 0; before + least <= end; ++before) {
      const double others = by_pieces_[pieces - 1][before].squares;
      if (std::isinf(others)) continue;
      const Line last = fit_line(times_.subspan(before, end - before), least_intercept_s_);
      if (others + last.squares < best.squares) best = {others + last.squares, before, last};
    }
  }

  std::span<const TimedSize> times_;
  double least_intercept_s_;
  std::vector<std::vector<Best>> by_pieces_;  ///< by the number of lines, and how many times they are for
};

}  // namespace

std::vector<LinePiece> fit_pieces(std::span<const TimedSize> times, double least_intercept_s) {
  const BestLines best(times, least_intercept_s);
  const auto points = static_cast<double>(times.size());
  const auto criterion = [&](std::size_t pieces) {
    const double mean_square = std::max(best.squares(pieces) / points, least_deviation * least_deviation);
    const double parameters = 3 * static_cast<double>(pieces) - 1;
    return points * std::log(mean_square) + 2 * parameters * std::log(points);
  };
  std::size_t chosen = 1;
  for (std::size_t pieces = 2; pieces <= best.most(); ++pieces)
    if (criterion(pieces) < criterion(chosen)) chosen = pieces;
  return best.lines(chosen);
}

double seconds_of(std::span<const LinePiece> pieces, double size_bytes) {
  const auto piece =
      std::ranges::find_if(pieces, [&](const LinePiece& one) { return size_bytes <= one.up_to_bytes; });
  const LinePiece& line = piece == pieces.end() ? pieces.back() : *piece;
  return line.intercept_s + line.s_per_byte * size_bytes;
}

MessageFactors factors_of(std::span<const LinePiece> pieces, double overhead_s, double latency_s,
                          double bandwidth_bytes_per_s) {
  constexpr double least_of_latency = 0.001;
  constexpr double most_of_bandwidth = 1000;  // the bytes take no time that could be seen
  MessageFactors factors;
  double above_bytes = 0;
  for (const LinePiece& piece : pieces) {
    factors.latency.pieces.push_back(
        {above_bytes, std::max(least_of_latency, (piece.intercept_s - overhead_s) / latency_s)});
    const double bytes_s = piece.s_per_byte * bandwidth_bytes_per_s;
    factors.bandwidth.pieces.push_back(
        {above_bytes, bytes_s * most_of_bandwidth > 1 ? 1 / bytes_s : most_of_bandwidth});
    above_bytes = piece.up_to_bytes;
  }
  return factors;
}

std::string text_of(const SizeFactors& factors) {
  std::string text;
  for (const auto& [above_bytes, factor] : factors.pieces)
    text += fmt::format("{}{:.0f}B:{:.4g}", text.empty() ? "" : ";", above_bytes, factor);
  return text;
}

}  // namespace finegrain::platform
