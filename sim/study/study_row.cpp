// SPDX-License-Identifier: MIT
#include "sim/study/study_row.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "kernels/problem/placement.hpp"
#include "sim/schedule/idle_ranks.hpp"

namespace finegrain {
namespace {

Cell text_or_none(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}
Cell count_or_none(std::int64_t count) {
  return count == 0 ? Cell() : Cell(count);
}
Cell name(std::string_view name) {
  return std::string(name);
}

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  return "";
}

}  // namespace

std::vector<Cell> input_row(const StudyPoint& point, const StudyFile& study, const StudyInputs& inputs) {
  const Run& run = point.run;
  const StudyMachine& machine = inputs.machines[point.machine];
  const std::size_t problem = point.position(Axis::problem);
  const auto* spmv = std::get_if<SpmvProblem>(&run.problem);
  const auto* heat = std::get_if<HeatProblem>(&run.problem);
  return {point.number,
          name(study.heat ? "heat" : "spmv"),
          study.heat ? study.problems[problem] : inputs.matrices[problem].name(),
          study.heat ? Cell() : Cell(inputs.matrices[problem].digest()),
          name(to_string(run.policy)),
          name(to_string(run.transfer)),
          name(to_string(run.completion)),
          count_or_none(run.ranks),
          count_or_none(run.ranks_per_node),
          run.ranks == 0 ? Cell() : Cell(std::int64_t{Placement(run.ranks, run.ranks_per_node).nodes()}),
          point.infeasible.empty() ? Cell(static_cast<std::int64_t>(idle_ranks(run).size())) : Cell(),
          name(to_string(point.placement)),
          std::int64_t{run.threads_per_rank},
          spmv == nullptr ? Cell() : count_or_none(spmv->block_size),
          heat == nullptr ? Cell() : count_or_none(heat->mprocs),
          heat == nullptr ? Cell() : count_or_none(heat->nprocs),
          run.iterations,
          machine.platform.name,
          machine.digest,
          text_or_none(machine.changes),
          text_or_none(point.infeasible)};
}

std::string digest_of(const std::vector<std::vector<Cell>>& rows) {
  std::string text;
  for (const std::vector<Cell>& row : rows)
    for (const Cell& cell : row)
      text += text_of(cell) + '\n';
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::int64_t digest_of(const std::vector<Cell>& row) {
  std::string text;
  const auto add = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const Cell& cell : row) {
    add(cell.index());
    if (const auto* words = std::get_if<std::string>(&cell)) {
      add(words->size());
      text += *words;
    } else if (const auto* count = std::get_if<std::int64_t>(&cell)) {
      add(*count);
    } else if (const auto* number = std::get_if<double>(&cell)) {
      add(*number + 0.0);  // SQLite keeps -0 as 0
    }
  }
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace finegrain
