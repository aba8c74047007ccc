// SPDX-License-Identifier: MIT
#include "bench_traffic.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "../pattern/schedules.hpp"
#include "small_platform.hpp"

namespace finegrain {
namespace {

constexpr int neighbours = 26;
constexpr double message_bytes = 8192;
constexpr double work_bytes = 1e6;

Run run_of(int ranks) {
  Run run;
  run.ranks = ranks;
  run.ranks_per_node = ranks_of_node;
  return run;
}

Schedule spmv(const problem::EllpackView& matrix, int ranks, const std::string& policy) {
  Run run = run_of(ranks);
  const std::int64_t block_size = (matrix.rows + ranks - 1) / ranks;
  run.problem = problem::SpmvProblem{"", "", matrix.rows, matrix.r_nz, block_size};
  run.policy = policy;
  if (policy == "block") {
    run.transfer = Transfer::get;
    run.completion = Completion::each;
  }
  return spmv_schedule(matrix, run);
}

Schedule heat(int ranks) {
  Run run = run_of(ranks);
  int mprocs = 1;
  while (mprocs * mprocs < ranks)
    mprocs *= 2;
  run.problem = problem::HeatProblem{20'000, 20'000, mprocs, ranks / mprocs};
  run.policy = "condensed";
  run.transfer = Transfer::get;
  return heat_schedule(run);
}

}  // namespace

Schedule random_neighbours(int ranks, double spread) {
  std::mt19937 random(1);
  const auto about = [&](double value) {
    return static_cast<std::int64_t>(value *
                                     std::uniform_real_distribution<double>(1 - spread, 1 + spread)(random));
  };
  std::vector<std::vector<Post>> sends(static_cast<std::size_t>(ranks));
  std::vector<std::vector<Post>> receives(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < neighbours; ++i) {
      const int other = std::uniform_int_distribution(0, ranks - 2)(random);
      const int peer = other < rank ? other : other + 1;
      const std::int64_t size_bytes = about(message_bytes);
      sends[static_cast<std::size_t>(rank)].push_back(transfer(TransferKind::send, peer, size_bytes));
      receives[static_cast<std::size_t>(peer)].push_back(transfer(TransferKind::receive, rank, size_bytes));
    }
  }
  std::vector<Body> iterations;
  for (std::size_t rank = 0; rank < sends.size(); ++rank) {
    Body iteration = one_region(regions::receive, receives[rank]);
    iteration.add_region(regions::compute, Work{about(work_bytes)});
    iteration.begin_region(regions::send);
    for (const Post& message : sends[rank])
      iteration.add(message);
    iteration.add_region(regions::wait, Complete::all());
    iterations.push_back(std::move(iteration));
  }
  return schedule_of_ranks(std::move(iterations), ranks_of_node);
}

Schedule traffic_of(const std::string& traffic, const problem::EllpackView& matrix, int ranks) {
  if (traffic == "condensed") return spmv(matrix, ranks, "condensed");
  if (traffic == "block") return spmv(matrix, ranks, "block");
  if (traffic == "heat") return heat(ranks);
  return random_neighbours(ranks, traffic == "random" ? 0.2 : 0);
}

std::int64_t count_messages(const Schedule& schedule) {
  std::int64_t messages = 0;
  for (const Body& body : schedule.ranks) {
    for_each_post(body.operations, [&](const Post& post) {
      messages += post.kind == TransferKind::receive ? 0 : post.repeat;
    });
  }
  return messages;
}

}  // namespace finegrain
