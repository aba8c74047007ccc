// SPDX-License-Identifier: MIT
// Programs that repeat something cost what a few iterations of it cost, and take as long as the whole.
#include "sim/replay/folding/folded_programs.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "listed_programs.hpp"
#include "sim/replay/folding/periods.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

Post post(TransferKind kind, int peer, std::int64_t bytes, bool blocking = false) {
  return {.kind = kind, .blocking = blocking, .peer = peer, .size_bytes = bytes};
}

constexpr Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 8};

/// Adds a time step to each rank's calls.
using TimeStep = std::function<void(int rank, std::int64_t step, Calls& calls)>;

/// A barrier, steps, and a larger reduction.
ListedPrograms program(int ranks, std::int64_t steps, const TimeStep& step) {
  std::vector<Calls> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    Calls& calls = all[static_cast<std::size_t>(rank)];
    calls.push_back({Collective{}, 0.01 * rank});
    for (std::int64_t s = 0; s < steps; ++s)
      step(rank, s, calls);
    Collective last = sum;
    last.size_bytes = 80'000;
    calls.push_back({last, 0.002});
  }
  return ListedPrograms(std::move(all));
}

/// Exchanges with both neighbours on a ring, each rank with work of its own, then a sum.
void halo(int rank, std::int64_t /*step*/, Calls& calls, int ranks) {
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  calls.push_back({post(TransferKind::receive, left, 10'000), 1e-3 * (1 + rank % 3)});
  calls.push_back({post(TransferKind::receive, right, 10'000)});
  calls.push_back({post(TransferKind::send, right, 10'000)});
  calls.push_back({post(TransferKind::send, left, 10'000)});
  calls.push_back({Complete{4, 4}, 1e-4});
  calls.push_back({sum, 5e-4});
}

TimeStep halo_of(int ranks) {
  return [=](int rank, std::int64_t step, Calls& calls) { halo(rank, step, calls, ranks); };
}

ReplayResult replay_on_switch(const Programs& programs, const ReplayOptions& options = {},
                              WorkTimes work = WorkTimes::as_recorded) {
  SmallPlatform platform(switched(programs.ranks(), "3us"));
  return replay_programs(programs, *platform, options, 1, {}, work);
}

ReplayOptions all_iterations() {
  ReplayOptions options;
  options.repeat_tolerance = 0;
  return options;
}

void check_as_the_whole(const Programs& programs) {
  const ReplayResult whole = replay_on_switch(programs, all_iterations());
  const ReplayResult folded = replay_on_switch(programs);
  REQUIRE(whole.loops.empty());
  REQUIRE(folded.loops.size() == 1);
  CHECK(folded.simulated_iterations < whole.simulated_iterations / 2);
  CHECK(folded.total_s == Approx(whole.total_s).epsilon(1e-5));
  for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
    CAPTURE(rank);
    CHECK(folded.ranks[rank].finish_s == Approx(whole.ranks[rank].finish_s).epsilon(1e-5));
    for (std::size_t p = 0; p < whole.ranks[rank].phases_s.size(); ++p)
      CHECK(folded.ranks[rank].phases_s[p] ==
            Approx(whole.ranks[rank].phases_s[p]).epsilon(1e-4).margin(1e-5 * whole.total_s));
  }
}

std::vector<std::uint32_t> repeated(std::vector<std::uint32_t> body, int count) {
  std::vector<std::uint32_t> calls;
  for (int i = 0; i < count; ++i)
    calls.insert(calls.end(), body.begin(), body.end());
  return calls;
}

std::vector<std::uint32_t> joined(std::initializer_list<std::vector<std::uint32_t>> parts) {
  std::vector<std::uint32_t> calls;
  for (const auto& part : parts)
    calls.insert(calls.end(), part.begin(), part.end());
  return calls;
}

}  // namespace

TEST_CASE("periods: a loop is found between what comes before and after it") {
  const auto calls = joined({{9, 8, 7}, repeated({0, 1, 1, 2}, 50), {5, 6}});
  CHECK(find_loops(calls) == std::vector<PeriodicCalls>{{3, 4, 200}});
}

TEST_CASE("periods: of a loop with loops inside, the outer one is found") {
  const auto inside = joined({{0}, repeated({1, 2}, 20), {3}, repeated({4}, 9)});
  CHECK(find_loops(repeated(inside, 30)) == std::vector<PeriodicCalls>{{0, 51, 30 * 51}});
}

TEST_CASE("periods: two loops after one another are both found") {
  const auto calls = joined({{7}, repeated({0, 1}, 100), {5, 5, 6}, repeated({2, 3, 2}, 60)});
  const auto loops = find_loops(calls);
  CHECK(loops == std::vector<PeriodicCalls>{{1, 2, 200}, {204, 3, 180}});
}

TEST_CASE("periods: calls that never repeat have no loop") {
  std::vector<std::uint32_t> calls;
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i)
    calls.push_back(static_cast<std::uint32_t>(random() % 5));
  CHECK(find_loops(calls).empty());
  CHECK(find_loops({}).empty());
}

TEST_CASE("folding: 1,000 equal time steps take as long as the whole, and few are simulated") {
  const auto programs = program(6, 1000, halo_of(6));
  check_as_the_whole(programs);
  const ReplayResult folded = replay_on_switch(programs);
  CHECK(folded.loops[0].iterations == 1000);
  CHECK(folded.loops[0].calls == 6);
  CHECK(folded.loops[0].simulated <= 20);
  CHECK_FALSE(folded.loops[0].is_sampled);
}

TEST_CASE("folding: a request may be waited for in the next iteration") {
  check_as_the_whole(program(4, 300, [](int rank, std::int64_t step, Calls& calls) {
    calls.push_back({post(TransferKind::receive, (rank + 3) % 4, 50'000), 1e-3});
    calls.push_back({post(TransferKind::send, (rank + 1) % 4, 50'000), 2e-3});
    if (step > 0) calls.push_back({Complete{4, 2}});
    if (step == 299) calls.push_back({Complete{2, 2}});
  }));
}

TEST_CASE("folding: one rank writes a file every tenth step") {
  check_as_the_whole(program(4, 500, [](int rank, std::int64_t step, Calls& calls) {
    halo(rank, step, calls, 4);
    if (rank == 0 && step % 10 == 0) calls.push_back({Complete{}, 0.02});
  }));
}

TEST_CASE("folding: a pipeline of ranks, each in a step of its own") {
  check_as_the_whole(program(4, 400, [](int rank, std::int64_t /*step*/, Calls& calls) {
    if (rank > 0) calls.push_back({post(TransferKind::receive, rank - 1, 20'000, true), 1e-3});
    if (rank < 3) calls.push_back({post(TransferKind::send, rank + 1, 20'000, true), 2e-3});
    // The last one tells the first, so that nobody runs ahead.
    if (rank == 3) calls.push_back({post(TransferKind::send, 0, 8, true)});
    if (rank == 0) calls.push_back({post(TransferKind::receive, 3, 8, true)});
  }));
}

TEST_CASE("folding: two loops after one another are both folded") {
  const auto programs = program(3, 400, [](int rank, std::int64_t step, Calls& calls) {
    if (step < 200) {
      halo(rank, step, calls, 3);
    } else {
      calls.push_back({sum, 1e-3 * (rank + 1)});
    }
  });
  const ReplayResult whole = replay_on_switch(programs, all_iterations());
  const ReplayResult folded = replay_on_switch(programs);
  REQUIRE(folded.loops.size() == 2);
  CHECK(folded.loops[0].iterations == 200);
  CHECK(folded.loops[1].iterations >= 199);
  CHECK(folded.total_s == Approx(whole.total_s).epsilon(1e-5));
}

TEST_CASE("folding: a request that spans the loop is a reason to simulate the whole") {
  std::vector<Calls> all(2);
  for (int rank = 0; rank < 2; ++rank) {
    Calls& calls = all[static_cast<std::size_t>(rank)];
    calls.push_back({post(rank == 0 ? TransferKind::receive : TransferKind::send, 1 - rank, 1000)});
    for (int step = 0; step < 100; ++step)
      halo(rank, step, calls, 2);
    calls.push_back({Complete{1 + 4 * 100, 1}});
  }
  const ListedPrograms programs(std::move(all));
  const ReplayResult result = replay_on_switch(programs);
  CHECK(result.loops.empty());
  CHECK(result.total_s == replay_on_switch(programs, all_iterations()).total_s);
}

TEST_CASE("folding: a loop that sends what only the end receives is simulated as a whole") {
  std::vector<Calls> all(2);
  for (int step = 0; step < 50; ++step) {
    all[0].push_back({post(TransferKind::send, 1, 1000, true), 1e-3});
    all[1].push_back({sum, 1e-3});
    all[0].push_back({sum, 1e-3});
  }
  for (int step = 0; step < 50; ++step)
    all[1].push_back({post(TransferKind::receive, 0, 1000, true)});
  CHECK(replay_on_switch(ListedPrograms(std::move(all))).loops.empty());
}

TEST_CASE("folding: iterations that send ever more are simulated as a whole") {
  const auto programs = program(2, 60, [](int rank, std::int64_t step, Calls& calls) {
    const auto kind = rank == 0 ? TransferKind::send : TransferKind::receive;
    calls.push_back({post(kind, 1 - rank, 1000 * (step + 1), true)});
  });
  CHECK(replay_on_switch(programs).loops.empty());
}

TEST_CASE("folding: tags that count on are left out where receives are in the order of the sends") {
  check_as_the_whole(program(4, 300, [](int rank, std::int64_t step, Calls& calls) {
    const std::size_t first = calls.size();
    halo(rank, step, calls, 4);
    for (std::size_t call = first; call < calls.size(); ++call)
      if (auto* of_step = std::get_if<Post>(&calls[call].operation))
        of_step->tag = static_cast<std::int32_t>(step);
  }));
}

TEST_CASE("folding: tags that count on stay where they decide which receive takes a message") {
  // Two messages a step; the second one is received first.
  const auto programs = program(2, 60, [](int rank, std::int64_t step, Calls& calls) {
    for (int message = 0; message < 2; ++message) {
      const auto kind = rank == 0 ? TransferKind::send : TransferKind::receive;
      Post of_step = post(kind, 1 - rank, 1000);
      of_step.tag = static_cast<std::int32_t>(2 * step) + (rank == 0 ? message : 1 - message);
      calls.push_back({of_step, 1e-4});
    }
    calls.push_back({Complete{2, 2}});
    calls.push_back({sum});
  });
  CHECK(replay_on_switch(programs).loops.empty());
}

TEST_CASE("folding: ranks that wait for one another forever are an error, also after a loop") {
  auto step = halo_of(2);
  const auto programs = program(2, 100, [&](int rank, std::int64_t s, Calls& calls) {
    step(rank, s, calls);
    if (s == 99) calls.push_back({post(TransferKind::receive, 1 - rank, 8, true)});
  });
  CHECK_THROWS_WITH(replay_on_switch(programs),
                    Contains("wait for one another forever: rank 0 in MPI, rank 1 in MPI"));
}

TEST_CASE("folding: messages that nobody receives are counted, also after a loop") {
  const auto programs = program(2, 100, [](int rank, std::int64_t s, Calls& calls) {
    halo(rank, s, calls, 2);
    if (rank == 1 && s >= 97) calls.push_back({post(TransferKind::send, 0, 8, true)});
  });
  const ReplayResult result = replay_on_switch(programs);
  CHECK(result.loops.size() == 1);
  CHECK(result.unreceived.count == 3);
  CHECK(result.unreceived.sender == 1);
}

TEST_CASE("folding: where times are noisy, samples keep the waiting that means leave out") {
  // Ten ranks whose work is 1 ms +- 20 %: a step lasts as long as its slowest rank.
  std::mt19937 random(11);
  const auto programs = program(10, 4000, [&](int /*rank*/, std::int64_t /*step*/, Calls& calls) {
    calls.push_back({sum, 1e-3 * std::normal_distribution<>(1, 0.2)(random)});
  });
  const ReplayResult whole = replay_on_switch(programs, all_iterations());
  const ReplayResult folded = replay_on_switch(programs);
  REQUIRE(folded.loops.size() == 1);
  CHECK(folded.loops[0].is_sampled);
  CHECK(folded.loops[0].simulated == 128);
  // The mean of the largest of ten normal values is 1.54 standard deviations above theirs.
  CHECK(folded.loops[0].noise == Approx(1.54 * 0.2).epsilon(0.05));
  ReplayOptions with_means;
  with_means.compares_work = true;
  const ReplayResult compared = replay_on_switch(programs, with_means);
  CHECK(compared.total_s == folded.total_s);
  REQUIRE(compared.other_work_s);
  // Both have the time of the network.
  CHECK(compared.total_s - *compared.other_work_s ==
        Approx(4000 * 1e-3 * 1.54 * 0.2).margin(3 * folded.loops[0].standard_error_s));
  const double error_s = folded.loops[0].standard_error_s;
  CHECK(error_s < 0.02 * whole.total_s);
  CHECK(std::abs(folded.total_s - whole.total_s) < 3 * error_s);

  const ReplayResult undisturbed = replay_on_switch(programs, with_means, WorkTimes::undisturbed);
  CHECK(undisturbed.total_s == *compared.other_work_s);
  CHECK(*undisturbed.other_work_s == compared.total_s);
  CHECK_THAT(describe_variation(undisturbed), Contains("--work as-recorded"));
}

TEST_CASE("folding: a few heavy iterations count as often as there are, wherever they are") {
  // 1 ms a step, and in some steps 50 or 80 ms: rows of samples would miss them, or take each for many.
  using IsHeavy = bool (*)(std::int64_t step);
  const std::vector<std::pair<IsHeavy, double>> heavy{
      {[](std::int64_t step) { return step == 0; }, 1},
      {[](std::int64_t step) { return step == 1003; }, 1},
      {[](std::int64_t step) { return step >= 700 && step < 712; }, 12},
      {[](std::int64_t step) { return step % 200 == 77; }, 10},
      {[](std::int64_t step) { return step >= 1990; }, 10}};
  for (const auto& [is_heavy, count] : heavy) {
    std::mt19937 random(5);
    const auto programs = program(2, 2000, [&, is = is_heavy](int /*rank*/, std::int64_t step, Calls& calls) {
      const double usual_s = 1e-3 * std::uniform_real_distribution<>(0.95, 1.05)(random);
      calls.push_back({sum, is(step) ? (step % 3 == 0 ? 80e-3 : 50e-3) : usual_s});
    });
    const ReplayResult whole = replay_on_switch(programs, all_iterations());
    const ReplayResult folded = replay_on_switch(programs);
    REQUIRE(folded.loops.size() == 1);
    CHECK(folded.loops[0].is_sampled);
    CHECK(folded.loops[0].simulated < 200);
    CHECK(folded.total_s == Approx(whole.total_s).epsilon(0.01));
    CHECK(std::abs(folded.total_s - whole.total_s) < 4 * folded.loops[0].standard_error_s);
    CHECK(region_seconds(folded).at("compute")[0] ==
          Approx(region_seconds(whole).at("compute")[0]).epsilon(0.01));
  }
}

TEST_CASE("folding: heavy work that goes from rank to rank is the program's, and a single one is not") {
  const auto owners = [](std::int64_t every) {
    return program(4, 400, [every](int rank, std::int64_t step, Calls& calls) {
      const bool is_owner = step % every == 0 && rank == step / every % 4;
      calls.push_back({sum, is_owner ? 8e-3 : 1e-4 * static_cast<double>(1 + step % 2)});
    });
  };
  const ReplayResult moving = replay_on_switch(owners(1), {}, WorkTimes::undisturbed);
  const ReplayResult whole = replay_on_switch(owners(1), all_iterations());
  CHECK(moving.total_s == Approx(whole.total_s).epsilon(0.02));
  REQUIRE(moving.loops.size() == 1);
  CHECK_THAT(describe(moving.loops[0]), Contains("it stays as it was recorded"));
  // One step in a hundred on each rank: a recording is disturbed as often. 16 times 8 ms are left out.
  const ReplayResult seldom = replay_on_switch(owners(25), {}, WorkTimes::undisturbed);
  CHECK(replay_on_switch(owners(25), all_iterations()).total_s - seldom.total_s ==
        Approx(16 * 8e-3).epsilon(0.05));
}

TEST_CASE("folding: a heavy iteration of very many counts once in undisturbed work, wherever it is") {
  const auto with_heavy = [](std::int64_t heavy, double spread) {
    std::mt19937 random(11);
    return program(4, 10'000, [&](int /*rank*/, std::int64_t step, Calls& calls) {
      const double usual_s = 1e-4 * std::uniform_real_distribution<>(1 - spread, 1 + spread)(random);
      calls.push_back({sum, step == heavy ? 0.2 : usual_s});
    });
  };
  const double even_s = replay_on_switch(with_heavy(5'000, 0), all_iterations()).total_s;
  for (const std::int64_t heavy : {5'000, 4'996, 7'777})
    CHECK(replay_on_switch(with_heavy(heavy, 0.1), {}, WorkTimes::undisturbed).total_s ==
          Approx(even_s).epsilon(0.01));
}

TEST_CASE("folding: undisturbed work keeps what lasts, a rank that works more than the others") {
  std::mt19937 random(3);
  const auto programs = program(4, 1000, [&](int rank, std::int64_t /*step*/, Calls& calls) {
    calls.push_back({sum, (rank == 2 ? 2e-3 : 1e-3) * std::uniform_real_distribution<>(0.5, 1.5)(random)});
  });
  const ReplayResult undisturbed = replay_on_switch(programs, {}, WorkTimes::undisturbed);
  const double all_s = region_seconds(replay_on_switch(programs, all_iterations())).at("compute")[2];
  CHECK(region_seconds(undisturbed).at("compute")[2] == Approx(all_s).epsilon(0.03));
  CHECK(undisturbed.total_s < replay_on_switch(programs).total_s);
}

TEST_CASE("folding: mean work has what comes and goes, but nobody waits for it") {
  // 1 ms a step; two ranks are held up for 50 ms, each in a step of its own.
  const auto total_s = [](double more_s, WorkTimes work) {
    const auto programs = program(4, 1000, [=](int rank, std::int64_t step, Calls& calls) {
      const bool is_held_up = rank < 2 && step == 300 + 400 * rank;
      calls.push_back({sum, 1e-3 + (is_held_up ? more_s : 0)});
    });
    return replay_on_switch(programs, {}, work).total_s;
  };
  const double without_s = total_s(0, WorkTimes::as_recorded);
  CHECK(total_s(0.05, WorkTimes::as_recorded) == Approx(without_s + 2 * 0.05).epsilon(1e-3));
  // Up to the part of a sum that the other two ranks have done meanwhile.
  CHECK(total_s(0.05, WorkTimes::mean) == Approx(without_s + 0.05).margin(0.01));
  CHECK(total_s(0.05, WorkTimes::undisturbed) == Approx(without_s).epsilon(1e-3));
}

TEST_CASE("folding: work that no loop repeats stays as it was recorded, and that is said") {
  const auto programs = program(2, 1, [&](int /*rank*/, std::int64_t /*step*/, Calls& calls) {
    calls.push_back({sum, 1e-3});
  });
  const ReplayResult undisturbed = replay_on_switch(programs, {}, WorkTimes::undisturbed);
  REQUIRE(undisturbed.loops.empty());
  CHECK_THAT(describe_variation(undisturbed), Contains("no loop that all ranks have together"));
  CHECK(describe_variation(replay_on_switch(programs)).empty());
}

TEST_CASE("folding: work that varies within an iteration is noise, though the slowest rank's sum is even") {
  // Rank 0 works 4 ms a step in two parts, of 2 ms +- 20 %; the others 1.9 ms in each part.
  std::mt19937 random(7);
  const auto programs = program(3, 1000, [&](int rank, std::int64_t /*step*/, Calls& calls) {
    const double first_s = rank == 0 ? 2e-3 * std::uniform_real_distribution<>(0.8, 1.2)(random) : 1.9e-3;
    Collective second = sum;  // another one, so that a step is one iteration
    second.size_bytes = 16;
    calls.push_back({sum, first_s});
    calls.push_back({second, rank == 0 ? 4e-3 - first_s : 1.9e-3});
  });
  const ReplayResult whole = replay_on_switch(programs, all_iterations());
  const ReplayResult folded = replay_on_switch(programs);
  REQUIRE(folded.loops.size() == 1);
  CHECK(folded.loops[0].is_sampled);
  CHECK(folded.loops[0].noise == Approx(0).margin(1e-6));
  // In a part, rank 0 works less than 1.9 ms with probability 0.15 / 0.4, by 0.15 ms in the mean, and waits.
  // In two parts that is 2 * 0.15 ms * 0.15 / 0.4 = 0.11 ms a step.
  CHECK(whole.total_s > 1000 * (4e-3 + 0.1e-3));
  ReplayOptions with_means;
  with_means.compares_work = true;
  const ReplayResult compared = replay_on_switch(programs, with_means);
  REQUIRE(compared.other_work_s);
  CHECK(compared.total_s - *compared.other_work_s ==
        Approx(1000 * 0.11e-3).margin(3 * compared.loops[0].standard_error_s));
  CHECK_THAT(describe_variation(compared),
             Contains(fmt::format("times the {:.4g} s that usual work", *compared.other_work_s)));
  CHECK(std::abs(folded.total_s - whole.total_s) < 3 * folded.loops[0].standard_error_s);
}

TEST_CASE("folding: the same programs give the same digits") {
  std::mt19937 random(5);
  for (const double noise : {0., 0.1}) {
    const auto programs = program(5, 900, [&](int rank, std::int64_t step, Calls& calls) {
      halo(rank, step, calls, 5);
      calls.back().work_s *= std::normal_distribution<>(1, 1e-9 + noise)(random);
    });
    CHECK(replay_on_switch(programs).total_s == replay_on_switch(programs).total_s);
  }
}
