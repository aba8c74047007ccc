// SPDX-License-Identifier: MIT
#include "sim/study/axis_values.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::study;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("a range has both its ends, and every step from the first") {
  CHECK(parse_numbers("7", "f:1") == Numbers{7});
  CHECK(parse_numbers("2..5", "f:1") == Numbers{2, 3, 4, 5});
  CHECK(parse_numbers("2..8 step 3", "f:1") == Numbers{2, 5, 8});
  CHECK(parse_numbers("2..7 step 3", "f:1") == Numbers{2, 5});
}

TEST_CASE("a step beyond the last number leads to the first alone, however large it is") {
  CHECK(parse_numbers("1..10 step 9223372036854775807", "f:1") == Numbers{1});
  CHECK(parse_numbers("7..1000000000000 step 9223372036854775801", "f:1") == Numbers{7});
  CHECK(parse_numbers("1..1000000000000 step 500000000000", "f:1") == Numbers{1, 500'000'000'001});
}

TEST_CASE("powers of two are those within the range") {
  CHECK(parse_numbers("powers of two 1..8", "f:1") == Numbers{1, 2, 4, 8});
  CHECK(parse_numbers("powers of two 3..9", "f:1") == Numbers{4, 8});
}

TEST_CASE("what stands for no number is refused with its place") {
  for (const char* text : {"", "0", "-1", "5..2", "1..", "..3", "1...3", "1..3 step 0", "1..3 step", "x2",
                           "1 2", "powers of two 5..7", "powers of three 1..9", "99999999999999999999"})
    CHECK_THROWS_WITH(parse_numbers(text, "f:1"), Catch::StartsWith("f:1: '" + std::string(text) + "'"));
  CHECK_THROWS_AS(parse_numbers("1..1000000000", "f:1"), InputError);
}

TEST_CASE("every variant has a name, which reads back as it, and what is usual may be left out") {
  for (const PatternKind* kind : pattern_kinds())
    for (const Variant& variant : variants(*kind))
      CHECK(parse_variant(variant_name(variant, *kind), *kind, "f:1") == variant);
  const PatternKind& spmv = pattern_kind("spmv");
  CHECK(variant_name({"condensed", Transfer::two_sided, Completion::together}, spmv) == "condensed");
  CHECK(variant_name({"condensed", Transfer::put, Completion::overlapped}, spmv) ==
        "condensed put overlapped");
  const Variant overlapped{"condensed", Transfer::two_sided, Completion::overlapped};
  CHECK(parse_variant("condensed overlapped", spmv, "f:1") == overlapped);
  CHECK_THROWS_AS(parse_variant("condensed overlapped put", spmv, "f:1"), InputError);
  CHECK_THROWS_AS(parse_variant("block overlapped", spmv, "f:1"), InputError);
  CHECK_THROWS_AS(parse_variant("individual put", spmv, "f:1"), InputError);
  CHECK_THROWS_AS(parse_variant("condensed put", pattern_kind("heat"), "f:1"), InputError);
  CHECK_THROWS_WITH(parse_variant("condensed put overlapped", pattern_kind("heat"), "f:1"),
                    Catch::Contains("f:1: heat has no program condensed put overlapped") &&
                        Catch::Contains("or condensed two-sided together"));
  CHECK_THROWS_WITH(
      parse_variant("condnsed", pattern_kind("heat"), "f:1"),
      Catch::Contains("'condnsed' is not a program") && Catch::Contains("e.g. \"condensed two-sided "));
  CHECK_THROWS_AS(parse_variant("condensed two-sided together too", spmv, "f:1"), InputError);
}

TEST_CASE("x multiplies, / divides, and nothing else is a factor") {
  CHECK(parse_factor("x2.5", "f:1") == 2.5);
  CHECK(parse_factor("/10", "f:1") == 1 / 10.);
  CHECK(parse_factor("3us", "f:1") == 0);
  for (const char* text : {"x", "x0", "/0", "x-1", "xnan", "xinf", "x1e300", "/2us"})
    CHECK_THROWS_AS(parse_factor(text, "f:1"), InputError);
}
