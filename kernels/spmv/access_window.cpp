// SPDX-License-Identifier: MIT
#include "kernels/spmv/access_window.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::kernels {

void AccessWindow::clear() {
  places_.clear();
  calls_ = steps_ = 0;
}

void AccessWindow::add(Place place) {
  ++calls_;
  if (place.owner != own_rank_) places_.push_back(place);
}

void AccessWindow::add(const std::vector<Place>& places) {
  ++calls_;
  std::copy_if(places.begin(), places.end(), std::back_inserter(places_),
               [&](const Place& place) { return place.owner != own_rank_; });
}

void AccessWindow::schedule() {
  std::sort(places_.begin(), places_.end());
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  stretches_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const bool goes_on =
        i > 0 && places_[i - 1].owner == place.owner && places_[i - 1].local_index + 1 == place.local_index;
    if (goes_on) {
      ++stretches_.back().length;
    } else {
      stretches_.push_back({place, i, 1});
    }
  }
  values_.resize(places_.size());
  steps_of_search_ = 0;
  for (std::size_t reached = 1; reached < places_.size(); reached *= 2)
    ++steps_of_search_;
  steps_ += static_cast<std::int64_t>(places_.size()) * steps_of_search_;
}

double AccessWindow::find(Place place, const double* own) {
  ++calls_;
  if (place.owner == own_rank_) return own[place.local_index];
  steps_ += steps_of_search_;
  const auto found = std::lower_bound(places_.begin(), places_.end(), place);
  return values_[static_cast<std::size_t>(found - places_.begin())];
}

std::int64_t AccessWindow::take_calls() {
  return std::exchange(calls_, 0);
}

std::int64_t AccessWindow::take_steps() {
  return std::exchange(steps_, 0);
}

}  // namespace finegrain::kernels
