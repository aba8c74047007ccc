// SPDX-License-Identifier: MIT
#include "sim/pattern/loop_benchmark.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

constexpr const char* size_setting = "size";
constexpr const char* references_setting = "references";
constexpr std::int64_t most_references = std::int64_t{1} << 40;

std::int64_t size_of(const Problem& problem) {
  return number_of(problem, size_setting, 1);
}
std::int64_t references_of(const Problem& problem) {
  return number_of(problem, references_setting, 1, most_references);
}

class LoopPattern : public AddressedPattern {
 public:
  LoopPattern(const LoopBenchmark& benchmark, std::int64_t size) : benchmark_(benchmark), size_(size) {}

  std::string title() const override {
    return fmt::format("{}, {} {}", benchmark_.name, size_, benchmark_.counted);
  }
  std::string name() const override { return fmt::format("{}", size_); }

  Problem problem(int ranks, const Settings& given) const override {
    benchmark_.check(size_, ranks);
    const auto references = given.find(references_setting);
    Problem problem{benchmark_.name, {{size_setting, size_}, {references_setting, size_}}};
    if (references != given.end()) problem.settings[references_setting] = references->second;
    set_block_bytes(problem, given);
    references_of(problem);
    return problem;
  }

  Work work(const Run& run, int /*rank*/, int /*stage*/) const override {
    return benchmark_.work(size_, references_of(run.problem), run.ranks);
  }
  /// The work of each rank, in double words.
  std::vector<std::int64_t> worked_elements(const Run& run) const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks),
                                     work(run, 0, 0).memory_bytes / double_bytes);
  }
  std::optional<AccessLoop> loop(const Run& run, int /*rank*/, int /*stage*/) const override {
    return benchmark_.loop(size_, references_of(run.problem), run.ranks);
  }
  bool is_regular() const override { return benchmark_.is_regular; }
  bool writes(const Run& run) const override { return benchmark_.has_writes && run.ranks > 1; }
  void list(const Run& run, const OnAccess& visit) const override {
    for (int rank = 0; rank < run.ranks; ++rank)
      benchmark_.list(size_, references_of(run.problem), run.ranks, rank, visit);
  }

 private:
  const LoopBenchmark& benchmark_;
  std::int64_t size_;
};

class LoopKind : public NumberedKind {
 public:
  explicit LoopKind(LoopBenchmark benchmark)
      : NumberedKind(size_setting, benchmark.counted, 1, benchmark.most), benchmark_(std::move(benchmark)) {}

  std::string name() const override { return benchmark_.name; }
  int order() const override { return benchmark_.order; }
  std::string flag() const override { return benchmark_.name; }
  std::string flag_help() const override { return benchmark_.flag_help; }
  std::vector<Parameter> parameters() const override {
    return {{.name = references_setting,
             .label = "references",
             .help = "Guppie, stream-like, random-access: how many elements each rank refers to. Fish: with "
                     "how many bodies each body interacts. Default: the size",
             .is_axis = true},
            block_bytes_parameter()};
  }
  bool has_writes() const override { return benchmark_.has_writes; }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{} {}, {} references", size_of(problem), benchmark_.counted, references_of(problem));
  }
  std::string case_of(const Problem& problem) const override {
    return fmt::format("{} x {}", size_of(problem), references_of(problem));
  }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector<std::int64_t>(
        static_cast<std::size_t>(run.ranks),
        benchmark_.loop(size_of(run.problem), references_of(run.problem), run.ranks).iterations);
  }

 private:
  std::shared_ptr<const Pattern> of_number(std::int64_t number) const override {
    return std::make_shared<LoopPattern>(benchmark_, number);
  }

  LoopBenchmark benchmark_;
};

}  // namespace

std::unique_ptr<PatternKind> loop_benchmark_kind(LoopBenchmark benchmark) {
  return std::make_unique<LoopKind>(std::move(benchmark));
}

}  // namespace finegrain::pattern
