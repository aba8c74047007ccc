// SPDX-License-Identifier: MIT
//
// Pattern "npb-ft": FT of the NAS Parallel Benchmarks (NAS-95-020; ft.f90 of NPB 3.4, MPI). The grid of
// complex numbers is cut along z into slabs, one a rank. An iteration evolves the spectrum by one time step,
// transforms it back along z, transposes it so that each rank has a slab of whole x-y planes (an alltoall),
// transforms along y and x, and adds up a checksum at rank 0.
//
// FT starts with one more transform, which is not part of an iteration. Adding up the 1,024 numbers of a
// checksum is not charged.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sim/pattern/collective_pattern.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t complex_bytes = 2 * double_bytes;

/// A problem size. Source: NPB 3.4, npbparams.h
struct NpbFtClass {
  std::string name;
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;

  std::int64_t points() const { return x * y * z; }
};

const NpbFtClass& npb_ft_class(const std::string& name, const std::string& place) {
  static const std::array<NpbFtClass, 6> all{{{"S", 64, 64, 64},
                                              {"W", 128, 128, 32},
                                              {"A", 256, 256, 128},
                                              {"B", 512, 256, 256},
                                              {"C", 512, 512, 512},
                                              {"D", 2048, 1024, 1024}}};
  const auto found = std::ranges::find(all, name, &NpbFtClass::name);
  if (found != all.end()) return *found;
  throw InputError(place, fmt::format("'{}' is no class of NPB's FT", name), "Use S, W, A, B, C or D");
}

class NpbFt : public CollectivePattern {
 public:
  explicit NpbFt(const NpbFtClass& of_class) : class_(of_class) {}

  std::string title() const override { return "NPB FT, class " + class_.name; }
  std::string name() const override { return class_.name; }

  Problem problem(int ranks, const Settings& /*given*/) const override {
    if (ranks < 1 || !std::has_single_bit(static_cast<unsigned>(ranks)))
      throw InputError("ranks", fmt::format("{} ranks (NPB's FT runs on a power of two)", ranks),
                       "Give 1, 2, 4, 8, ...");
    if (ranks > class_.z)
      throw InputError("ranks",
                       fmt::format("{} ranks for the {} planes of class {} (each needs one: grids that are "
                                   "cut along two sides are not modelled)",
                                   ranks, class_.z, class_.name),
                       fmt::format("Give {} or fewer", class_.z));
    return {"npb-ft", {{"class", class_.name}}};
  }

  int stages(const Run& /*run*/) const override { return 2; }

  /// All ranks do the same.
  std::vector<std::vector<CollectiveStage>> collective_stages(const Run& run) const override {
    const std::int64_t points = class_.points() / run.ranks;
    const Work pass{2 * points * complex_bytes};  // each number read and written
    // The spectrum and its factors are read; the spectrum and the array to be transformed are written. Then
    // comes the transform along z.
    CollectiveStage transposed{.before = {points * (3 * complex_bytes + double_bytes) + pass.memory_bytes},
                               .operation = {.kind = CollectiveKind::alltoall,
                                             .element_bytes = static_cast<std::int32_t>(complex_bytes),
                                             .size_bytes = points / run.ranks * complex_bytes},
                               .after = {2 * pass.memory_bytes}};
    if (run.ranks > 1) transposed.pack = transposed.unpack = pass;
    const CollectiveStage summed{.operation = {.kind = CollectiveKind::reduce,
                                               .element_bytes = static_cast<std::int32_t>(complex_bytes),
                                               .size_bytes = complex_bytes}};
    return std::vector(static_cast<std::size_t>(run.ranks), std::vector{transposed, summed});
  }

 private:
  NpbFtClass class_;
};

class NpbFtKind : public CollectivePatternKind {
 public:
  std::string name() const override { return "npb-ft"; }
  int order() const override { return 21; }
  std::string flag() const override { return "npb-ft"; }
  std::string flag_help() const override { return "Instead: NPB's FT, of class S, W, A, B, C or D"; }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const override {
    return std::make_shared<NpbFt>(npb_ft_class(text, place));
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override {
    refuse_text(*this, text, trace);
    return std::make_shared<NpbFt>(class_of(run.problem));
  }

  std::string describe(const Problem& problem) const override {
    const NpbFtClass& of_class = class_of(problem);
    return fmt::format("class {}, {} x {} x {} points", of_class.name, of_class.x, of_class.y, of_class.z);
  }
  std::string case_of(const Problem& problem) const override { return "class " + class_of(problem).name; }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector(static_cast<std::size_t>(run.ranks), class_of(run.problem).points() / run.ranks);
  }
  /// The spectrum, the two arrays that the transform works in, and the factors of a time step.
  std::vector<MemoryUse> arrays(const Run& run) const override {
    const auto array = [&](const char* what, std::int64_t bytes_a_point) {
      MemoryUse use{what, elements_of_ranks(run)};
      for (std::int64_t& bytes : use.ranks_bytes)
        bytes *= bytes_a_point;
      return use;
    };
    return {array("u0", complex_bytes), array("u1", complex_bytes), array("u2", complex_bytes),
            array("factors", double_bytes)};
  }
  model::ElementWork element_work(const Problem& /*problem*/) const override {
    return {static_cast<double>(9 * complex_bytes + double_bytes), "9 sizeof(complex) + sizeof(double)",
            "points"};
  }

 private:
  static const NpbFtClass& class_of(const Problem& problem) {
    return npb_ft_class(text_of(problem, "class"), "problem");
  }
};

}  // namespace

const PatternKind& npb_ft_pattern() {
  static const NpbFtKind kind;
  return kind;
}

}  // namespace finegrain::pattern
