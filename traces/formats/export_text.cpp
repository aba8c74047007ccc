// SPDX-License-Identifier: MIT
#include "traces/formats/export_text.hpp"

#include <fmt/format.h>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

constexpr std::size_t write_at_bytes = std::size_t{1} << 20;

}  // namespace

void ExportText::refuse() const {
  throw InputError("export", fmt::format("{} more than {}", what_, format_size(most_bytes_)),
                   "Allow more: --most");
}

void ExportText::add(std::string_view text) {
  bytes_ += static_cast<double>(text.size());
  if (bytes_ > most_bytes_) refuse();
  text_ += text;
  if (text_.size() >= write_at_bytes) flush();
}

void ExportText::expect(double count, std::string_view text) const {
  if (bytes_ + count * static_cast<double>(text.size()) > most_bytes_) refuse();
}

void ExportText::flush() {
  if (!text_.empty()) write_(text_);
  text_.clear();
}

}  // namespace finegrain::formats
