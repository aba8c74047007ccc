// SPDX-License-Identifier: MIT
//
// Pattern "accesses": the accesses of other ranks' memory that a user's own program makes, from a file
// (docs/accesses-file.md). Between two sequence points the ranks read and write; at each point they all meet.
#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>

#include "sim/pattern/accesses_file.hpp"
#include "sim/pattern/addressed_accesses.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

class Accesses : public AddressedPattern {
 public:
  explicit Accesses(const std::string& file) : file_(file), summary_(read_accesses(file)) {
    const MappedFile mapped(file_);
    digest_ = fmt::format("{:016x}", XXH3_64bits(mapped.bytes().data(), mapped.bytes().size()));
  }

  std::string title() const override {
    return fmt::format("{} ({} accesses of {}, {} sequence points)", name(), summary_.lines,
                       format_count(summary_.ranks, "rank"), summary_.points);
  }
  std::string name() const override { return file_.filename().string(); }
  std::string digest() const override { return digest_; }

  std::optional<int> ranks(const Settings& /*given*/) const override { return summary_.ranks; }

  Problem problem(int ranks, const Settings& given) const override {
    if (ranks != summary_.ranks)
      throw InputError(
          file_.string(),
          fmt::format("names {}, and {} are asked for", format_count(summary_.ranks, "rank"), ranks),
          "Leave the number out");
    Problem problem{"accesses", {{"accesses", name()}}};
    set_block_bytes(problem, given);
    return problem;
  }

  int stages(const Run& /*run*/) const override { return summary_.points; }
  Work work(const Run& /*run*/, int /*rank*/, int /*stage*/) const override { return {}; }
  void list(const Run& /*run*/, const OnAccess& visit) const override { read_accesses(file_, visit); }
  bool writes(const Run& /*run*/) const override { return summary_.writes; }

 private:
  std::filesystem::path file_;
  AccessesSummary summary_;
  std::string digest_;
};

class AccessesKind : public PatternKind {
 public:
  std::string name() const override { return "accesses"; }
  int order() const override { return 2; }
  std::string flag() const override { return "accesses"; }
  std::string flag_help() const override {
    return "Instead: what your own program accesses, a file of lines "
           "rank,owner,address,bytes,read|write,point "
           "(docs/accesses-file.md)";
  }
  bool is_file() const override { return true; }
  std::vector<Parameter> parameters() const override { return {block_bytes_parameter()}; }
  bool has_accesses() const override { return true; }
  bool has_writes() const override { return true; }
  std::vector<Transfer> transfers() const override {
    return {Transfer::get, Transfer::put, Transfer::two_sided};
  }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& /*place*/) const override {
    return std::make_shared<Accesses>(text);
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& /*run*/, const std::string& text,
                                               const std::string& /*trace*/) const override {
    return text.empty() ? nullptr : open(text, "");
  }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{}, blocks of {}", text_of(problem, "accesses"),
                       format_count(block_bytes_of(problem), "byte"));
  }
  std::string case_of(const Problem& problem) const override {
    return fmt::format("{} B", block_bytes_of(problem));
  }
  /// The file says what ranks access, not how many elements they have: each rank counts as one element.
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(run.ranks), 1);
  }
  model::ElementWork element_work(const Problem& problem) const override {
    return {.bytes = 0,
            .text = "0",
            .counted = "of the file's own work, which it does not name",
            .block_elements = values_of(block_bytes_of(problem))};
  }
};

}  // namespace

const PatternKind& accesses_pattern() {
  static const AccessesKind kind;
  return kind;
}

}  // namespace finegrain::pattern
