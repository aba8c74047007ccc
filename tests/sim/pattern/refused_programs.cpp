// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "schedules.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;

namespace {

const test::MatrixPattern one_value_rows{8, 1, {1, 2, 3, 4, 5, 6, 7, 0}};

}  // namespace

TEST_CASE("what no program does is refused, with what the policy has") {
  using enum Transfer;
  using enum Completion;
  int refused = 0;
  for (const char* policy : {"naive", "individual", "block", "condensed"}) {
    for (const Transfer transfer : {get, put, two_sided}) {
      for (const Completion completion : {each, together, overlapped}) {
        const Variant program{policy, transfer, completion};
        const auto programs = variants(pattern_kind("spmv"));
        if (std::find(programs.begin(), programs.end(), program) != programs.end()) continue;
        CHECK_THROWS_AS(spmv_schedule(one_value_rows, 4, 2, program), InputError);
        ++refused;
      }
    }
  }
  CHECK(refused == 4 * 3 * 3 - 9);
  CHECK_THROWS_WITH(spmv_schedule(one_value_rows, 4, 2, {"block", two_sided, together}),
                    "policy: spmv has no program block two-sided together. Use block get each, or block put "
                    "together");
}

TEST_CASE("the usual completion of a transfer is each where there is such a program, else together") {
  const auto usual = [](const char* policy, const char* transfer) {
    return find_variant(pattern_kind("spmv"), policy, transfer, "").completion;
  };
  CHECK(usual("block", "get") == Completion::each);
  CHECK(usual("block", "put") == Completion::together);
  CHECK(usual("condensed", "put") == Completion::each);
  CHECK(usual("condensed", "two-sided") == Completion::together);
  CHECK_THROWS_AS(usual("naive", "put"), InputError);
}

TEST_CASE("an impossible distribution is refused") {
  for (const Variant& program : variants(pattern_kind("spmv"))) {
    CHECK_THROWS_AS(spmv_schedule(one_value_rows, 0, 1, program), InputError);
    CHECK_THROWS_AS(spmv_schedule(one_value_rows, 4, 0, program), InputError);
    CHECK_THROWS_AS(spmv_schedule(one_value_rows, 4, -2, program), InputError);
  }
}
