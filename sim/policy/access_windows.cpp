// SPDX-License-Identifier: MIT
#include "sim/policy/access_windows.hpp"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <compare>

namespace finegrain::policy {
namespace {

/// An element of another rank.
struct WindowElement {
  std::int32_t owner;
  std::int64_t address;
  std::int32_t size_bytes;

  friend auto operator<=>(const WindowElement&, const WindowElement&) = default;
};

void keep_each_once(std::vector<WindowElement>& elements) {
  boost::sort::pdqsort_branchless(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
}

/// How many are in both, each of which is ascending.
std::int64_t count_common(const std::vector<WindowElement>& some, const std::vector<WindowElement>& others) {
  std::vector<WindowElement> common;
  std::ranges::set_intersection(some, others, std::back_inserter(common));
  return static_cast<std::int64_t>(common.size());
}

/// @param elements  ascending
/// @param counts  gets the number of elements of each peer; null: not wanted
std::vector<pattern::PeerBytes> bytes_of_peers(const std::vector<WindowElement>& elements,
                                               std::vector<std::int64_t>* counts) {
  std::vector<pattern::PeerBytes> peers;
  for (const WindowElement& element : elements) {
    if (peers.empty() || peers.back().peer != element.owner) {
      peers.push_back({element.owner, 0});
      if (counts != nullptr) counts->push_back(0);
    }
    peers.back().size_bytes += element.size_bytes;
    if (counts != nullptr) ++counts->back();
  }
  return peers;
}

/// The loop of every rank in every stage, shape [ranks][stages].
class Loops {
 public:
  Loops(const pattern::Pattern& pattern, const Run& run)
      : all_(static_cast<std::size_t>(run.ranks),
             std::vector<pattern::AccessLoop>(static_cast<std::size_t>(pattern.stages(run)))) {
    are_named_ = pattern.loop(run, 0, 0).has_value();
    if (!are_named_) {
      pattern.accesses(run, [&](int rank, int stage, std::span<const pattern::Access> accesses) {
        pattern::AccessLoop& loop = all_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(stage)];
        loop.iterations += static_cast<std::int64_t>(accesses.size());
        loop.references = loop.iterations;
      });
      return;
    }
    for (int rank = 0; rank < run.ranks; ++rank)
      for (int stage = 0; stage < pattern.stages(run); ++stage)
        all_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(stage)] =
            pattern.loop(run, rank, stage).value();
  }

  /// Whether the pattern says what its loops are; otherwise each access is an iteration.
  bool are_named() const { return are_named_; }
  const std::vector<pattern::AccessLoop>& of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<pattern::AccessLoop>> all_;
  bool are_named_ = false;
};

/// Collects what one rank accesses until its window is full.
class WindowCollector {
 public:
  WindowCollector(const Loops& loops, int rank, std::int64_t length,
                  const std::function<void(const AccessWindow&)>& visit)
      : loops_(loops), rank_(rank), length_(length), visit_(visit) {}

  void add(int stage, const pattern::Access& access) {
    while (stage_ < stage)
      finish_stage();
    const std::int64_t iteration = loops_.are_named() ? access.iteration : accesses_++;
    while (iteration - first_ >= length_)
      finish_window();
    (access.writes ? writes_ : reads_).push_back({access.owner, access.address, access.size_bytes});
    ++foreign_;
  }
  void finish() {
    while (stage_ < static_cast<int>(loops_.of(rank_).size()))
      finish_stage();
  }

 private:
  const pattern::AccessLoop& loop() const { return loops_.of(rank_)[static_cast<std::size_t>(stage_)]; }

  void finish_stage() {
    while (first_ < loop().iterations)
      finish_window();
    ++stage_;
    first_ = accesses_ = 0;
  }
  void finish_window() {
    const std::int64_t last = first_ + std::min(loop().iterations - first_, length_);
    keep_each_once(reads_);
    keep_each_once(writes_);
    AccessWindow window{.rank = rank_,
                        .stage = stage_,
                        .loop = loop(),
                        .first = first_,
                        .last = last,
                        .references = 0,
                        .foreign = foreign_,
                        .elements = 0,
                        .reads = bytes_of_peers(reads_, nullptr),
                        .writes = {},
                        .written = {}};
    window.references = window.share_of(window.loop.references);
    window.writes = bytes_of_peers(writes_, &window.written);
    // An element that is both read and written counts once.
    window.elements =
        static_cast<std::int64_t>(reads_.size() + writes_.size()) - count_common(reads_, writes_);
    visit_(window);
    first_ = last;
    foreign_ = 0;
    reads_.clear();
    writes_.clear();
  }

  const Loops& loops_;
  int rank_;
  std::int64_t length_;
  const std::function<void(const AccessWindow&)>& visit_;
  int stage_ = 0;
  std::int64_t first_ = 0;     ///< first iteration of the window
  std::int64_t accesses_ = 0;  ///< the stage's, so far
  std::int64_t foreign_ = 0;   ///< references to other ranks' elements in the window
  std::vector<WindowElement> reads_;
  std::vector<WindowElement> writes_;
};

}  // namespace

std::int64_t AccessWindow::share_of(std::int64_t whole) const {
  const auto until = [&](std::int64_t iteration) {
    const std::int64_t all = loop.iterations;
    return whole / all * iteration + whole % all * iteration / all;
  };
  return until(last) - until(first);
}

void for_each_window(const pattern::Pattern& pattern, const Run& run, std::int64_t length,
                     const std::function<void(const AccessWindow&)>& visit) {
  const Loops loops(pattern, run);
  std::vector<WindowCollector> ranks;
  for (int rank = 0; rank < run.ranks; ++rank)
    ranks.emplace_back(loops, rank, length, visit);
  pattern.accesses(run, [&](int rank, int stage, std::span<const pattern::Access> accesses) {
    for (const pattern::Access& access : accesses)
      ranks[static_cast<std::size_t>(rank)].add(stage, access);
  });
  for (WindowCollector& rank : ranks)
    rank.finish();
}

}  // namespace finegrain::policy
