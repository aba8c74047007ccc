# The page, its style and its bundled program, as one C++ source.
file(READ ${PAGE} page)
file(READ ${STYLE} style)
file(READ ${PROGRAM} program)
string(REPLACE "/* style.css */" "${style}" page "${page}")
string(REPLACE "/* main.js */" "${program}" page "${page}")
file(WRITE ${OUT} "#include \"sim/report/page.hpp\"

namespace finegrain::report {

std::string_view empty_page() {
  return R\"page-text(${page})page-text\";
}

}  // namespace finegrain::report
")
