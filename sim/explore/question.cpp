// SPDX-License-Identifier: MIT
#include "sim/explore/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/io/input_error.hpp"

namespace finegrain::explore {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& problem, const std::string& remedy) {
  throw InputError(where, problem, remedy);
}

bool is_among(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

std::vector<std::string> values_of(const std::string& flag, const nlohmann::json& json) {
  std::vector<std::string> values;
  for (const nlohmann::json& value : json.is_array() ? json : nlohmann::json::array({json})) {
    if (value.is_string())
      values.push_back(value);
    else if (value.is_number())
      values.push_back(value.dump());
    else
      refuse(flag, "its value is no text", "Give a text, a number, or a list of them");
    if (values.back().find('\0') != std::string::npos)
      refuse(flag, "its value has a zero byte", "Leave it out");
  }
  return values;
}

}  // namespace

std::vector<std::string> words_of(const std::string& body, const Askable& askable) {
  const nlohmann::json question = nlohmann::json::parse(body, nullptr, false);
  if (!question.is_object() || !question.contains("flags") || !question["flags"].is_object())
    refuse("question", "is no JSON object with a member \"flags\"", "See docs/explore.md");
  const std::string command = question.value("command", nlohmann::json("compare")).dump();
  if (command != R"("compare")" && command != R"("report")")
    refuse("command", "is neither \"compare\" nor \"report\"", "See docs/explore.md");
  const bool is_compare = command == R"("compare")";
  std::vector<std::string> words{is_compare ? "compare" : "report"};
  const nlohmann::json& flags = question["flags"];
  if (std::ranges::none_of(askable.problems, [&](const std::string& flag) { return flags.contains(flag); }))
    std::ranges::copy(askable.fixed, std::back_inserter(words));
  for (const auto& [flag, value] : flags.items()) {
    if (is_among(askable.switches, flag)) {
      if (value != true && value != false) refuse(flag, "its value is neither true nor false", "Give one");
      if (value == true) words.push_back(flag);
      continue;
    }
    if (!is_among(askable.flags, flag) && !is_among(askable.problems, flag))
      refuse(flag, "a page cannot ask for that", "Use the command line");
    for (const std::string& text : values_of(flag, value)) {
      if (flag == "--platform" && !is_among(askable.platforms, text))
        refuse(flag, fmt::format("{} was not named on the command line", text),
               "Start finegrain explore with it");
      if (flag == "--noise" && !text.starts_with("fixed:") && !text.starts_with("exponential:"))
        refuse(flag, fmt::format("{} is neither fixed nor exponential noise", text),
               "Use the command line for a file");
      words.push_back(fmt::format("{}={}", flag, text));
    }
  }
  words.emplace_back(is_compare ? "--format=json" : "--data");
  return words;
}

std::vector<std::string> first_look_of(const std::string& body, const Askable& askable) {
  const nlohmann::json question = nlohmann::json::parse(body, nullptr, false);
  if (!question.is_object() || !question.contains("first_look")) return {};
  return words_of(nlohmann::json{{"flags", question["first_look"]}}.dump(), askable);
}

}  // namespace finegrain::explore
