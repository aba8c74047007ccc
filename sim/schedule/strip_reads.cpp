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
/// stays in a core's cache. What it misses stays apart, which is as true.
class Dealer {
 public:
  /// @param usual  reads that there is room for without growing, where a panel is read at all
  Dealer(Dealt& dealt, std::size_t usual) : dealt_(dealt), usual_(usual) {}

  void add(std::uint32_t strip, std::span<const std::uint32_t> elements) {
    for (std::size_t first = 0; first < elements.size(); first += most_at_once)
      add_part(strip, elements.subspan(first, std::min(most_at_once, elements.size() - first)));
  }

  void deal() {
    for (const ElementReads& reads : std::span(recent_).first(count_).subspan(1)) {
      std::vector<ElementReads>& of_panel = dealt_[reads.element / panel_length];
      if (of_panel.empty()) of_panel.reserve(usual_);
      of_panel.push_back(reads);
    }
    slots_.fill(0);
    count_ = 1;
  }

 private:
  static constexpr std::size_t most_at_once = 1024;

  void add_part(std::uint32_t strip, std::span<const std::uint32_t> elements) {
    if (count_ + elements.size() > recent_.size()) deal();
    std::uint32_t count = count_;
    for (const std::uint32_t element : elements) {
      std::uint32_t& slot = slots_[element % slots_.size()];
      // Arithmetic in place of branches: which elements come again cannot be foreseen.
      const ElementReads& met = recent_[slot];
      const std::uint32_t again =
          static_cast<std::uint32_t>(met.element == element) & static_cast<std::uint32_t>(met.strip == strip);
      const std::uint32_t times = met.times * again + 1;
      slot = count ^ ((count ^ slot) & (0 - again));
      recent_[slot] = {element, strip, times};
      count += 1 - again;
    }
    count_ = count;
  }

  Dealt& dealt_;
  std::size_t usual_;
  std::array<std::uint32_t, 4096> slots_{};  ///< places in recent_ where an element may have been met
  std::array<ElementReads, 4096> recent_{};  ///< [0] is none: strip 0 does not read its own element 0
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

/// Counting sort of one panel's reads by element, which leaves those of the same element in their order.
/// @param begin  the panel's first element
/// @param copy   memory that calls reuse
/// @return where the reads of each element end, shape [panel_length]
std::vector<std::size_t> sort_by_element(std::vector<ElementReads>& all_reads, std::uint32_t begin,
                                         std::vector<ElementReads>& copy) {
  std::vector<std::size_t> places(panel_length);
  for (const ElementReads& reads : all_reads)
    ++places[reads.element - begin];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
  copy = all_reads;
  for (const ElementReads& reads : copy)
    all_reads[places[reads.element - begin]++] = reads;
  return places;
}

/// Calls work(panel, memory) for every panel, each on the thread that is free first; a thread's calls share
/// the memory.
template <class Work>
void for_each_panel(std::size_t panels, int threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  on_threads(threads, [&](int) {
    std::vector<ElementReads> memory;
    for (std::size_t panel = next++; panel < panels; panel = next++)
      work(panel, memory);
  });
}

/// Moves those of reads [first, last) that leave `strip` to where `end` says, equal ones as one, and returns
/// the new end. @pre end <= first
std::size_t keep_leaving(std::vector<ElementReads>& all_reads, std::size_t first, std::size_t last,
                         std::size_t end, std::uint32_t strip, const std::vector<std::uint32_t>& coarser_of) {
  ElementReads before{0, strip, 0};
  for (std::size_t i = first; i < last; ++i) {
    // Arithmetic again. Equal reads are neighbours, and all or none of them leave.
    const ElementReads& reads = all_reads[i];
    const std::uint32_t reader = coarser_of[reads.strip];
    const std::uint32_t leaves = reader != strip ? 1 : 0;
    const std::uint32_t again = static_cast<std::uint32_t>(reader == before.strip) &
                                static_cast<std::uint32_t>(reads.element == before.element) & leaves;
    before = {reads.element, reader, before.times * again + reads.times};
    end -= again;
    all_reads[end] = before;
    end += leaves;
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
    // A panel is not read more often than it reads, where the matrix is symmetric.
    Dealer dealer(dealt[part], panel_length * static_cast<std::size_t>(matrix.r_nz));
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

  for_each_panel(panels, threads, [&](std::size_t p, std::vector<ElementReads>& memory) {
    Panel& panel = panels_[p];
    for (Dealt& part : dealt) {
      std::vector<ElementReads> more = std::exchange(part[p], {});
      if (panel.reads.empty()) {
        panel.reads = std::move(more);
      } else {
        panel.reads.insert(panel.reads.end(), more.begin(), more.end());
      }
    }
    const std::int32_t begin = strips_.begin(strips_.first_strip(p));
    const std::vector<std::size_t> ends =
        sort_by_element(panel.reads, static_cast<std::uint32_t>(begin), memory);
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
  for_each_panel(panels_.size(), threads, [&](std::size_t p, std::vector<ElementReads>&) {
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
