// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace finegrain {

/// An open file, socket or end of a pipe, which is closed when its owner goes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    const int error = errno;  // of what failed before
    close();
    errno = error;
  }

  /// @returns whether it could be closed, if it was open; errno says why not
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// The two ends of a pipe. They are not open, and errno says why, if there is none to be had.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  bool is_open() const { return read_end.is_open(); }

  Descriptor read_end;
  Descriptor write_end;
};

/// @returns whether all of it could be written; errno says why not
inline bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}
inline bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

/// Calls take(text) with each piece that can be read.
/// @returns whether that was all; otherwise errno says why no more can be read
template <class Take>
bool read_pieces(int descriptor, const Take& take) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
}

}  // namespace finegrain
