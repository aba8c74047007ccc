// SPDX-License-Identifier: MIT
#include "sim/validation/accuracy_document.hpp"

#include <sstream>

#include "sim/validation/residuals.hpp"
#include "sim/validation/result_tables.hpp"

namespace finegrain::validation {
namespace {

constexpr std::string_view opening = "# Accuracy\n\n";

}  // namespace

std::string accuracy_document(const std::vector<ComparedTable>& compared,
                              const std::vector<output::Table>& more,
                              const std::vector<output::Table>& sections) {
  std::ostringstream out;
  out << opening
      << "The papers' measurements, compared with finegrain's simulations and with the closed form. "
         "`finegrain validate --write-docs docs/accuracy.md` wrote this page, and computed every number on "
         "it. All times are seconds of 1,000 iterations.\n"
         "\n"
         "In the last column, *score* marks a prediction: nothing was fitted to this run; *fit*: a number "
         "may have been fitted to it (on Abel, all runs on 1 or 2 nodes), so it enters no score; *assumed*: "
         "the paper leaves out an input; *excluded*: see the table's notes.\n\n";
  std::vector<output::Table> summary{scores_as_table(compared)};
  summary.insert(summary.end(), more.begin(), more.end());
  print(out, summary, output::Format::markdown);
  out << "\n## What the simulation does not explain\n";
  for (const std::string& paragraph : residual_paragraphs(compared))
    out << '\n' << paragraph << '\n';
  out << '\n';
  std::vector<output::Table> cells;
  for (const ComparedTable& one : compared)
    cells.push_back(cells_as_table(one));
  cells.insert(cells.end(), sections.begin(), sections.end());
  print(out, cells, output::Format::markdown);
  return out.str();
}

FileKind accuracy_document_kind() {
  return {"an accuracy document", {".md"}, [](std::string_view content) {
            return content.starts_with(opening) &&
                   content.find("`finegrain validate --write-docs ") != std::string_view::npos;
          }};
}

}  // namespace finegrain::validation
