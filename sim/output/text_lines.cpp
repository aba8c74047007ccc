// SPDX-License-Identifier: MIT
#include "sim/output/text_lines.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace finegrain::output {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> in_lines(const std::vector<std::string>& pieces, std::size_t width,
                                  std::string_view indentation, std::string_view between) {
  std::vector<std::string> lines{""};
  for (const std::string& piece : pieces) {
    std::string& line = lines.back();
    if (line.empty())
      line = piece;
    else if (width_of(line) + between.size() + width_of(piece) > width)
      lines.push_back(std::string(indentation) + piece);
    else
      line.append(between).append(piece);
  }
  return lines;
}

std::vector<std::string> in_lines(const std::string& text, std::size_t width, std::string_view indentation) {
  std::istringstream words(text);
  return in_lines(std::vector<std::string>(std::istream_iterator<std::string>(words), {}), width,
                  indentation);
}

}  // namespace finegrain::output
