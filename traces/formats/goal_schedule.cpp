// SPDX-License-Identifier: MIT
#include "traces/formats/goal_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

constexpr std::string_view blanks = " \t\r";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Cuts words off a line: a number, a name, or one other character. "8b" is a number and a name.
class GoalLine {
 public:
  GoalLine(std::string_view text, std::string_view file, std::size_t number)
      : text_(text), file_(file), number_(number) {
    skip_blanks();
  }

  bool is_empty() const { return text_.empty(); }
  std::size_t number() const { return number_; }

  std::string_view word() {
    if (text_.empty()) refuse("ends too early");
    std::size_t length = 1;
    const bool is_negative = text_.size() > 1 && text_[0] == '-' && is_digit(text_[1]);
    if (is_digit(text_[0]) || is_negative) {
      while (length < text_.size() && is_digit(text_[length]))
        ++length;
    } else if (is_of_word(text_[0])) {
      while (length < text_.size() && is_of_word(text_[length]))
        ++length;
    }
    const std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    skip_blanks();
    return word;
  }
  /// @returns whether it was the next word
  bool takes(std::string_view expected) {
    const GoalLine before = *this;
    if (!is_empty() && word() == expected) return true;
    *this = before;
    return false;
  }
  void expect(std::string_view expected) {
    if (!takes(expected)) refuse(fmt::format("lacks '{}'", expected));
  }
  void expect_end() {
    if (!is_empty()) refuse(fmt::format("goes on with '{}', which GOAL does not know there", text_));
  }
  template <typename Number>
  Number number(std::int64_t least, std::int64_t most) {
    const std::string_view digits = word();
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || value < least || value > most)
      refuse(fmt::format("has '{}' for a number from {} to {}", digits, least, most));
    return static_cast<Number>(value);
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}", file_, number_), problem, "Give a schedule in GOAL's text form");
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(blanks), text_.size()));
    if (text_.starts_with("//")) text_ = {};
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t number_;
};

class GoalReader {
 public:
  explicit GoalReader(std::string_view file) : file_(file) {}

  void read(GoalLine line) {
    last_line_ = line.number();
    if (line.is_empty()) return;
    if (rank_ != nullptr) return read_of_rank(line);
    if (line.takes("num_ranks")) {
      if (ranks_) line.refuse("gives the number of ranks again");
      ranks_ = line.number<std::int32_t>(1, most);
    } else if (line.takes("rank")) {
      if (!ranks_) line.refuse("comes before the number of ranks (num_ranks)");
      const auto rank = line.number<std::int32_t>(0, *ranks_ - 1);
      line.expect("{");
      const auto [place, is_new] = all_.try_emplace(rank);
      if (!is_new) line.refuse(fmt::format("is rank {} again", rank));
      rank_ = &place->second;
      if (!line.is_empty()) return read_of_rank(line);
    } else {
      line.refuse("is neither 'num_ranks' nor 'rank'");
    }
    line.expect_end();
  }

  std::vector<GoalRank> finish() {
    const GoalLine end("", file_, last_line_);
    if (rank_ != nullptr) end.refuse("is the last line, and the last rank has no '}'");
    if (!ranks_) end.refuse("is the last line, and there was no number of ranks (num_ranks)");
    if (std::ssize(all_) < *ranks_)
      end.refuse(fmt::format("is the last line, and there were {} of {}", all_.size(),
                             format_count(*ranks_, "rank")));
    std::vector<GoalRank> ranks;
    for (auto& [number, rank] : all_)
      ranks.push_back(std::move(rank));
    return ranks;
  }

 private:
  static constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t most_tag = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int64_t most_size = std::int64_t{1} << 53;

  void read_of_rank(GoalLine& line) {
    if (line.takes("}")) {
      rank_ = nullptr;
      labels_.clear();
      return line.expect_end();
    }
    std::string_view word = line.word();
    if (is_operation(word)) return read_operation(line, word);
    const std::string label(word);
    if (line.takes(":")) {
      word = line.word();
      if (!is_operation(word)) line.refuse("is neither 'send' nor 'recv' nor 'calc'");
      if (!labels_.emplace(label, static_cast<std::uint32_t>(rank_->operations.size())).second)
        line.refuse(fmt::format("gives the label '{}' again", label));
      return read_operation(line, word);
    }
    const bool on_its_end = line.takes("requires");
    if (!on_its_end && !line.takes("irequires"))
      line.refuse("is none of send, recv, calc, requires, irequires and '}'");
    const std::uint32_t operation = labelled(line, label);
    rank_->dependencies.push_back({operation, labelled(line, std::string(line.word())), on_its_end});
    line.expect_end();
  }

  static bool is_operation(std::string_view word) {
    return word == "send" || word == "recv" || word == "calc";
  }

  std::uint32_t labelled(const GoalLine& line, const std::string& label) const {
    const auto known = labels_.find(label);
    if (known == labels_.end())
      line.refuse(fmt::format("names '{}', which no operation of this rank before has as a label", label));
    return known->second;
  }

  void read_operation(GoalLine& line, std::string_view word) {
    using Kind = GoalOperation::Kind;
    GoalOperation operation{.kind = word == "send"   ? Kind::send
                                    : word == "recv" ? Kind::receive
                                                     : Kind::calculation};
    operation.line = line.number();
    operation.size = line.number<std::int64_t>(0, most_size);
    if (operation.kind != Kind::calculation) {
      const bool sends = operation.kind == Kind::send;
      line.expect("b");
      line.expect(sends ? "to" : "from");
      operation.peer = line.number<std::int32_t>(sends ? 0 : -1, *ranks_ - 1);
      if (line.takes("tag")) operation.tag = line.number<std::int64_t>(sends ? 0 : -1, most_tag);
      if (!sends && operation.tag == most_tag) operation.tag = -1;  // so LogGOPSim writes any
    }
    if (line.takes("cpu")) operation.cpu = line.number<std::int32_t>(0, most);
    if (line.takes("nic")) line.number<std::int32_t>(0, most);  // the platform chooses the card
    line.expect_end();
    if (std::ssize(rank_->operations) >= most) line.refuse("is one operation too many");
    rank_->operations.push_back(operation);
  }

  std::string_view file_;
  std::size_t last_line_ = 0;
  std::optional<std::int32_t> ranks_;
  std::map<std::int32_t, GoalRank> all_;
  GoalRank* rank_ = nullptr;  ///< whose block is read
  std::unordered_map<std::string, std::uint32_t> labels_;
};

/// Leaves out what is between /* and */, of one line after the other.
class WithoutComments {
 public:
  std::string_view operator()(std::string_view line) {
    if (!is_inside_ && line.find("/*") == std::string_view::npos) return line;
    kept_.clear();
    while (!line.empty()) {
      const std::size_t mark = std::min(line.find(is_inside_ ? "*/" : "/*"), line.size());
      if (!is_inside_) kept_ += line.substr(0, mark);
      if (mark == line.size()) break;
      is_inside_ = !is_inside_;
      line.remove_prefix(mark + 2);
    }
    return kept_;
  }

 private:
  bool is_inside_ = false;
  std::string kept_;
};

}  // namespace

std::vector<GoalRank> read_goal(std::string_view text, std::string_view file) {
  GoalReader reader(file);
  WithoutComments without_comments;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read(GoalLine(without_comments(text.substr(0, end)), file, number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace finegrain::formats
