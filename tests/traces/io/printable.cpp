// SPDX-License-Identifier: MIT
#include "traces/io/printable.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace finegrain;
using namespace std::string_literals;

TEST_CASE("printable: letters of any language stay as they are") {
  for (const char* text : {"", "heart.fgm", "Größe µs – 心臓 🫀", "a 'b' \"c\" \\ <d>"})
    CHECK(printable(text) == text);
}

TEST_CASE("printable: nothing ends the line or moves the cursor") {
  CHECK(printable("a\nb\tc\r") == R"(a\nb\tc\x0d)");
  CHECK(printable("\x1b[2J") == R"(\x1b[2J)");
  CHECK(printable("\0\x7f"s) == R"(\x00\x7f)");
  CHECK(printable("\u009b2J") == R"(\xc2\x9b2J)");        // the same order to a terminal as ESC [
  CHECK(printable("\u202egnp") == R"(\xe2\x80\xaegnp)");  // what follows would be written backwards
}

TEST_CASE("printable: bytes that are not UTF-8 are escaped, those around them are not") {
  CHECK(printable("a\xffz") == R"(a\xffz)");
  CHECK(printable("a\xc3") == R"(a\xc3)");                        // cut
  CHECK(printable("\xc0\xaf") == R"(\xc0\xaf)");                  // a longer spelling of '/'
  CHECK(printable("\xed\xa0\x80") == R"(\xed\xa0\x80)");          // half of a UTF-16 pair
  CHECK(printable("\xf4\x90\x80\x80") == R"(\xf4\x90\x80\x80)");  // beyond Unicode
}

TEST_CASE("shell word: one line, and plain where it can be") {
  CHECK(shell_quoted("runs/heart.fgm") == "runs/heart.fgm");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("it's $HOME") == R"('it'\''s $HOME')");
  CHECK(shell_quoted("a\nb'c\\d") == R"($'a\012b\'c\\d')");
}
