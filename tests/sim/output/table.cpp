// SPDX-License-Identifier: MIT
#include "sim/output/table.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "sim/output/json_tables.hpp"
#include "sim/output/text_table.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::output;

namespace {

const Table example{
    "Times",
    {{"phase", "phase"}, {"measured_s", "measured", 2}, {"messages", "messages"}},
    {{std::string("pack"), 0.125, std::int64_t{7}}, {std::string("wait, all"), {}, std::int64_t{12}}},
    {"measured here: median of 5"}};

std::string printed(const Table& table, Format format) {
  std::ostringstream out;
  print(out, {table}, format);
  return out.str();
}

}  // namespace

TEST_CASE("table: text is left-aligned, numbers right-aligned, and what is unknown is a dash") {
  CHECK(printed(example, Format::table) ==
        "Times\n"
        "phase      measured  messages\n"
        "---------  --------  --------\n"
        "pack           0.12         7\n"
        "wait, all         –        12\n"
        "measured here: median of 5\n");
}

TEST_CASE("table: a time that is not zero is not printed as zero, and one that is has no digits") {
  const Table table{"",
                    {{"pack_s", "pack"}, {"seconds", "s a rank"}, {"share", "share"}},
                    {{4e-5, 2e-7, 4e-5}, {0., 0., 0.}},
                    {}};
  CHECK(printed(table, Format::table) ==
        " pack  s a rank  share\n"
        "-----  --------  -----\n"
        "4e-05     2e-07  0.000\n"
        "    0         0  0.000\n");
}

TEST_CASE("table: times get up to three more digits where rows differ only there, and other numbers do not") {
  const Table networks{"",
                       {{"network", "network"}, {"simulated_s", "simulated"}, {"share", "share"}},
                       {{std::string("a"), 0.03612, 0.03612},
                        {std::string("b"), 0.03657, 0.03657},
                        {std::string("c"), 0.03641, 0.03641}},
                       {}};
  CHECK(printed(networks, Format::table) ==
        "network  simulated  share\n"
        "-------  ---------  -----\n"
        "a           0.0361  0.036\n"
        "b           0.0366  0.037\n"
        "c           0.0364  0.036\n");
  const auto times = [](std::vector<double> seconds) {
    Table table{"", {{"total_s", "total", 2}}, {}, {}};
    for (const double s : seconds)
      table.rows.push_back({s});
    const std::string text = printed(table, Format::table);
    return text.substr(text.find("-\n") + 2);
  };
  CHECK(times({1.2541, 1.2543}) == " 1.25\n 1.25\n");  // by less than a thousandth
  CHECK(times({1.25, 1.5}) == " 1.25\n 1.50\n");
  CHECK(times({1.25, 1.25}) == " 1.25\n 1.25\n");                    // equal
  CHECK(times({100., 0.001, 0.002}) == "100.00\n 0.001\n 0.002\n");  // less than a hundredth of the largest
}

TEST_CASE(
    "table: headings that make it wider than asked for are broken into lines, those that gain most first") {
  const Table table{"",
                    {{"platform", "platform"}, {"a", "closed form"}, {"b", "simulated/closed form"}},
                    {{std::string("abel"), std::int64_t{1}, std::int64_t{1234}}},
                    {}};
  std::ostringstream out;
  print(out, {table}, Format::table, 35);
  CHECK(out.str() ==
        "                       simulated/\n"
        "                           closed\n"
        "platform  closed form        form\n"
        "--------  -----------  ----------\n"
        "abel                1        1234\n");
}

TEST_CASE("table: a column that says what a row is of is printed beside the others, and last in CSV") {
  const Table table{"",
                    {{"platform", "platform"}, {"total_s", "total"}, {"ranks_per_node", "ranks/node"}},
                    {{std::string("abel"), 1.5, std::int64_t{16}}},
                    {}};
  CHECK(printed(table, Format::table) ==
        "platform  ranks/node  total\n"
        "--------  ----------  -----\n"
        "abel              16  1.500\n");
  CHECK(printed(table, Format::csv) == "platform,total_s,ranks_per_node\nabel,1.5,16\n");
}

TEST_CASE("table: a column that says nothing is left out where the table is too wide, in the table only") {
  const Table table{"",
                    {{"platform", "platform"}, {"measured", "measured"}, {"simulated", "simulated"}},
                    {{std::string("abel"), {}, std::int64_t{1}}},
                    {}};
  const auto at_width = [&](std::size_t width) {
    std::ostringstream out;
    print(out, {table}, Format::table, width);
    return out.str();
  };
  CHECK(at_width(29).find("measured") != std::string::npos);
  CHECK(at_width(28) ==
        "platform  simulated\n"
        "--------  ---------\n"
        "abel              1\n");
  CHECK_THAT(printed(table, Format::csv), Catch::Contains("measured"));
}

TEST_CASE("table: a long text is broken between words where the table is too wide") {
  const Table table{"",
                    {{"what", "what"}, {"now", "now"}},
                    {{std::string("work of MPI_Allreduce after MPI_Send"), std::int64_t{12}}},
                    {}};
  std::ostringstream out;
  print(out, {table}, Format::table, 33);
  CHECK(out.str() ==
        "what                          now\n"
        "----------------------------  ---\n"
        "work of MPI_Allreduce after    12\n"
        "  MPI_Send\n");
  Table indented = table;
  indented.rows = {{std::string("  work of MPI_Allreduce after MPI_Send"), std::int64_t{12}}};
  std::ostringstream again;
  print(again, {indented}, Format::table, 33);
  CHECK_THAT(again.str(), Catch::EndsWith("\n  work of MPI_Allreduce        12\n    after MPI_Send\n"));
}

TEST_CASE("table: columns that do not fit are printed in parts that each say what a row is of") {
  Table table{"T", {{"platform", "platform"}, {"ranks", "ranks"}}, {}, {"note"}};
  table.rows = {{std::string("abel"), std::int64_t{16}}, {std::string("hdr"), std::int64_t{32}}};
  for (const char* const heading : {"first", "second", "third", "fourth"}) {
    table.columns.push_back({heading, heading, 1});
    for (auto& row : table.rows)
      row.emplace_back(0.5);
  }
  std::ostringstream out;
  print(out, {table}, Format::table, 32);
  CHECK(out.str() ==
        "T\n"
        "platform  ranks  first  second\n"
        "--------  -----  -----  ------\n"
        "abel         16    0.5     0.5\n"
        "hdr          32    0.5     0.5\n"
        "\n"
        "platform  ranks  third  fourth\n"
        "--------  -----  -----  ------\n"
        "abel         16    0.5     0.5\n"
        "hdr          32    0.5     0.5\n"
        "note\n");
}

TEST_CASE("table: a note longer than 80 columns is broken between words, in the table only") {
  Table table = example;
  table.notes = {std::string(40, 'a') + ' ' + std::string(39, 'b') + ' ' + std::string(30, 'c')};
  CHECK_THAT(printed(table, Format::table),
             Catch::EndsWith(std::string(40, 'a') + ' ' + std::string(39, 'b') + "\n  " +
                             std::string(30, 'c') + "\n"));
  CHECK_THAT(printed(table, Format::csv), Catch::Contains(table.notes.front()));
}

TEST_CASE("table: CSV keeps every digit, quotes commas, and leaves unknown fields empty") {
  CHECK(
      printed(example, Format::csv) ==
      "# Times\n# measured here: median of 5\nphase,measured_s,messages\npack,0.125,7\n\"wait, all\",,12\n");
}

TEST_CASE("table: JSON has rows by key and null for what is unknown") {
  const std::string json = printed(example, Format::json);
  CHECK_THAT(json, Catch::Contains("\"measured_s\": 0.125") && Catch::Contains("\"measured_s\": null"));
}

TEST_CASE("table: names of files cannot end a line, move the cursor or turn into a formula") {
  const Table named{"a\nb", {{"file", "file"}}, {{std::string("=1+1")}, {std::string("\x1b[2J")}}, {"c\nd"}};
  CHECK(printed(named, Format::table) ==
        "a\\nb\n"
        "file\n"
        "-------\n"
        "=1+1\n"
        "\\x1b[2J\n"
        "c\\nd\n");
  CHECK(printed(named, Format::csv) == "# a\\nb\n# c\\nd\nfile\n'=1+1\n\\x1b[2J\n");
}

TEST_CASE("table: in CSV a text that is a formula is defused, numbers are not") {
  const auto cell = [](Cell value) {
    return printed({"", {{"x", "x"}}, {{std::move(value)}}, {}}, Format::csv).substr(2);
  };
  for (const char* formula : {"=A1", "+1+1", "-1+1", "@SUM(A1)"})
    CHECK(cell(formula) == std::string("'").append(formula).append("\n"));
  CHECK(cell("=\"a\",b") == "\"'=\"\"a\"\",b\"\n");
  CHECK(cell(-1.5) == "-1.5\n");
  CHECK(cell(std::int64_t{-3}) == "-3\n");
  CHECK(cell("-12") == "-12\n");
  CHECK(cell("a-b") == "a-b\n");
}

TEST_CASE("table: JSON says of each column what it is, its unit and origin, and why a row lacks it") {
  Table table = example;
  table.columns[1].help = "of the whole run";
  table.columns[1].absent = "nobody waited";
  table.columns[2].origin = Origin::simulated;
  table.left_out = {{.key = "energy_j", .heading = "energy", .origin = {}, .absent = "no powers"}};
  const std::string json = printed(table, Format::json);
  CHECK_THAT(json, Catch::Contains(R"("columns": [
      {
        "name": "phase",
        "heading": "phase",
        "origin": "given"
      },
      {
        "name": "measured_s",
        "heading": "measured",
        "unit": "s",
        "origin": "measured",
        "help": "of the whole run",
        "absent": "nobody waited"
      },
      {
        "name": "messages",
        "heading": "messages",
        "unit": "1",
        "origin": "simulated"
      }
    ])"));
  CHECK_THAT(json, Catch::Contains(R"("left_out": [
      {
        "name": "energy_j",
        "heading": "energy",
        "unit": "J",
        "origin": "given",
        "absent": "no powers"
      }
    ])"));
}

TEST_CASE("table: a unit is the last word of a key, or bytes and percent wherever they stand in it") {
  const std::pair<std::string, std::string_view> keys[] = {
      {"simulated_s", "s"},          {"slowest_rank_us", "us"}, {"bytes_in_local", "B"},
      {"remote_bytes_per_s", "B/s"}, {"mean_w", "W"},           {"energy_delay_js", "J s"},
      {"gain_percent_2", "%"},       {"messages", "1"},         {"ranks_per_node", "1"},
      {"j_per_iteration", "J"},      {"kilobytes", "1"}};
  for (const auto& [key, unit] : keys)
    CHECK(unit_of(key) == unit);
}

TEST_CASE("table: JSON of a name that is not UTF-8 is valid") {
  const Table named{"\xff", {{"file", "file"}}, {{std::string("a\xffz")}}, {}};
  CHECK_THAT(printed(named, Format::json), Catch::Contains("\"file\": \"a\uFFFDz\""));
}

TEST_CASE("table: one of several is chosen by its name, and a wrong name is answered with the right ones") {
  const std::vector<Table> both{{"T", {}, {}, {"network"}, "totals"}, {"P", {}, {}, {"us"}, "phases"}};
  CHECK(chosen(both, "").size() == 2);
  REQUIRE(chosen(both, "phases").size() == 1);
  CHECK(chosen(both, "phases").front().title == "P");
  CHECK(chosen(both, "phases").front().notes == std::vector<std::string>{"us", "T", "network"});
  CHECK(chosen(both, "totals").front().notes == std::vector<std::string>{"network", "us"});
  CHECK_THROWS_WITH(chosen(both, "ranks"), Catch::Contains("totals or phases"));
}

TEST_CASE("table: a CSV is the first table and names the others, JSON is an array, of one table as well") {
  const std::vector<Table> both{{"T", {{"x", "x"}}, {{std::int64_t{1}}}, {}, "totals"},
                                {"P", {{"y", "y"}}, {{std::int64_t{2}}}, {}, "phases"}};
  const auto text_of = [](const std::vector<Table>& tables, Format format) {
    std::ostringstream out;
    print(out, tables, format);
    return out.str();
  };
  CHECK(text_of(both, Format::csv) ==
        "# T\n# This is the first of 2 tables. The others: --table phases\nx\n1\n");
  CHECK(text_of({both.back()}, Format::csv) == "# P\ny\n2\n");
  CHECK_THAT(text_of(both, Format::json), Catch::StartsWith("[\n  {\n    \"name\": \"totals\""));
  CHECK_THAT(text_of({both.back()}, Format::json), Catch::StartsWith("[\n  {\n    \"name\": \"phases\""));
}

TEST_CASE("table: a terminal is shown the sums in place of more than 20 rows, and is told so") {
  Table phases{"P", {{"phase", "phase"}}, {}, {"us"}, "phases"};
  phases.rows.assign(20, {std::string("send 2")});
  phases.sums = {{std::string("send")}};
  CHECK(for_terminal({phases}).front().rows.size() == 20);
  phases.rows.push_back({std::string("send 22")});
  const Table shown = for_terminal({phases}).front();
  CHECK(shown.rows == phases.sums);
  CHECK(shown.notes ==
        std::vector<std::string>{
            "Rows of one name are added up, for a terminal. All 21 rows: --table phases.", "us"});
  phases.sums.clear();  // no name comes again
  CHECK(for_terminal({phases}).front().rows.size() == 21);
}

TEST_CASE("table: a heading makes a name") {
  CHECK(name_from("Table 3, problem 2, SBD") == "table-3-problem-2-sbd");
}

TEST_CASE("table: an unknown format is an input error") {
  CHECK_THROWS_AS(parse_format("xml"), InputError);
}

TEST_CASE("table: the ends of an interval stand behind the number, with digits that tell them apart") {
  Table table{.title = "Times",
              .columns = {{"platform", "platform"},
                          {"simulated_s", "simulated", 4},
                          {"low_s", "low"},
                          {"high_s", "high"}},
              .rows = {{std::string("hdr"), 0.0359, 0.03098, 0.0412},
                       {std::string("abel"), 35.9, 31., 41.},
                       {std::string("none"), 1., {}, {}}},
              .notes = {}};
  table.columns[2].interval_of = table.columns[3].interval_of = "simulated_s";
  CHECK(printed(table, Format::table) ==
        "Times\n"
        "platform             simulated\n"
        "--------  --------------------\n"
        "hdr       0.0359 (0.031–0.041)\n"
        "abel           35.9000 (31–41)\n"
        "none                    1.0000\n");
  CHECK_THAT(printed(table, Format::csv), Catch::Contains("hdr,0.0359,0.03098,0.0412"));
}
