// SPDX-License-Identifier: MIT
#include "traces/formats/smpi_arguments.hpp"

#include <string>

namespace finegrain::formats {

BlockPlaces places_of_blocks(const SmpiLine& line, bool has_root, std::int32_t ranks) {
  const std::size_t all = has_root ? 5 : 4;
  BlockPlaces places{.received = 1};
  // SMPI always writes both types, so that one argument less is a missing RECEIVED. By hand, the last type
  // may be left out instead: then the second argument is a number of elements, which a root or SENT tell
  // apart.
  const bool lacks_one = line.arguments() + 1 == all;
  if (lacks_one && (has_root ? line.number(1) < ranks : line.text(0) == "0")) places.received.reset();
  const std::size_t after = places.received ? 2 : 1;
  places.root = after;
  places.sent_type = after + (has_root ? 1 : 0);
  places.received_type = places.sent_type + 1;
  return places;
}

std::size_t place_of_gathered(const SmpiLine& line, std::int32_t rank, std::int32_t ranks) {
  const auto sizes = static_cast<std::size_t>(ranks);
  return line.arguments() == sizes + 3 && line.text(sizes) == std::to_string(rank) ? 0 : 1;
}

bool is_scattered_block(const SmpiLine& line, std::int32_t ranks) {
  if (line.arguments() == 0) return false;
  for (std::size_t argument = 0; argument + 1 < line.arguments(); ++argument) {
    if (line.text(argument) != "0") return false;
  }
  return line.arguments() != static_cast<std::size_t>(ranks) + 2;
}

}  // namespace finegrain::formats
