// SPDX-License-Identifier: MIT
#pragma once

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace finegrain::explore {

/// What a connection may take.
struct ConnectionLimits {
  std::chrono::milliseconds silence;  ///< before a request, and between two bytes of it
  std::chrono::milliseconds request;  ///< from a request's first byte to its last one
  std::chrono::milliseconds write;    ///< until the client has taken what is written to it at once
  std::size_t request_bytes;          ///< headers included
};

/// A server that does not wait for clients whose requests come byte by byte, or never end: they get a line of
/// JSON. After an answer with the status of an error, the connection ends: what is left of the request is not
/// taken for another one.
class BoundedServer : public httplib::Server {
 public:
  explicit BoundedServer(const ConnectionLimits& limits) : limits_(limits) {}

  /// Binds as httplib does. Its library lets five clients come at once; a sixth would wait for a second.
  /// @param port  0: any @returns the port; -1: it cannot be had
  int bind(const std::string& host, int port);

 private:
  bool process_and_close_socket(socket_t socket) override;

  ConnectionLimits limits_;
};

}  // namespace finegrain::explore
