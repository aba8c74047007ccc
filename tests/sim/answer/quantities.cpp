// SPDX-License-Identifier: MIT
#include "sim/answer/quantities.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::answer;

namespace {

/// Ten iterations on two nodes, which took four seconds and 200 joules.
struct TenIterations {
  Schedule schedule = puts(megabyte, 10);
  problem::Placement placement{2, 1};
  platform::Platform platform;
  Answer answer{.question = {.job = {.schedule = &schedule, .platform = &platform, .placement = &placement}},
                .simulated = replay::ReplayResult(),
                .closed_form = {}};

  TenIterations() {
    platform.name = "small";
    answer.simulated->total_s = 4;
    answer.simulated->energy = replay::Energy{200, 50};
  }
};

}  // namespace

TEST_CASE("quantities: each has a name of its own, a heading and a help text") {
  std::set<std::string> names;
  for (const Quantity& quantity : quantities()) {
    CHECK(names.insert(quantity.column.key).second);
    CHECK_FALSE(quantity.column.heading.empty());
    CHECK_FALSE(quantity.help.empty());
  }
}

TEST_CASE("quantities: energy is a total, a mean power, joules of an iteration, and joules times seconds") {
  const TenIterations ten;
  const output::Table table =
      table_of({&ten.answer, 1}, {{"energy_j", "idle_j", "mean_w", "j_per_iteration", "energy_delay_js"}});
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows.front() == std::vector<output::Cell>{200., 50., 200. / 4, 200. / 10, 200. * 4});
}

TEST_CASE("quantities: the closed form is of all iterations, and what is simulated is held against it") {
  TenIterations ten;
  ten.answer.closed_form.emplace().total_s = 0.2;
  const output::Table table =
      table_of({&ten.answer, 1}, {{"closed_form_s", "simulated_over_closed_form", "measured_s"}});
  CHECK(table.rows.front() == std::vector<output::Cell>{10 * 0.2, 4 / (10 * 0.2), output::Cell()});
}

TEST_CASE("quantities: waiting for late partners is of the whole run, in the mean of all ranks") {
  TenIterations ten;
  ten.answer.simulated->ranks.resize(2);
  CHECK_FALSE(number_of(ten.answer, "late_s"));
  ten.answer.simulated->ranks[0].waits.add(0, {.late_sender_s = 0.5});
  ten.answer.simulated->ranks[0].waits.add(1, {.late_receiver_s = 1, .transfer_s = 4});
  ten.answer.simulated->ranks[1].waits.add(0, {.late_collective_s = 2.5});
  CHECK(number_of(ten.answer, "late_s") == (0.5 + 1 + 2.5) / 2);
}

TEST_CASE("quantities: bytes between nodes are those of an iteration that another node gets") {
  TenIterations ten;
  const auto cell_of = [](const TenIterations& run) {
    return table_of({&run.answer, 1}, {{"platform", "bytes_between_nodes"}}).rows.front().back();
  };
  std::int64_t bytes = 0;  // rank 0 puts to rank 1
  for_each_post(ten.schedule.ranks[0].operations,
                [&](const Post& post) { bytes += post.size_bytes * post.repeat; });
  CHECK(bytes >= 1'000'000);
  CHECK(cell_of(ten) == output::Cell(bytes));
  ten.placement = problem::Placement(2, 2);
  CHECK(cell_of(ten) == output::Cell(std::int64_t{0}));
}

TEST_CASE("quantities: bytes between nodes are no column where the iterations are not known") {
  TenIterations ten;
  ten.schedule.ranks.clear();
  const output::Table table = table_of({&ten.answer, 1}, {{"platform", "bytes_between_nodes"}});
  CHECK(table.columns.size() == 1);
  REQUIRE(table.left_out.size() == 1);
  CHECK(table.left_out.front().absent == "the run has none");
}

TEST_CASE("quantities: energy is no column where no answer has it, and empty where one does not") {
  TenIterations with;
  TenIterations without;
  without.answer.simulated->energy.reset();
  CHECK(table_of({&without.answer, 1}, {{"platform", "energy_j"}}).columns.size() == 1);
  const Answer both[] = {with.answer, without.answer};
  const output::Table table = table_of(both, {{"platform", "energy_j"}});
  REQUIRE(table.columns.size() == 2);
  CHECK(table.rows[0][1] == output::Cell(200.));
  CHECK(table.rows[1][1] == output::Cell());
}

TEST_CASE("quantities: a job's times beside others are columns only where jobs share a machine") {
  const TenIterations alone;
  const std::string_view names[] = {"platform", "start_s", "alone_s", "together_s"};
  CHECK(table_of({&alone.answer, 1}, names).columns.size() == 1);
  TenIterations shared;
  const replay::SharedJob job{shared.answer.question.job, {0, 1}, 0.5};
  shared.answer.question.shared = &job;
  shared.answer.beside_others = {4, 6, false};
  CHECK(table_of({&shared.answer, 1}, names).rows.front() ==
        std::vector<output::Cell>{std::string("small"), 0.5, 4., 6.});
  CHECK(number_of(shared.answer, "slow_down") == 6 / 4.);
  CHECK_FALSE(number_of(alone.answer, "slow_down"));
}

TEST_CASE("quantities: a count and a number have a value, a text has none") {
  const TenIterations ten;
  CHECK(number_of(ten.answer, "ranks") == 2);
  CHECK(number_of(ten.answer, "energy_j") == 200);
  CHECK_FALSE(number_of(ten.answer, "platform"));
}

TEST_CASE("quantities: messages of a rank are the mean over the ranks, and only of a schedule") {
  TenIterations ten;  // rank 0 puts, rank 1 does not
  CHECK(number_of(ten.answer, "messages_per_rank") == 1 / 2.);
  const SchedulePrograms programs(ten.schedule);
  ten.answer.question.job.programs = &programs;
  CHECK_FALSE(number_of(ten.answer, "messages_per_rank"));
}
