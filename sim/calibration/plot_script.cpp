// SPDX-License-Identifier: MIT
#include "sim/calibration/plot_script.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <optional>

#include "sim/calibration/fits.hpp"

namespace finegrain::calibration {
namespace {

constexpr std::string_view first_words_after_date = ": finegrain calibrate. Draw it: gnuplot ";
constexpr std::string_view svg_mark = "<!-- finegrain calibrate -->\n";
constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
/// A text chunk of a PNG: its type, a keyword, a zero byte, and the text.
constexpr std::string_view png_mark{"tEXtSoftware\0finegrain calibrate", 32};
/// Bytes of the signature and of the header chunk, which follows it: length, type, 13 bytes, checksum.
constexpr std::size_t png_header_bytes = 8 + 4 + 4 + 13 + 4;

constexpr const char* memory_colour = "#0072b2";
constexpr const char* within_colour = "#d55e00";
constexpr const char* between_colour = "#009e73";

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

std::string message_data(const Messages& messages, const NetworkFit& fit) {
  std::string lines;
  for (const auto& [size_bytes, seconds] : messages.times)
    lines += data_line(size_bytes, seconds, fitted_s(fit, messages, size_bytes), 1e6);
  return lines;
}

std::string fit_title(const char* where, const NetworkFit& fit) {
  const micro::LineFit& line = fit.line;
  const std::string bytes = line.slope > 0 ? fmt::format(" + size / {:.2g} GB/s", 1e-9 / line.slope) : "";
  const std::string pieces = fit.pieces.empty() ? "" : fmt::format(" in {} pieces", fit.pieces.size());
  return fmt::format("{}: {:.2g} us{}{}, worst {:+.0f} %", where, line.intercept * 1e6, bytes, pieces,
                     100 * line.worst_deviation);
}

/// What a fit is, written into the panel in its curve's colour: gnuplot leaves out what is too wide for a
/// key.
std::string label(int number, const char* colour, const std::string& text) {
  return fmt::format("set label {0} '{1}' at graph 0.03, graph {2:.2f} textcolor rgb '{3}' font ',9'\n",
                     number, text, 1.03 - 0.06 * number, colour);
}

/// Measured points with their bars, and the fit, of one data block.
std::string curves(const char* block, const char* colour) {
  return fmt::format(
      "{0} using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb '{1}', "
      "{0} using 1:5 with lines linewidth 2 linecolor rgb '{1}'",
      block, colour);
}

std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0})
    bytes += static_cast<char>(number >> shift & 0xFF);
  return bytes;
}

}  // namespace

std::string plot_script(const Calibration& found, const std::string& terminal) {
  const NetworkFit within{.line = fit_messages(found.within_node)};
  std::optional<NetworkFit> between;
  if (found.between_nodes) between = fit_network(found);
  std::string script = fmt::format(
      "# {}, {} cores, {}{}THIS-FILE > picture\n"
      "set terminal {} size 900,430 font 'sans-serif,11' background 'white' noenhanced\n"
      "$memory << EOD\n{}EOD\n"
      "$within << EOD\n{}EOD\n",
      found.cpu, found.cores, found.date, first_words_after_date, terminal, memory_data(found),
      message_data(found.within_node, within));
  if (between)
    script += fmt::format("$between << EOD\n{}EOD\n", message_data(*found.between_nodes, *between));
  script += fmt::format(
      "set multiplot layout 1,2 title '{} x {}, {} cores. Points: medians, first to last decile; lines: the "
      "fit'\n"
      "set border 3\n"
      "set grid linecolor rgb '#e4e4e4'\n"
      "set tics out nomirror\n"
      "unset key\n"
      "set xlabel 'ranks'\n"
      "set ylabel 'STREAM triad, GB/s'\n"
      "set yrange [0:*]\n"
      "set xtics 1\n"
      "set offsets 0.2, 0.2, 0, 0\n",
      found.nodes, found.cpu, found.cores);
  // With a tick for every number of ranks, ticks would overlap.
  if (found.triad_bytes_per_s.back().ranks > 16) script += "set xtics autofreq\n";
  script += label(1, memory_colour, "min(ranks x one core, node)");
  script += "plot " + curves("$memory", memory_colour) + "\n";
  script +=
      "unset offsets\n"
      "set logscale xy\n"
      "set autoscale\n"
      "set xtics autofreq format '%.0s%c'\n"
      "set xlabel 'message, bytes'\n"
      "set ylabel 'half a round trip, us'\n";
  script += label(1, within_colour, fit_title("within a node", within));
  if (between) script += label(2, between_colour, fit_title("between nodes", *between));
  script += "plot " + curves("$within", within_colour);
  if (found.between_nodes) script += ", " + curves("$between", between_colour);
  script += "\nunset multiplot\n";
  return script;
}

FileKind plot_script_kind() {
  return {"a plot script of finegrain calibrate", {".gp"}, [](std::string_view content) {
            const std::string_view line = content.substr(0, content.find('\n'));
            return line.starts_with("# ") && line.find(first_words_after_date) != std::string_view::npos;
          }};
}

std::string marked_picture(std::string picture) {
  if (!picture.starts_with(png_signature)) return picture.append(svg_mark);
  boost::crc_32_type checksum;
  checksum.process_bytes(png_mark.data(), png_mark.size());
  std::string chunk = big_endian(png_mark.size() - std::string_view("tEXt").size());
  chunk.append(png_mark).append(big_endian(checksum.checksum()));
  return picture.insert(std::min(png_header_bytes, picture.size()), chunk);
}

FileKind marked_picture_kind(const std::string& ending) {
  return {"a picture of finegrain calibrate", {ending}, [](std::string_view content) {
            if (content.starts_with(png_signature))
              return content.size() > png_header_bytes + 4 &&
                     content.substr(png_header_bytes + 4).starts_with(png_mark);
            return content.ends_with(svg_mark);
          }};
}

}  // namespace finegrain::calibration
