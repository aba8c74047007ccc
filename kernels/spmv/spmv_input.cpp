// SPDX-License-Identifier: MIT
#include "kernels/spmv/spmv_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/problem/spmv_problem.hpp"
#include "kernels/run/together.hpp"

namespace finegrain::kernels {
namespace {

std::vector<Block> blocks_of(const problem::Distribution& distribution, int rank) {
  std::vector<Block> blocks;
  std::int64_t local_begin = 0;
  for (std::int64_t block = rank; block < distribution.blocks(); block += distribution.ranks()) {
    blocks.push_back({distribution.block_begin(block), local_begin, distribution.block_length(block)});
    local_begin += blocks.back().length;
  }
  return blocks;
}

/// x after this number of iterations, computed by one rank alone.
std::vector<double> solve_alone(const problem::EllpackView& matrix, std::int64_t iterations) {
  std::vector<double> x(static_cast<std::size_t>(matrix.rows));
  for (std::int64_t element = 0; element < matrix.rows; ++element)
    x[element] = start_value(element);
  std::vector<double> y(x.size());
  for (std::int64_t i = 0; i < iterations; ++i) {
    multiply(matrix, x, y);
    std::swap(x, y);
  }
  return x;
}

}  // namespace

SpmvOptions parse_spmv_options(const Session& session, const char* description, int argc, char** argv,
                               const std::vector<std::string>& completions, const std::vector<Option>& own) {
  SpmvOptions options;
  std::vector<Option> all{{.flag = "--matrix",
                           .value = &options.matrix,
                           .help = "matrix file, as finegrain mesh makes it",
                           .required = true},
                          {"--blocksize", &options.block_size,
                           "BLOCKSIZE: consecutive rows with one owner (default: one block a rank)"}};
  all.insert(all.end(), own.begin(), own.end());
  parse_kernel_options(session, description, all, options, completions, argc, argv);
  return options;
}

SpmvInput open_input(const Session& session, const SpmvOptions& options) {
  problem::MatrixFile file = together(session, [&] { return problem::MatrixFile(options.matrix); });
  together(session, [&] {
    // Damaged values would give a wrong product, and the check would agree with it. One rank of each node
    // reads them all.
    if (session.rank() == session.first_on_node()) file.verify_values();
  });
  const std::int64_t rows = file.view().rows;
  const problem::Distribution distribution = together(session, [&] {
    return problem::Distribution(
        rows, session.ranks(),
        options.block_size.value_or(problem::one_block_per_rank(rows, session.ranks())));
  });
  return {std::move(file), distribution, blocks_of(distribution, session.rank())};
}

KernelRun describe(const SpmvInput& input, const std::string& kernel, const std::string& policy,
                   Transfer transfer, Completion completion) {
  const problem::EllpackView& matrix = input.file.view();
  const std::int64_t block_size = input.distribution.block_size();
  return {
      .name = kernel,
      .problem_text = fmt::format("{}, {} rows, BLOCKSIZE {}", input.file.name(), matrix.rows, block_size),
      .problem =
          problem::SpmvProblem{input.file.name(), input.file.digest(), matrix.rows, matrix.r_nz, block_size},
      .policy = policy,
      .transfer = transfer,
      .completion = completion,
      // 2 operations for each off-diagonal entry, 2 for the diagonal one.
      .flops_per_iteration = static_cast<double>(matrix.rows) * (2.0 * matrix.r_nz + 2.0)};
}

double start_value(std::int64_t element) {
  return 1.0 + static_cast<double>(element * 7919 % 1024) / 1024.0;
}

void set_start_values(const SpmvInput& input, double* x) {
#pragma omp parallel
  for (const Block& block : input.own_blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k)
      x[block.local_begin + k] = start_value(block.global_begin + k);
  }
}

CheckResult check_against_sequential(const Session& session, const SpmvInput& input, std::int64_t iterations,
                                     std::span<const double> x) {
  const std::vector<double> solution = together(session, [&] {
    return session.is_first() ? solve_alone(input.file.view(), iterations) : std::vector<double>();
  });
  constexpr std::int64_t most_at_once = 1 << 16;
  std::vector<double> part(static_cast<std::size_t>(std::min(most_at_once, input.distribution.size())));
  RoundOffCheck round_off;
  for (std::int64_t first = 0; first < input.distribution.size(); first += most_at_once) {
    part.resize(static_cast<std::size_t>(std::min(most_at_once, input.distribution.size() - first)));
    if (session.is_first()) std::copy_n(solution.begin() + first, part.size(), part.begin());
    session.broadcast(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::int64_t element = first + static_cast<std::int64_t>(i);
      if (input.distribution.owner(element) == session.rank())
        round_off.compare(x.subspan(static_cast<std::size_t>(input.local_index(element)), 1), {&part[i], 1});
    }
  }
  return round_off.finish(session);
}

}  // namespace finegrain::kernels
