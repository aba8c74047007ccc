// SPDX-License-Identifier: MIT
//
// Pattern "histogram": every rank increments elements of a shared array that it chooses at random (Zhang &
// Seidel 2006, section 5.1):
//
//     shared int array[N];
//     for (i = 0; i < N * percentage; i++) array[loc]++;    // loc: a random number, computed before
//     upc_barrier;
//
// The array is dealt out element by element. Each increment is a read and a write of one element.
#include <fmt/format.h>

#include <random>

#include "sim/pattern/addressed_accesses.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t most_histogram_elements = std::int64_t{1} << 32;
constexpr std::int64_t usual_histogram_percent = 50;

struct HistogramSize {
  std::int64_t elements;
  std::int64_t updates;  ///< each rank's
};

HistogramSize histogram_size(const Problem& problem) {
  const std::int64_t elements = number_of(problem, "elements", 1, most_histogram_elements);
  const std::int64_t percent = number_of(problem, "percent", 1, 100);
  return {elements, (elements * percent + 99) / 100};
}

/// Calls visit(element) for each update of a rank. The elements are the same on every computer.
template <class Visit>
void for_each_histogram_update(const Run& run, int rank, Visit&& visit) {
  const auto [elements, updates] = histogram_size(run.problem);
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  for (std::int64_t update = 0; update < updates; ++update)
    visit(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(elements)));
}

OwnAccesses histogram_own_accesses(const Run& run, int rank) {
  OwnAccesses own;
  for_each_histogram_update(run, rank, [&](std::int64_t element) {
    if (element % run.ranks != rank) return;
    ++own.reads;
    ++own.writes;
  });
  return own;
}

class Histogram : public OwnAccessPattern {
 public:
  explicit Histogram(std::int64_t elements) : elements_(elements) {}

  std::string title() const override { return fmt::format("histogram of {} elements", elements_); }
  std::string name() const override { return fmt::format("{}", elements_); }

  Problem problem(int /*ranks*/, const Settings& given) const override {
    const auto percent = given.find("percent");
    Problem problem{"histogram", {{"elements", elements_}, {"percent", usual_histogram_percent}}};
    if (percent != given.end()) problem.settings["percent"] = percent->second;
    set_block_bytes(problem, given);
    histogram_size(problem);
    return problem;
  }

  OwnAccesses own_accesses(const Run& run, int rank) const override {
    return histogram_own_accesses(run, rank);
  }
  bool writes(const Run& run) const override { return run.ranks > 1; }

  void list(const Run& run, const OnAccess& visit) const override {
    for (int rank = 0; rank < run.ranks; ++rank) {
      for_each_histogram_update(run, rank, [&](std::int64_t element) {
        const auto owner = static_cast<std::int32_t>(element % run.ranks);
        if (owner == rank) return;
        AddressedAccess access{.rank = rank,
                               .owner = owner,
                               .address = element / run.ranks * int_bytes,
                               .size_bytes = int_bytes};
        visit(access);
        access.writes = true;
        visit(access);
      });
    }
  }

 private:
  std::int64_t elements_;
};

class HistogramKind : public NumberedKind {
 public:
  HistogramKind() : NumberedKind("elements", "elements", 1, most_histogram_elements) {}

  std::string name() const override { return "histogram"; }
  int order() const override { return 3; }
  std::string flag() const override { return "histogram"; }
  std::string flag_help() const override {
    return "Instead: ranks increment random elements of a shared array of this many elements "
           "(docs/patterns.md)";
  }
  std::vector<Parameter> parameters() const override {
    return {{.name = "percent",
             .label = "percent",
             .help = "Histogram: how many increments each rank does, in percent of the number of elements, 1 "
                     "to 100. Default: 50"},
            block_bytes_parameter()};
  }
  bool has_writes() const override { return true; }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{} elements, {} increments of each rank", histogram_size(problem).elements,
                       histogram_size(problem).updates);
  }
  std::string case_of(const Problem& problem) const override {
    return fmt::format("{}%", number_of(problem, "percent", 1, 100));
  }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    const std::int64_t elements = histogram_size(run.problem).elements;
    std::vector<std::int64_t> owned;
    for (int rank = 0; rank < run.ranks; ++rank)
      owned.push_back((elements - rank + run.ranks - 1) / run.ranks);
    return owned;
  }
  /// The increments are the only references, of the kind baseline-local; each is a read and a write. The
  /// local and the remote shares are the expected ones.
  std::vector<model::Partition> partitions(const Run& run,
                                           model::ReferencePattern /*unit_stride*/) const override {
    const std::int64_t updates = histogram_size(run.problem).updates;
    const std::int64_t local = (updates + run.ranks / 2) / run.ranks;
    return {{.references = "array[loc], read", .local = local, .remote = updates - local},
            {.references = "array[loc], written", .writes = true, .local = local, .remote = updates - local}};
  }

 private:
  std::shared_ptr<const Pattern> of_number(std::int64_t number) const override {
    return std::make_shared<Histogram>(number);
  }
};

}  // namespace

const PatternKind& histogram_pattern() {
  static const HistogramKind kind;
  return kind;
}

}  // namespace finegrain::pattern
