// SPDX-License-Identifier: MIT
#include "sim/pattern/strip_reads.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

#include "sim/pattern/on_threads.hpp"
#include "sim/pattern/read_dealer.hpp"

namespace finegrain::pattern {
namespace {

/// Rows [begin, end), all in one strip.
struct Rows {
  std::int32_t begin;
  std::int32_t end;
};

std::span<const std::int32_t> entries_of(const problem::EllpackView& matrix, std::int32_t row) {
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  return matrix.columns.subspan(static_cast<std::size_t>(row) * r_nz, r_nz);
}

/// Appends those of `rows` that read an element outside the strip.
void append_leaving_rows(const problem::EllpackView& matrix, Rows rows, Rows strip,
                         std::vector<LeavingRow>& leaving_rows) {
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    std::int32_t lowest = row;
    std::int32_t highest = row;
    for (const std::int32_t element : entries_of(matrix, row)) {
      lowest = std::min(lowest, element);
      highest = std::max(highest, element);
    }
    if (lowest < strip.begin || highest >= strip.end) leaving_rows.push_back({row, lowest, highest});
  }
}

/// Gathers the elements outside the strip that `rows` read, and returns how many they are.
/// @param elements  room for all entries of the rows
std::size_t gather_outside(const problem::EllpackView& matrix, std::span<const LeavingRow> rows, Rows strip,
                           std::span<std::uint32_t> elements) {
  const auto length = static_cast<std::uint32_t>(strip.end - strip.begin);
  std::size_t count = 0;
  for (const LeavingRow& row : rows) {
    for (const std::int32_t element : entries_of(matrix, row.row)) {
      // Which entries leave the strip cannot be foreseen: a branch would cost more than all the rest.
      elements[count] = static_cast<std::uint32_t>(element);
      // Elements below the strip wrap around.
      count += static_cast<std::uint32_t>(element - strip.begin) < length ? 0 : 1;
    }
  }
  return count;
}

/// Reads a strip's rows, a few at a time: they stay in the first-level cache while they are looked at twice.
void read_strip(const problem::EllpackView& matrix, std::size_t strip, const Strips& strips,
                std::vector<LeavingRow>& leaving_rows, ReadDealer& dealer,
                std::vector<std::uint32_t>& elements) {
  const int rows_at_once = std::max(1, 1024 / std::max(1, matrix.r_nz));
  elements.resize(static_cast<std::size_t>(rows_at_once) * static_cast<std::size_t>(matrix.r_nz));
  const Rows all{strips.begin(strip), strips.end(strip)};
  for (Rows rows{all.begin, all.begin}; rows.begin < all.end; rows.begin = rows.end) {
    rows.end += std::min(rows_at_once, all.end - rows.begin);
    const std::size_t known = leaving_rows.size();
    append_leaving_rows(matrix, rows, all, leaving_rows);
    const std::size_t count = gather_outside(matrix, std::span(leaving_rows).subspan(known), all, elements);
    dealer.add(static_cast<std::uint32_t>(strip), std::span(elements).first(count));
  }
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

/// Moves those of reads [first, last) that leave `strip` to position `end`, merges equal ones, and returns
/// the new end. @pre end <= first
std::size_t keep_leaving(std::vector<ElementReads>& all_reads, std::size_t first, std::size_t last,
                         std::size_t end, std::uint32_t strip, const std::vector<std::uint32_t>& coarser_of) {
  ElementReads before{0, strip, 0};
  for (std::size_t i = first; i < last; ++i) {
    // Arithmetic in place of branches again. Equal reads are neighbours, and all or none of them leave.
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

StripReads::StripReads(const problem::EllpackView& matrix, Strips strips, int threads)
    : strips_(std::move(strips)), panels_(strips_.panels()) {
  assert(strips_.elements() == matrix.rows);
  const std::size_t panels = panels_.size();
  // A thread has consecutive panels, so that what the threads deal is in order of strips, thread by thread.
  const auto parts = static_cast<std::size_t>(threads);
  std::vector<std::vector<std::vector<ElementReads>>> dealt(parts);
  on_threads(threads, [&](int thread) {
    const auto part = static_cast<std::size_t>(thread);
    constexpr std::size_t usual = 4 * panel_length;
    ReadDealer dealer(panels, usual / parts);
    std::vector<std::uint32_t> elements;
    for (std::size_t p = panels * part / parts; p < panels * (part + 1) / parts; ++p) {
      Panel& panel = panels_[p];
      panel.leaving_rows.reserve(panel_length);
      for (std::size_t strip = strips_.first_strip(p); strip < strips_.first_strip(p + 1); ++strip) {
        panel.leaving_rows_begin.push_back(panel.leaving_rows.size());
        read_strip(matrix, strip, strips_, panel.leaving_rows, dealer, elements);
      }
      panel.leaving_rows_begin.push_back(panel.leaving_rows.size());
    }
    dealt[part] = dealer.take();
  });

  for_each_panel(panels, threads, [&](std::size_t p, std::vector<ElementReads>& memory) {
    Panel& panel = panels_[p];
    for (auto& part : dealt) {
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
  if (coarser.count() == strips_.count()) return;  // they are the same
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

}  // namespace finegrain::pattern
