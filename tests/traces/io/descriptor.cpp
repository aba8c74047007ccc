// SPDX-License-Identifier: MIT
#include "traces/io/descriptor.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <string>

namespace finegrain {
namespace {

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

}  // namespace

TEST_CASE("a descriptor that is moved has one owner, whose end keeps errno") {
  int number = -1;
  {
    Descriptor first(::open("/dev/null", O_RDONLY));
    number = first.number();
    Descriptor second(std::move(first));
    CHECK(!first.is_open());
    CHECK(is_open(number));
    ::close(number);  // it cannot be closed again
    errno = ENOSPC;
  }
  CHECK(errno == ENOSPC);
}

TEST_CASE("a descriptor is closed when its owner goes") {
  int number = -1;
  {
    const Descriptor owner(::open("/dev/null", O_RDONLY));
    number = owner.number();
    CHECK(is_open(number));
  }
  CHECK(!is_open(number));
}

TEST_CASE("what is written into a pipe is read from it to the end") {
  Pipe pipe;
  REQUIRE(pipe.is_open());
  CHECK(write_all(pipe.write_end.number(), "two "));
  CHECK(write_all(pipe.write_end.number(), "words"));
  CHECK(pipe.write_end.close());
  std::string text;
  CHECK(read_pieces(pipe.read_end.number(), [&](std::string_view piece) { text += piece; }));
  CHECK(text == "two words");
}

TEST_CASE("why something cannot be written or read is in errno") {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
  CHECK(!read_pieces(pipe.read_end.number(), [](std::string_view) {}));
  CHECK(errno == EAGAIN);
  pipe.read_end.close();
  CHECK(!write_all(pipe.write_end.number(), "nobody reads it"));
  CHECK(errno == EPIPE);
  const Descriptor full(::open("/dev/full", O_WRONLY));
  CHECK(!write_all(full.number(), "x"));
  CHECK(errno == ENOSPC);
}

}  // namespace finegrain
