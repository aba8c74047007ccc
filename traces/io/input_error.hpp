// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace finegrain {

/// Something that a user gave cannot be used: a file, a parameter, an environment. The one exception type
/// for that; caught once, in main, and printed as one line: "`where: problem (why). remedy`".
class InputError : public std::runtime_error {
 public:
  /// @param where  "file:line", "file: byte 1234", a parameter's name, ...; empty: nowhere in particular
  /// @param problem  what is wrong, and why. @param remedy  what to do; empty: nothing is known
  InputError(std::string_view where, std::string problem, std::string remedy = {});
  InputError(const InputError&) = default;
  ~InputError() override;

  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string where_;
  std::string problem_;
  std::string remedy_;
};

}  // namespace finegrain
