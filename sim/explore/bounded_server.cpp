// SPDX-License-Identifier: MIT
#include "sim/explore/bounded_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace finegrain::explore {
namespace {

using ConnectionClock = std::chrono::steady_clock;

/// A connection with a deadline for each request, and for each piece of an answer.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(int socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}

  /// Waits until the next request begins. @returns false: none came in time
  bool wait_for_request() {
    const bool begins = begin_ < end_ || poll_for(POLLIN, limits_.silence);
    deadline_ = ConnectionClock::now() + limits_.request;
    bytes_left_ = limits_.request_bytes;
    has_answered_ = false;
    return begins;
  }

  /// Whether the last request did not come in time and within its length.
  bool is_refused() const { return is_refused_; }
  /// Whether the last answer had the status of an error.
  bool was_error() const { return is_error_; }
  /// Whether something was said since the last request began.
  bool has_answered() const { return has_answered_; }

  /// Takes what the client still sends, for a while: if it were not taken, the client might lose the answer.
  void skip_rest() {
    deadline_ = ConnectionClock::now() + limits_.silence;
    bytes_left_ = limits_.request_bytes;
    begin_ = end_;
    char next = 0;
    while (poll_for(POLLIN, std::chrono::milliseconds(100)) && read(&next, 1) > 0)
      begin_ = end_;
  }

  bool is_readable() const override { return begin_ < end_ || poll_for(POLLIN, limits_.silence); }

  bool is_writable() const override {
    if (!poll_for(POLLOUT, limits_.write)) return false;
    char next = 0;
    return ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) != 0;  // 0: the client has closed it
  }

  ssize_t read(char* bytes, size_t size) override {
    if (begin_ == end_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - ConnectionClock::now());
      if (bytes_left_ == 0 || left.count() <= 0 || !poll_for(POLLIN, std::min(left, limits_.silence))) {
        is_refused_ = true;
        return -1;
      }
      const ssize_t count = ::recv(socket_, buffer_.data(), std::min(buffer_.size(), bytes_left_), 0);
      if (count <= 0) return count;
      begin_ = 0;
      end_ = static_cast<std::size_t>(count);
      bytes_left_ -= end_;
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(bytes, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, size_t size) override {
    if (!has_answered_) {
      constexpr std::string_view version = "HTTP/1.1 ";
      is_error_ = size > version.size() && bytes[version.size()] >= '4';
    }
    has_answered_ = true;
    const auto until = ConnectionClock::now() + limits_.write;
    std::size_t written = 0;
    while (written < size) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - ConnectionClock::now());
      if (left.count() <= 0 || !poll_for(POLLOUT, left)) return -1;
      const ssize_t count = ::send(socket_, bytes + written, size - written, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
      if (count > 0) written += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(written);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override { get_remote_ip_and_port(ip, port); }
  socket_t socket() const override { return socket_; }

 private:
  bool poll_for(short what, std::chrono::milliseconds longest) const {
    pollfd end{socket_, what, 0};
    return ::poll(&end, 1, static_cast<int>(longest.count())) > 0;
  }

  int socket_;
  ConnectionLimits limits_;
  ConnectionClock::time_point deadline_;
  std::size_t bytes_left_ = 0;
  bool is_refused_ = false;
  bool has_answered_ = false;
  bool is_error_ = false;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

int BoundedServer::bind(const std::string& host, int port) {
  constexpr int most_at_once = 512;
  // Not SO_REUSEPORT, as usual: two servers would have the same port, each for some of its connections.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (port == 0)
    port = bind_to_any_port(host);
  else if (!bind_to_port(host, port))
    port = -1;
  if (port >= 0) ::listen(svr_sock_, most_at_once);
  return port;
}

bool BoundedServer::process_and_close_socket(socket_t socket) {
  BoundedStream stream(socket, limits_);
  // A few bytes may ask for the same part of an answer a thousand times.
  const auto all_of_it = [](httplib::Request& request) { request.ranges.clear(); };
  bool goes_on = true;
  for (std::size_t left = keep_alive_max_count_; goes_on && left > 0 && stream.wait_for_request(); --left) {
    bool is_closed = false;
    goes_on = process_request(stream, left == 1, is_closed, all_of_it) && !is_closed &&
              !stream.is_refused() && !stream.was_error();
  }
  if (stream.is_refused() && !stream.has_answered()) {
    constexpr std::string_view line = "{\"error\":\"the request is too long, or did not come in time\"}\n";
    const std::string answer = fmt::format(
        "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
        "Connection: close\r\n\r\n{}",
        line.size(), line);
    stream.write(answer.data(), answer.size());
  }
  ::shutdown(socket, SHUT_WR);
  stream.skip_rest();
  ::close(socket);
  return goes_on;
}

}  // namespace finegrain::explore
