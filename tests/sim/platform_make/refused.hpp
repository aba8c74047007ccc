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

}  // namespace finegrain::test
