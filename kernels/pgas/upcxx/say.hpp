// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <upcxx/runtime.hpp>

namespace upcxx {

/// A line printed whole, so that those of several ranks do not mix: upcxx::say() << "hello".
class say {
 public:
  /// @param prefix  where %d is the rank
  explicit say(std::ostream& target, const char* prefix = "[%d] ") : target_(target) {
    char text[64];
    std::snprintf(text, sizeof text, prefix, initialized() ? rank_me() : -1);
    line_ << text;
  }
  explicit say(const char* prefix = "[%d] ") : say(std::cout, prefix) {}
  ~say() {
    std::string line = line_.str();
    if (line.empty() || line.back() != '\n') line += '\n';
    target_ << line << std::flush;
  }

  template <class T>
  say& operator<<(const T& value) {
    line_ << value;
    return *this;
  }

 private:
  std::ostream& target_;
  std::ostringstream line_;
};

}  // namespace upcxx
