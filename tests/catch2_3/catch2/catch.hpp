// SPDX-License-Identifier: MIT
#pragma once

// The header of Catch2 2, for Catch2 3: its matchers for text are where the tests name them.
#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {
namespace Matchers {
// In Catch2 3, Contains is for elements of a range. These are preferred to it where the argument is text.
inline auto Contains(const std::string& part) {
  return ContainsSubstring(part);
}
inline auto Contains(std::string& part) {
  return ContainsSubstring(part);
}
inline auto Contains(std::string&& part) {
  return ContainsSubstring(part);
}
inline auto Contains(const char* part) {
  return ContainsSubstring(part);
}
}  // namespace Matchers

using Matchers::Contains, Matchers::EndsWith, Matchers::Equals, Matchers::StartsWith;
}  // namespace Catch

using Catch::Approx;
