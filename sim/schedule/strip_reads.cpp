// SPDX-License-Identifier: MIT
#include "sim/schedule/strip_reads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

#include "sim/schedule/on_threads.hpp"

namespace finegrain {
namespace {

/// Reads by the panel of their element.
using Dealt = std::vector<std::vector<ElementReads>>;

/// Takes what rows read, strip after strip, and deals it out by panel. Rows that are neighbours read the same
/// elements again and again: equal reads that are not far apart become one first, found through a table that
/// stays in the first-level cache. What it misses stays apart, which is as true.
class Dealer {
 public:
  Dealer(Dealt& dealt, int r_nz) : dealt_(dealt), usual_(panel_length * static_cast<std::size_t>(r_nz)) {}

  void add(std::uint32_t strip, std::span<const std::uint32_t> elements) {
    if (count_ + elements.size() > keys_.size()) deal();
    std::uint32_t count = count_;
    for (const std::uint32_t element : elements) {
      const std::uint64_t key = std::uint64_t{strip} << 32 | element;
      std::uint32_t& slot = slots_[element % slots_.size()];
      // Arithmetic in place of branches: which elements come again cannot be foreseen.
      const std::uint32_t again = static_cast<std::uint32_t>(keys_[slot] == key) &
                                  static_cast<std::uint32_t>(times_[slot] < ElementReads::most_times);
      const std::uint32_t place = count ^ ((count ^ slot) & (0 - again));
      keys_[place] = key;
      times_[place] = times_[slot] * again + 1;
      slot = place;
      count += 1 - again;
    }
    count_ = count;
  }

  void deal() {
    for (std::size_t i = 1; i < count_; ++i) {
      const auto element = static_cast<std::uint32_t>(keys_[i]);
      std::vector<ElementReads>& reads = dealt_[element / panel_length];
      if (reads.empty()) reads.reserve(usual_);
      reads.push_back({static_cast<std::uint32_t>(keys_[i] >> 32), element % panel_length, times_[i]});
    }
    slots_.fill(0);
    count_ = 1;
  }

 private:
  Dealt& dealt_;
  std::size_t usual_;  ///< a panel is not read more often than it reads, where the matrix is symmetric
  std::array<std::uint32_t, 4096> slots_{};  ///< places where an element may have been met
  std::array<std::uint64_t, 4096> keys_{};   ///< strip and element; [0] is none: strip 0 holds element 0
  std::array<std::uint32_t, 4096> times_{};
  std::uint32_t count_ = 1;
};

/// Appends those of rows [begin, end) that leave the strip they are in.
void append_leaving_rows(const EllpackView& matrix, std::int32_t begin, std::int32_t end,
                         std::int32_t strip_begin, std::int32_t strip_end, std::vector<LeavingRow>& rows) {
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  for (std::int32_t row = begin; row < end; ++row) {
    std::int32_t lowest = row;
    std::int32_t highest = row;
    for (const std::int32_t element : matrix.columns.subspan(static_cast<std::size_t>(row) * r_nz, r_nz)) {
      lowest = std::min(lowest, element);
      highest = std::max(highest, element);
    }
    if (lowest < strip_begin || highest >= strip_end) rows.push_back({row, lowest, highest});
  }
}

/// The elements outside a strip that `rows` read.
/// @param elements  room for all entries of the rows
std::size_t gather_outside(const EllpackView& matrix, std::span<const LeavingRow> rows,
                           std::int32_t strip_begin, std::int32_t strip_end, std::uint32_t* elements) {
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  const auto length = static_cast<std::uint32_t>(strip_end - strip_begin);
  std::size_t count = 0;
  for (const LeavingRow& row : rows) {
    for (const std::int32_t element :
         matrix.columns.subspan(static_cast<std::size_t>(row.row) * r_nz, r_nz)) {
      // Which entries leave the strip cannot be foreseen: a branch would cost more than all the rest.
      elements[count] = static_cast<std::uint32_t>(element);
      // Elements below the strip wrap around.
      count += static_cast<std::uint32_t>(element - strip_begin) < length ? 0 : 1;
    }
  }
  return count;
}

/// Counting sort, which leaves reads of the same element in their order.
/// @return where the reads of each element of the panel end, shape [panel_length]
std::vector<std::size_t> sort_by_element(std::vector<ElementReads>& reads) {
  std::vector<std::size_t> places(panel_length);
  for (const ElementReads& read : reads)
    ++places[read.element];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
  const std::vector<ElementReads> unsorted = reads;
  for (const ElementReads& read : unsorted)
    reads[places[read.element]++] = read;
  return places;
}

/// Calls work(panel) for every panel, each on the thread that is free first.
template <class Work>
void for_each_panel(std::size_t panels, int threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  on_threads(threads, [&](int) {
    for (std::size_t panel = next++; panel < panels; panel = next++)
      work(panel);
  });
}

/// Moves those of reads [first, last) that leave `strip` to where `end` says, equal ones as one, and returns
/// the new end. @pre end <= first
std::size_t keep_leaving(std::vector<ElementReads>& reads, std::size_t first, std::size_t last,
                         std::size_t end, std::uint32_t strip, const std::vector<std::uint32_t>& coarser_of) {
  ElementReads kept{strip, 0, 0};               // none: what is kept leaves the strip
  for (std::size_t i = first; i < last; ++i) {  // no branch, as above
    const ElementReads next = reads[i];
    const std::uint32_t reader = coarser_of[next.strip];
    const bool leaves = reader != strip;
    const std::uint32_t times = 0U + kept.times + next.times;
    const bool again =
        leaves && reader == kept.strip && next.element == kept.element && times <= ElementReads::most_times;
    const ElementReads merged{reader, next.element, again ? times : next.times};
    const std::size_t place = end - (again ? 1 : 0);
    reads[place] = merged;
    end = leaves ? place + 1 : end;
    kept = leaves ? merged : kept;
  }
  return end;
}

std::size_t keep_leaving(std::vector<LeavingRow>& rows, std::size_t first, std::size_t last, std::size_t end,
                         std::int32_t strip_begin, std::int32_t strip_end) {
  for (std::size_t i = first; i < last; ++i) {
    const LeavingRow row = rows[i];
    rows[end] = row;
    end += row.lowest < strip_begin || row.highest >= strip_end ? 1 : 0;
  }
  return end;
}

}  // namespace

StripReads::StripReads(const EllpackView& matrix, Strips strips, int threads)
    : strips_(std::move(strips)), panels_(strips_.panels()) {
  assert(strips_.elements() == matrix.rows);
  const std::size_t panels = panels_.size();
  // A thread has consecutive panels, so that what the threads deal is in order of strips, thread by thread.
  const auto parts = static_cast<std::size_t>(threads);
  std::vector<Dealt> dealt(parts, Dealt(panels));
  on_threads(threads, [&](int thread) {
    const auto part = static_cast<std::size_t>(thread);
    Dealer dealer(dealt[part], matrix.r_nz);
    const std::int32_t rows_at_once = std::max(1, 1024 / std::max(1, matrix.r_nz));
    std::vector<std::uint32_t> elements(
        static_cast<std::size_t>(rows_at_once) * static_cast<std::size_t>(matrix.r_nz) + 1);
    for (std::size_t p = panels * part / parts; p < panels * (part + 1) / parts; ++p) {
      Panel& panel = panels_[p];
      panel.leaving_rows.reserve(panel_length);
      for (std::size_t strip = strips_.first_strip(p); strip < strips_.first_strip(p + 1); ++strip) {
        panel.leaving_rows_begin.push_back(panel.leaving_rows.size());
        const std::int32_t begin = strips_.begin(strip);
        const std::int32_t end = strips_.end(strip);
        for (std::int32_t row = begin; row < end; row += rows_at_once) {
          const std::size_t known = panel.leaving_rows.size();
          append_leaving_rows(matrix, row, std::min(row + rows_at_once, end), begin, end, panel.leaving_rows);
          const std::size_t count =
              gather_outside(matrix, std::span<const LeavingRow>(panel.leaving_rows).subspan(known), begin,
                             end, elements.data());
          dealer.add(static_cast<std::uint32_t>(strip), std::span(elements).first(count));
        }
      }
      panel.leaving_rows_begin.push_back(panel.leaving_rows.size());
    }
    dealer.deal();
  });

  for_each_panel(panels, threads, [&](std::size_t p) {
    Panel& panel = panels_[p];
    for (Dealt& part : dealt) {
      std::vector<ElementReads> more = std::exchange(part[p], {});
      if (panel.reads.empty()) {
        panel.reads = std::move(more);
      } else {
        panel.reads.insert(panel.reads.end(), more.begin(), more.end());
      }
    }
    const std::vector<std::size_t> ends = sort_by_element(panel.reads);
    const std::int32_t begin = strips_.begin(strips_.first_strip(p));
    panel.reads_begin.push_back(0);
    for (std::size_t strip = strips_.first_strip(p); strip < strips_.first_strip(p + 1); ++strip)
      panel.reads_begin.push_back(ends[static_cast<std::size_t>(strips_.end(strip) - 1 - begin)]);
  });
}

void StripReads::coarsen(Strips coarser, int threads) {
  std::vector<std::uint32_t> coarser_of(strips_.count());
  for (std::size_t strip = 0, above = 0; strip < coarser_of.size(); ++strip) {
    above += strips_.begin(strip) == coarser.end(above) ? 1 : 0;
    coarser_of[strip] = static_cast<std::uint32_t>(above);
  }
  for_each_panel(panels_.size(), threads, [&](std::size_t p) {
    Panel& panel = panels_[p];
    const std::size_t first = strips_.first_strip(p);
    std::vector<std::size_t> reads_begin;
    std::vector<std::size_t> leaving_rows_begin;
    std::size_t reads_end = 0;
    std::size_t leaving_rows_end = 0;
    std::size_t fine = 0;
    for (std::size_t strip = coarser.first_strip(p); strip < coarser.first_strip(p + 1); ++strip) {
      const std::size_t fine_begin = fine;
      while (first + fine < strips_.first_strip(p + 1) && strips_.begin(first + fine) < coarser.end(strip))
        ++fine;
      reads_begin.push_back(reads_end);
      leaving_rows_begin.push_back(leaving_rows_end);
      reads_end = keep_leaving(panel.reads, panel.reads_begin[fine_begin], panel.reads_begin[fine], reads_end,
                               static_cast<std::uint32_t>(strip), coarser_of);
      leaving_rows_end = keep_leaving(panel.leaving_rows, panel.leaving_rows_begin[fine_begin],
                                      panel.leaving_rows_begin[fine], leaving_rows_end, coarser.begin(strip),
                                      coarser.end(strip));
    }
    reads_begin.push_back(reads_end);
    leaving_rows_begin.push_back(leaving_rows_end);
    panel.reads_begin = std::move(reads_begin);
    panel.leaving_rows_begin = std::move(leaving_rows_begin);
  });
  strips_ = std::move(coarser);
}

std::span<const ElementReads> StripReads::reads(std::size_t panel, std::size_t first,
                                                std::size_t last) const {
  const Panel& of = panels_[panel];
  const std::size_t offset = strips_.first_strip(panel);
  return std::span(of.reads).subspan(of.reads_begin[first - offset],
                                     of.reads_begin[last - offset] - of.reads_begin[first - offset]);
}

std::span<const LeavingRow> StripReads::leaving_rows(std::size_t panel, std::size_t first,
                                                     std::size_t last) const {
  const Panel& of = panels_[panel];
  const std::size_t offset = strips_.first_strip(panel);
  return std::span(of.leaving_rows)
      .subspan(of.leaving_rows_begin[first - offset],
               of.leaving_rows_begin[last - offset] - of.leaving_rows_begin[first - offset]);
}

}  // namespace finegrain
