// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "sim/explore/question.hpp"

namespace finegrain::explore {

/// A browser keeps what a page tells it to by the page's address: its port stays the same, if it can.
constexpr int usual_port = 17117;

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;      ///< 0: the usual one if it is free, otherwise any
  std::string page;  ///< HTML
  Askable askable;
  int processes = 1;   ///< questions that are answered at the same time; others wait in a queue
  bool stays = false;  ///< also when no page is open any more
  double idle_s = 60;  ///< otherwise it ends when no page has been open for so long
};

/// Serves the page, and answers its questions: GET / of a random token, POST /answers, GET /open. Requests
/// that come from pages of other servers, by another host's name or without the token are refused.
/// @param questions  the other end is that of carry_out_questions()
/// @param ready  called with the page's address once it can be opened
/// Returns when no page has been open for a minute.
/// @throws InputError if the port cannot be had
void serve(const ServerOptions& options, int questions, const std::function<void(const std::string&)>& ready);

}  // namespace finegrain::explore
