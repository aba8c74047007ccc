// SPDX-License-Identifier: MIT
#pragma once

#define CPPHTTPLIB_LISTEN_BACKLOG 512  // connections that come at once
#include <httplib.h>

#include <chrono>
#include <cstddef>

namespace finegrain::explore {

/// What a connection may take.
struct ConnectionLimits {
  std::chrono::milliseconds silence;  ///< before a request, and between two bytes of it
  std::chrono::milliseconds request;  ///< from a request's first byte to its last one
  std::chrono::milliseconds write;    ///< until the client has taken what is written to it at once
  std::size_t request_bytes;          ///< headers included
};

/// A server that does not wait for clients whose requests come byte by byte, or never end. They get one line
/// of JSON, and the connection ends.
class BoundedServer : public httplib::Server {
 public:
  explicit BoundedServer(const ConnectionLimits& limits) : limits_(limits) {}

 private:
  bool process_and_close_socket(socket_t socket) override;

  ConnectionLimits limits_;
};

}  // namespace finegrain::explore
