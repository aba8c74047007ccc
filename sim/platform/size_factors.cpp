// SPDX-License-Identifier: MIT
#include "sim/platform/size_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

constexpr const char* example = "Write it like 1KiB:1.2;64KiB:2";

SizeFactors::Piece parse_piece(std::string_view text, const std::string& where) {
  constexpr double most = 1e6;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw InputError(where, fmt::format("'{}' is not of the form SIZE:FACTOR", text), example);
  const std::string_view number = text.substr(colon + 1);
  double factor = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
  if (error != std::errc() || end != number.data() + number.size() || !(factor > 0) || factor > most)
    throw InputError(where, fmt::format("'{}' is no factor above 0 and up to {}", number, most), example);
  // SimGrid's own sizes have no unit.
  std::string size(text.substr(0, colon));
  if (size.find_first_not_of("0123456789") == std::string::npos) size += 'B';
  return {parse_size_bytes(size, where), factor};
}

std::string_view setting_of(std::string_view name) {
  return name == "latency_factors" ? "smpi/lat-factor" : "smpi/bw-factor";
}

}  // namespace

double SizeFactors::of(double bytes) const {
  double factor = 1;
  for (const Piece& piece : pieces)
    if (bytes > piece.above_bytes) factor = piece.factor;
  return factor;
}

std::optional<TextProperty> size_factors_text(const PlatformDocument& document,
                                              const std::vector<std::string>& overrides,
                                              std::string_view name) {
  if (auto given = text_property(document, overrides, name)) return given;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//config/prop"))
    if (match.node().attribute("id").value() == setting_of(name))
      return TextProperty{match.node().attribute("value").value(),
                          fmt::format("{}: {}", document.place_of(match.node()), setting_of(name))};
  return std::nullopt;
}

SizeFactors read_size_factors(const PlatformDocument& document, const std::vector<std::string>& overrides,
                              std::string_view name) {
  SizeFactors factors;
  const auto given = size_factors_text(document, overrides, name);
  if (!given) return factors;
  for (std::string_view rest = given->text; !rest.empty();) {
    const std::size_t length = std::min(rest.find(';'), rest.size());
    factors.pieces.push_back(parse_piece(rest.substr(0, length), given->where));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  if (factors.empty()) throw InputError(given->where, "no factor is given", example);
  std::ranges::sort(factors.pieces, {}, &SizeFactors::Piece::above_bytes);
  if (std::ranges::adjacent_find(factors.pieces, {}, &SizeFactors::Piece::above_bytes) !=
      factors.pieces.end())
    throw InputError(given->where, fmt::format("'{}' has two factors for one size", given->text), "Keep one");
  return factors;
}

}  // namespace finegrain::platform
