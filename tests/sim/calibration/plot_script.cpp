// SPDX-License-Identifier: MIT
#include "sim/calibration/plot_script.hpp"

#include <catch2/catch.hpp>

#include "known_machine.hpp"

using namespace finegrain;
using namespace finegrain::calibration;
using Catch::Matchers::Contains;

TEST_CASE("the picture's data are the measured points with their deciles, and the fit") {
  const std::string script = plot_script(known_node(), "svg");
  CHECK_THAT(script, Contains("set terminal svg"));
  // ranks, GB/s, first and last decile, min(4 x 10, 24)
  CHECK_THAT(script, Contains("4 24 23 25 24\n"));
  // 1024 B: 1 us + 1024 B / 8 GB/s = 1.128 us, 10 % less and more, the fit.
  CHECK_THAT(script, Contains("1024 1.128 1.0152 1.2408 1.128\n"));
  CHECK_THAT(script, !Contains("$between"));
}

TEST_CASE("a plot's script and pictures are recognized as finegrain's, others' are not") {
  CHECK(plot_script_kind().recognises(plot_script(known_node(), "svg")));
  CHECK_FALSE(plot_script_kind().recognises("# my data\nplot sin(x)\n"));
  const std::string svg = "<svg></svg>\n";
  CHECK_FALSE(marked_picture_kind(".svg").recognises(svg));
  CHECK(marked_picture_kind(".svg").recognises(marked_picture(svg)));
  // Signature; length, name, content and checksum of the header; then what follows.
  const std::string begin = "\x89PNG\r\n\x1a\n" + std::string("\0\0\0\x0dIHDR", 8) + std::string(13 + 4, 'x');
  const std::string rest = std::string("\0\0\0\0IEND", 8) + "\xae\x42\x60\x82";
  CHECK_FALSE(marked_picture_kind(".png").recognises(begin + rest));
  CHECK(marked_picture_kind(".png").recognises(marked_picture(begin + rest)));
  // zlib.crc32(b"tEXtSoftware\0finegrain calibrate") is 0xc006c483.
  const std::string text("\0\0\0\x1ctEXtSoftware\0finegrain calibrate\xc0\x06\xc4\x83", 4 + 4 + 28 + 4);
  CHECK(marked_picture(begin + rest) == begin + text + rest);
}

TEST_CASE("with several nodes, messages between them are drawn too") {
  CHECK_THAT(plot_script(known_cluster(), "pngcairo"), Contains("between nodes: 2.5 us + size / 5 GB/s"));
}
