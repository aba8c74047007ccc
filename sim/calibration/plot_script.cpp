// SPDX-License-Identifier: MIT
#include "sim/calibration/plot_script.hpp"

#include <fmt/format.h>

#include "sim/calibration/fits.hpp"

namespace finegrain {
namespace {

/// A line of a gnuplot data block: x, measured, first and last decile, fitted.
std::string data_line(double x, const Measured& measured, double fitted, double scale) {
  return fmt::format("{} {:.6g} {:.6g} {:.6g} {:.6g}\n", x, measured.median * scale, measured.p10 * scale,
                     measured.p90 * scale, fitted * scale);
}

std::string memory_data(const Calibration& found) {
  std::string lines;
  for (const auto& [ranks, bandwidth] : found.triad_bytes_per_s)
    lines += data_line(ranks, bandwidth, modelled_bandwidth_bytes_per_s(found, ranks), 1e-9);
  return lines;
}

std::string message_data(const Messages& messages) {
  const LineFit fit = fit_messages(messages);
  std::string lines;
  for (const auto& [size_bytes, seconds] : messages.times)
    lines += data_line(size_bytes, seconds, fit.at(size_bytes), 1e6);
  return lines;
}

std::string fit_title(const char* where, const Messages& messages) {
  const LineFit fit = fit_messages(messages);
  return fmt::format("{}: {:.2g} us + size / {:.2g} GB/s, worst {:+.0f} %", where, fit.intercept * 1e6,
                     1e-9 / fit.slope, 100 * fit.worst_deviation);
}

/// Measured points with their bars, and the fit, of one data block.
std::string curves(const char* block, const char* colour, const std::string& title) {
  return fmt::format(
      "{0} using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb '{1}' notitle, "
      "{0} using 1:5 with lines linewidth 2 linecolor rgb '{1}' title '{2}'",
      block, colour, title);
}

}  // namespace

std::string plot_script(const Calibration& found, const std::string& terminal) {
  std::string script = fmt::format(
      "# {}, {} cores, {}: finegrain calibrate. Draw it: gnuplot THIS-FILE > picture\n"
      "set terminal {} size 900,430 font 'sans-serif,11' background 'white' noenhanced\n"
      "$memory << EOD\n{}EOD\n"
      "$within << EOD\n{}EOD\n",
      found.cpu, found.cores, found.date, terminal, memory_data(found), message_data(found.within_node));
  if (found.between_nodes)
    script += fmt::format("$between << EOD\n{}EOD\n", message_data(*found.between_nodes));
  script += fmt::format(
      "set multiplot layout 1,2 title '{} x {}, {} cores. Points: medians, first to last decile; lines: the "
      "fit'\n"
      "set border 3\n"
      "set grid linecolor rgb '#e4e4e4'\n"
      "set tics out nomirror\n"
      "set key below samplen 1 font ',9'\n"
      "set xlabel 'ranks'\n"
      "set ylabel 'STREAM triad, GB/s'\n"
      "set yrange [0:*]\n"
      "set xtics 1\n"
      "set offsets 0.2, 0.2, 0, 0\n",
      found.nodes, found.cpu, found.cores);
  // More ticks than fit would overlap.
  if (found.triad_bytes_per_s.back().ranks > 16) script += "set xtics autofreq\n";
  script += "plot " + curves("$memory", "#0072b2", "min(ranks x one core, node)") + "\n";
  script +=
      "unset offsets\n"
      "set logscale xy\n"
      "set autoscale\n"
      "set xtics autofreq format '%.0s%c'\n"
      "set xlabel 'message, bytes'\n"
      "set ylabel 'half a round trip, us'\n";
  script += "plot " + curves("$within", "#d55e00", fit_title("within a node", found.within_node));
  if (found.between_nodes)
    script += ", " + curves("$between", "#009e73", fit_title("between nodes", *found.between_nodes));
  script += "\nunset multiplot\n";
  return script;
}

}  // namespace finegrain
