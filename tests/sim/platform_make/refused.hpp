// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain::test {

/// The error is an InputError whose line contains the text.
template <class Call>
void check_refusal(const Call& call, const std::string& text) {
  CHECK_THROWS_AS(call(), InputError);
  CHECK_THROWS_WITH(call(), Catch::Contains(text));
}

/// The text with the first occurrence of `old` replaced.
inline std::string with_replaced(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

}  // namespace finegrain::test
