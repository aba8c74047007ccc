// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "traces/io/input_error.hpp"

namespace finegrain::fuzz {

/// A folder of this process, in memory if the system has one there; its files are written again and again.
const std::filesystem::path& folder();

/// Writes folder()/name. @returns its path
std::filesystem::path write_input(const std::string& name, std::string_view bytes);

inline std::string_view as_text(std::span<const std::uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// A reader may take what it is given, or refuse it in one line. Anything else ends the process.
template <typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace finegrain::fuzz
