// SPDX-License-Identifier: MIT
#include "sim/pattern/read_dealer.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::pattern {

void ReadDealer::add(std::uint32_t strip, std::span<const std::uint32_t> elements) {
  constexpr std::size_t few = 1024;
  for (std::size_t first = 0; first < elements.size(); first += few)
    add_few(strip, elements.subspan(first, std::min(few, elements.size() - first)));
}

std::vector<std::vector<ElementReads>> ReadDealer::take() {
  deal();
  return std::exchange(dealt_, {});
}

void ReadDealer::add_few(std::uint32_t strip, std::span<const std::uint32_t> elements) {
  if (count_ + elements.size() > recent_.size()) deal();
  std::uint32_t count = count_;
  for (const std::uint32_t element : elements) {
    // Arithmetic in place of branches: which elements come again cannot be foreseen.
    std::uint32_t& slot = slots_[element % slots_.size()];
    const ElementReads& met = recent_[slot];
    const std::uint32_t again =
        static_cast<std::uint32_t>(met.element == element) & static_cast<std::uint32_t>(met.strip == strip);
    const std::uint32_t times = met.times * again + 1;
    slot = count ^ ((count ^ slot) & (0 - again));  // again ? slot : count
    recent_[slot] = {element, strip, times};
    count += 1 - again;
  }
  count_ = count;
}

void ReadDealer::deal() {
  for (const ElementReads& reads : std::span(recent_).first(count_).subspan(1)) {
    std::vector<ElementReads>& of_panel = dealt_[reads.element / panel_length];
    if (of_panel.empty()) of_panel.reserve(usual_);
    of_panel.push_back(reads);
  }
  slots_.fill(0);
  count_ = 1;
}

}  // namespace finegrain::pattern
