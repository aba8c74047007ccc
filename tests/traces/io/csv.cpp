// SPDX-License-Identifier: MIT
#include "traces/io/csv.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;

TEST_CASE("csv: what a spreadsheet would take for a formula has a ' before it, numbers have none") {
  for (const char* const text : {"=1+1", "+x", "-x", "@SUM(A1)", "-", "+-1"})
    CHECK(csv_field(text) == "'" + std::string(text));
  for (const char* const text : {"", "MPI_Send", "-1.5", "-1e-3", "a=b", "a-b"})
    CHECK(csv_field(text) == text);
}

TEST_CASE("csv: a comma or quotes stand in quotes, and a line stays one line") {
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"a\"") == "\"say \"\"a\"\"\"");
  CHECK(csv_field("=HYPERLINK(\"x\",1)") == "\"'=HYPERLINK(\"\"x\"\",1)\"");
  CHECK(csv_field("a\nb") == R"(a\nb)");
}
