// SPDX-License-Identifier: MIT
#include "sim/pattern/microbenchmark.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t most_accesses = 1'000'000'000;
constexpr std::int64_t usual_words = 16'384;

bool writes_of(const Problem& problem) {
  return text_of(problem, "access") == "write";
}

class MicrobenchmarkPattern : public OwnAccessPattern {
 public:
  MicrobenchmarkPattern(const Microbenchmark& benchmark, std::int64_t accesses)
      : benchmark_(benchmark), accesses_(accesses) {}

  std::string title() const override {
    return fmt::format("{}: {} accesses of each rank", benchmark_.name, accesses_);
  }
  std::string name() const override { return fmt::format("{}", accesses_); }

  Problem problem(int ranks, const Settings& given) const override {
    Problem problem{benchmark_.name,
                    {{"accesses", accesses_}, {"access", std::string("read")}, {"words", usual_words}}};
    for (const char* name : {"access", "words"})
      if (const auto found = given.find(name); found != given.end()) problem.settings[name] = found->second;
    for (const Parameter& parameter : benchmark_.parameters) {
      const auto found = given.find(parameter.name);
      problem.settings[parameter.name] = found == given.end() ? *parameter.usual : found->second;
    }
    set_block_bytes(problem, given);
    const Run run{.problem = problem, .policy = "", .ranks = ranks};
    words(run);
    if (ranks == 1) refuse_one_rank(run);
    return problem;
  }

  OwnAccesses own_accesses(const Run& run, int rank) const override {
    std::int64_t count = 0;
    benchmark_.words_of(run, rank, accesses_, words(run), [&](Word word) { count += word.owner == rank; });
    return writes(run) ? OwnAccesses{.writes = count} : OwnAccesses{.reads = count};
  }
  bool writes(const Run& run) const override { return writes_of(run.problem); }
  std::optional<std::int64_t> owned_bytes(const Run& run, int /*rank*/) const override {
    return words(run) * double_bytes;
  }

  void list(const Run& run, const OnAccess& visit) const override {
    const bool writes = writes_of(run.problem);
    for (int rank = 0; rank < run.ranks; ++rank) {
      benchmark_.words_of(run, rank, accesses_, words(run), [&](Word word) {
        visit({.rank = rank,
               .owner = word.owner,
               .address = word.number * double_bytes,
               .size_bytes = static_cast<std::int32_t>(double_bytes),
               .writes = writes});
      });
    }
  }

 private:
  static std::int64_t words(const Run& run) {
    return number_of(run.problem, "words", 1, std::int64_t{1} << 40);
  }
  /// @throws InputError if the benchmark accesses other ranks, of which there are none
  void refuse_one_rank(const Run& run) const {
    benchmark_.words_of(run, 0, 1, 1, [&](Word word) {
      if (word.owner == 0) return;
      throw InputError("ranks", fmt::format("{} accesses other ranks' memory, and there is one rank", name()),
                       "Give 2 or more");
    });
  }

  const Microbenchmark& benchmark_;  ///< the kind's, which lives as long as the process
  std::int64_t accesses_;
};

class MicrobenchmarkKind : public NumberedKind {
 public:
  explicit MicrobenchmarkKind(Microbenchmark benchmark)
      : NumberedKind("accesses", "accesses", 1, most_accesses), benchmark_(std::move(benchmark)) {}

  std::string name() const override { return benchmark_.name; }
  int order() const override { return benchmark_.order; }
  std::string flag() const override { return benchmark_.name + "-accesses"; }
  std::string flag_help() const override {
    return "Instead: each rank accesses " + benchmark_.help + ", this many times (docs/patterns.md)";
  }
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all{
        {.name = "access",
         .label = "",
         .help = "Microbenchmarks: each access is a read or a write. Default: read",
         .words = {"read", "write"}},
        {.name = "words",
         .label = "",
         .help = "Microbenchmarks: double words of each rank's part of the array. Default: 16384"},
        block_bytes_parameter()};
    all.insert(all.end(), benchmark_.parameters.begin(), benchmark_.parameters.end());
    return all;
  }
  bool has_writes() const override { return true; }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{} {}s of each rank, {} words a rank", number_of(problem, "accesses", 1),
                       text_of(problem, "access"), number_of(problem, "words", 1));
  }
  std::string case_of(const Problem& problem) const override { return text_of(problem, "access"); }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks), number_of(run.problem, "words", 1));
  }

 private:
  std::shared_ptr<const Pattern> of_number(std::int64_t number) const override {
    return std::make_shared<MicrobenchmarkPattern>(benchmark_, number);
  }

  Microbenchmark benchmark_;
};

}  // namespace

std::unique_ptr<PatternKind> microbenchmark_kind(Microbenchmark benchmark) {
  return std::make_unique<MicrobenchmarkKind>(std::move(benchmark));
}

}  // namespace finegrain::pattern
