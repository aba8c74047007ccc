// SPDX-License-Identifier: MIT
//
// Pattern "npb-is": IS of the NAS Parallel Benchmarks (NAS-95-020; is.c of NPB 3.4, MPI), a bucket sort. In
// an iteration each rank counts its keys by bucket and puts them in order of their buckets; the ranks add up
// the counts (an allreduce), deal out the buckets, tell each other how many keys they send (an alltoall),
// send them (an alltoallv), and count what they got.
//
// The keys are those of the benchmark, made by its generator, so that what each rank sends is exact, except
// for two keys that the benchmark changes in each iteration.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sim/pattern/collective_pattern.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/on_threads.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

/// A problem size. Source: NPB 3.4, is.c
struct NpbIsClass {
  std::string name;
  int log_keys;
  int log_largest_key;
  int log_buckets;
  int least_ranks;
  int most_ranks;

  std::int64_t keys() const { return std::int64_t{1} << log_keys; }
  std::int64_t buckets() const { return std::int64_t{1} << log_buckets; }
  /// Values that a key of one bucket may have.
  std::int64_t bucket_range() const { return std::int64_t{1} << (log_largest_key - log_buckets); }
};

const NpbIsClass& npb_is_class(const std::string& name, const std::string& place) {
  static const std::array<NpbIsClass, 6> all{{{"S", 16, 11, 9, 1, 128},
                                              {"W", 20, 16, 10, 1, 1024},
                                              {"A", 23, 19, 10, 1, 1024},
                                              {"B", 25, 21, 10, 1, 1024},
                                              {"C", 27, 23, 10, 1, 1024},
                                              {"D", 31, 27, 10, 4, 1024}}};
  const auto found = std::ranges::find(all, name, &NpbIsClass::name);
  if (found != all.end()) return *found;
  throw InputError(place, fmt::format("'{}' is no class of NPB's IS", name), "Use S, W, A, B, C or D");
}

/// Counts of keys by rank and bucket. Shape [ranks][buckets]
using KeysOfBuckets = std::vector<std::vector<std::int64_t>>;

/// Each key is the sum of four random numbers x 5^13 mod 2^46 in a row, scaled to the largest key.
KeysOfBuckets keys_of_buckets(const NpbIsClass& of_class, int ranks) {
  constexpr std::uint64_t multiplier = 1'220'703'125;  // 5^13
  constexpr int random_bits = 46;
  constexpr std::uint64_t mask = (std::uint64_t{1} << random_bits) - 1;  // overflow changes no lower bits
  constexpr int numbers_of_a_key = 4;
  const std::int64_t keys = of_class.keys() / ranks;
  std::uint64_t jump = multiplier;  // skips one rank's numbers, a power of two
  for (std::int64_t numbers = keys * numbers_of_a_key; numbers > 1; numbers /= 2)
    jump = jump * jump & mask;
  std::vector<std::uint64_t> starts;
  std::uint64_t start = 314'159'265;
  for (int rank = 0; rank < ranks; ++rank) {
    starts.push_back(start);
    start = start * jump & mask;
  }
  // The sum is below 4 * 2^46, and this range is divided into 2^log_buckets buckets.
  const int shift = random_bits + 2 - of_class.log_buckets;
  KeysOfBuckets counts(static_cast<std::size_t>(ranks),
                       std::vector<std::int64_t>(static_cast<std::size_t>(of_class.buckets())));
  const int threads = std::min(ranks, all_cores());
  on_threads(threads, [&](int thread) {
    for (int rank = thread; rank < ranks; rank += threads) {
      std::vector<std::int64_t>& of_rank = counts[static_cast<std::size_t>(rank)];
      std::uint64_t random = starts[static_cast<std::size_t>(rank)];
      for (std::int64_t key = 0; key < keys; ++key) {
        std::uint64_t sum = 0;
        for (int number = 0; number < numbers_of_a_key; ++number)
          sum += random = random * multiplier & mask;
        ++of_rank[sum >> shift];
      }
    }
  });
  return counts;
}

/// The buckets after each rank's last one: a rank takes buckets until it and those before it have their
/// share of all keys. Ranks that are left over get none. Shape [ranks]
std::vector<std::int64_t> ends_of_ranks(const KeysOfBuckets& counts, const NpbIsClass& of_class) {
  const auto ranks = static_cast<std::int64_t>(counts.size());
  std::vector<std::int64_t> ends;
  std::int64_t keys = 0;
  for (std::int64_t bucket = 0; bucket < of_class.buckets(); ++bucket) {
    for (const auto& of_rank : counts)
      keys += of_rank[static_cast<std::size_t>(bucket)];
    if (keys >= (std::ssize(ends) + 1) * (of_class.keys() / ranks)) ends.push_back(bucket + 1);
  }
  ends.resize(counts.size(), of_class.buckets());
  return ends;
}

class NpbIs : public CollectivePattern {
 public:
  explicit NpbIs(const NpbIsClass& of_class) : class_(of_class) {}

  std::string title() const override { return "NPB IS, class " + class_.name; }
  std::string name() const override { return class_.name; }

  Problem problem(int ranks, const Settings& /*given*/) const override {
    if (ranks < class_.least_ranks || ranks > class_.most_ranks ||
        !std::has_single_bit(static_cast<unsigned>(ranks)))
      throw InputError("ranks",
                       fmt::format("{} ranks (NPB's IS of class {} runs on a power of two from {} to {})",
                                   ranks, class_.name, class_.least_ranks, class_.most_ranks),
                       "Give such a number");
    return {"npb-is", {{"class", class_.name}}};
  }

  int stages(const Run& /*run*/) const override { return 3; }

  std::vector<std::vector<CollectiveStage>> collective_stages(const Run& run) const override {
    const KeysOfBuckets counts = keys_of_buckets(class_, run.ranks);
    const std::vector<std::int64_t> ends = ends_of_ranks(counts, class_);
    const auto ranks = static_cast<std::size_t>(run.ranks);
    // Keys are read to be counted, then read again and written into their buckets.
    const CollectiveStage counted{.before = {3 * class_.keys() / run.ranks * int_bytes},
                                  .operation = {.kind = CollectiveKind::allreduce,
                                                .element_bytes = static_cast<std::int32_t>(int_bytes),
                                                .size_bytes = (class_.buckets() + tested_keys) * int_bytes}};
    const CollectiveStage told{.operation = {.kind = CollectiveKind::alltoall,
                                             .element_bytes = static_cast<std::int32_t>(int_bytes),
                                             .size_bytes = int_bytes}};
    const CollectiveStage sent{.operation = {.kind = CollectiveKind::alltoallv,
                                             .element_bytes = static_cast<std::int32_t>(int_bytes),
                                             .size_bytes = class_.keys() / run.ranks * int_bytes},
                               .sizes = std::vector<std::int64_t>(2 * ranks)};
    std::vector<std::vector<CollectiveStage>> all(ranks, {counted, told, sent});
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::int64_t first = to == 0 ? 0 : ends[to - 1];
      std::int64_t received = 0;
      for (std::size_t from = 0; from < ranks; ++from) {
        std::int64_t keys = 0;
        for (std::int64_t bucket = first; bucket < ends[to]; ++bucket)
          keys += counts[from][static_cast<std::size_t>(bucket)];
        all[from].back().sizes[to] = keys * int_bytes;
        all[to].back().sizes[ranks + from] = keys * int_bytes;
        received += keys;
      }
      // For each value that a key may have, a counter is cleared, and later read and written when the
      // counters are added up. Each key is read, and its counter is read and written.
      const std::int64_t values = (ends[to] - first) * class_.bucket_range();
      all[to].back().after = {(3 * values + 3 * received) * int_bytes};
    }
    return all;
  }

 private:
  static constexpr std::int64_t tested_keys = 5;  ///< keys to check, which travel with the counts

  NpbIsClass class_;
};

class NpbIsKind : public CollectivePatternKind {
 public:
  std::string name() const override { return "npb-is"; }
  int order() const override { return 22; }
  std::string flag() const override { return "npb-is"; }
  std::string flag_help() const override { return "Instead: NPB's IS, of class S, W, A, B, C or D"; }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const override {
    return std::make_shared<NpbIs>(npb_is_class(text, place));
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override {
    refuse_text(*this, text, trace);
    return std::make_shared<NpbIs>(class_of(run.problem));
  }

  std::string describe(const Problem& problem) const override {
    const NpbIsClass& of_class = class_of(problem);
    return fmt::format("class {}, {} keys", of_class.name, of_class.keys());
  }
  std::string case_of(const Problem& problem) const override { return "class " + class_of(problem).name; }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector(static_cast<std::size_t>(run.ranks), class_of(run.problem).keys() / run.ranks);
  }
  /// The keys, the keys in order of their buckets (later the counters), and the received keys. Each array has
  /// room for more keys than a rank has, by a factor that grows with the number of ranks. Source: is.c
  std::vector<MemoryUse> arrays(const Run& run) const override {
    const std::int64_t halves = run.ranks < 256 ? 3 : run.ranks < 512 ? 5 : run.ranks < 1024 ? 8 : 13;
    MemoryUse use{"", elements_of_ranks(run)};
    for (std::int64_t& bytes : use.ranks_bytes)
      bytes = halves * bytes / 2 * int_bytes;
    return {
        {"keys", use.ranks_bytes}, {"keys by bucket", use.ranks_bytes}, {"keys received", use.ranks_bytes}};
  }
  model::ElementWork element_work(const Problem& /*problem*/) const override {
    return {static_cast<double>(3 * int_bytes), "3 sizeof(int)", "keys"};
  }

 private:
  static const NpbIsClass& class_of(const Problem& problem) {
    return npb_is_class(text_of(problem, "class"), "problem");
  }
};

}  // namespace

const PatternKind& npb_is_pattern() {
  static const NpbIsKind kind;
  return kind;
}

}  // namespace finegrain::pattern
