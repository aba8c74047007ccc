// SPDX-License-Identifier: MIT
#include "sim/explore/bounded_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

using namespace finegrain::explore;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t bytes_of_page = 32 * 1024 * 1024;  // more than what sockets hold

/// A server of a word, and of a page that is long.
class Serving {
 public:
  Serving() {
    server_.Get("/word", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("word", "text/plain");
    });
    server_.Get("/page", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content_provider(
          bytes_of_page, "text/plain",
          [](std::size_t, std::size_t length, httplib::DataSink& sink) {
            return sink.write(std::string(length, 'x').data(), length);
          },
          [this](bool is_complete) { (is_complete ? taken_ : given_up_) = true; });
    });
    port_ = server_.bind("127.0.0.1", 0);
    REQUIRE(port_ > 0);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Serving() {
    server_.stop();
    thread_.join();
  }
  int port() const { return port_; }
  const std::atomic<bool>& given_up() const { return given_up_; }

 private:
  BoundedServer server_{{.silence = 400ms, .request = 800ms, .write = 500ms, .request_bytes = 2000}};
  std::atomic<bool> taken_ = false;
  std::atomic<bool> given_up_ = false;
  std::thread thread_;
  int port_ = 0;
};

/// A client's connection.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool say(const std::string& text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// All that comes until the server ends the connection.
  std::string rest() {
    std::string text;
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = ::recv(socket_, bytes.data(), bytes.size(), 0)) > 0;)
      text.append(bytes.data(), static_cast<std::size_t>(count));
    return text;
  }
  void take_a_byte() {
    char next = 0;
    (void)::recv(socket_, &next, 1, MSG_DONTWAIT);
  }
  /// Whether something has come.
  bool was_answered() {
    char next = 0;
    return ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  }

 private:
  int socket_;
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

const std::string late = "{\"error\":\"the request is too long, or did not come in time\"}\n";

}  // namespace

TEST_CASE("a request that comes byte by byte is refused with one line when its time is over") {
  const Serving serving;
  Client client(serving.port());
  const auto began = std::chrono::steady_clock::now();
  client.say("GET /");
  while (!client.was_answered() && client.say("x"))
    std::this_thread::sleep_for(50ms);
  CHECK(client.rest().ends_with("\r\n\r\n" + late));
  CHECK(std::chrono::steady_clock::now() - began >= 800ms);
}

TEST_CASE("a request that is longer than it may be is refused with one line") {
  const Serving serving;
  Client client(serving.port());
  client.say("GET /" + std::string(3000, 'x'));
  CHECK(client.rest().ends_with("\r\n\r\n" + late));
}

TEST_CASE("two requests that come at once are answered one after the other") {
  const Serving serving;
  Client client(serving.port());
  client.say("GET /word HTTP/1.1\r\n\r\nGET /word HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string said = client.rest();
  CHECK(times(said, "HTTP/1.1 200 OK\r\n") == 2);
  CHECK(times(said, "\r\n\r\nword") == 2);
}

TEST_CASE("after an error, the rest of a request is not another request") {
  const Serving serving;
  Client client(serving.port());
  client.say("GET /nothing HTTP/1.1\r\n\r\nGET /word HTTP/1.1\r\n\r\n");
  const std::string said = client.rest();
  CHECK(said.starts_with("HTTP/1.1 404 Not Found\r\n"));
  CHECK(times(said, "HTTP/1.1 ") == 1);
}

TEST_CASE("parts of an answer that are asked for many times come once, with the whole") {
  const Serving serving;
  Client client(serving.port());
  client.say("GET /word HTTP/1.1\r\nRange: bytes=0-,0-,0-\r\nConnection: close\r\n\r\n");
  CHECK(client.rest().ends_with("\r\n\r\nword"));
}

TEST_CASE("a client that takes nothing is given up") {
  const Serving serving;
  Client client(serving.port());
  client.say("GET /page HTTP/1.1\r\n\r\n");
  for (int wait = 0; wait < 200 && !serving.given_up(); ++wait)
    std::this_thread::sleep_for(50ms);
  CHECK(serving.given_up());
}

TEST_CASE("a client that takes a byte now and then is given up, and others are answered meanwhile") {
  const Serving serving;
  Client slow(serving.port());
  slow.say("GET /page HTTP/1.1\r\n\r\n");
  bool is_other_answered = false;
  for (int wait = 0; wait < 200 && !serving.given_up(); ++wait) {
    slow.take_a_byte();
    std::this_thread::sleep_for(20ms);
    if (is_other_answered) continue;
    Client other(serving.port());
    other.say("GET /word HTTP/1.1\r\nConnection: close\r\n\r\n");
    is_other_answered = other.rest().ends_with("\r\n\r\nword") && !serving.given_up();
  }
  CHECK(is_other_answered);
  CHECK(serving.given_up());
}

TEST_CASE("a port is one server's, not shared with another") {
  const ConnectionLimits limits{.silence = 400ms, .request = 800ms, .write = 500ms, .request_bytes = 2000};
  BoundedServer first(limits);
  const int port = first.bind("127.0.0.1", 0);
  REQUIRE(port > 0);
  CHECK(BoundedServer(limits).bind("127.0.0.1", port) == -1);
}
