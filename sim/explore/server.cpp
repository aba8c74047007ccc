// SPDX-License-Identifier: MIT
#include "sim/explore/server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "sim/explore/bounded_server.hpp"
#include "sim/explore/kept_answers.hpp"
#include "sim/explore/under_way.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::explore {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A class of 30 has up to six connections each. Others wait until one of them ends.
constexpr int most_connections = 512;
constexpr std::size_t most_kept_bytes = 64 * 1024 * 1024;
constexpr std::size_t most_bytes_of_an_answer = most_kept_bytes;
constexpr std::size_t most_bytes_of_a_request = 32 * 1024;
/// Beyond these, connections are left for others, who get a line that says so.
constexpr std::size_t most_waiting = 200;
constexpr int most_open_pages = 200;
constexpr ConnectionLimits limits_of_connections{
    .silence = 2s, .request = 5s, .write = 60s, .request_bytes = 8 * most_bytes_of_a_request};
constexpr std::size_t longest_name_of_a_page = 64;
constexpr auto longest_answer = 120s;

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i)
    token += fmt::format("{:08x}", random());
  return token;
}

std::string line_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

nlohmann::json error_of(const std::string& text) {
  return {{"error", text}};
}

/// Each connection has a thread. While there are as many as there may be, no other one is accepted.
class Connections : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return count_ < most_connections; });
    ++count_;
    std::thread([this, serve = std::move(serve)] {
      serve();
      const std::lock_guard ending(mutex_);
      --count_;
      ended_.notify_all();
    }).detach();
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  int count_ = 0;
};

/// One question, from its arrival to its answer.
struct Asked {
  std::vector<std::string> words;
  std::vector<std::string> first_look;  ///< words, too; empty: none is asked for
  bool is_detail = false;               ///< it takes long, and others go before it
  std::uint64_t number = 0;             ///< in the order of arrival
  std::uint64_t of_page = 0;            ///< in the order in which the page asked
  std::atomic<bool> is_cancelled = false;
};

/// Who may be answered when. Questions are answered in the order of their arrival, those for details after
/// all others; a newer one of the same page cancels the older.
class Queue {
 public:
  explicit Queue(int processes) : processes_(processes) {}

  /// @param page  its name; empty: none, and nothing cancels the question
  /// @param of_page  counts the page's questions, which may arrive in another order
  /// @throws InputError if too many wait
  std::shared_ptr<Asked> add(const std::string& page, std::uint64_t of_page, std::vector<std::string> words,
                             std::vector<std::string> first_look) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= most_waiting)
      throw InputError("question", "too many others wait for their answers", "Ask again later");
    auto asked = std::make_shared<Asked>();
    asked->words = std::move(words);
    asked->first_look = std::move(first_look);
    asked->is_detail = asked->words.front() == "report";
    asked->number = ++last_;
    asked->of_page = of_page;
    if (!page.empty()) {
      std::weak_ptr<Asked>& newest = of_pages_[page];
      const auto other = newest.lock();
      if (other) (other->of_page < of_page ? *other : *asked).is_cancelled = true;
      if (!asked->is_cancelled) newest = asked;
    }
    std::erase_if(of_pages_, [](const auto& entry) { return entry.second.expired(); });
    waiting_.insert({asked->is_detail, asked->number});
    changed_.notify_all();
    return asked;
  }

  /// @returns how many come before it; 0: it is its turn, and leave() has to follow
  std::size_t wait(const Asked& asked, std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    const auto before = [&] {
      const auto own = waiting_.find({asked.is_detail, asked.number});
      return static_cast<std::size_t>(std::distance(waiting_.begin(), own)) +
             static_cast<std::size_t>(running_ < processes_ ? 0 : 1);
    };
    changed_.wait_for(lock, longest, [&] { return before() == 0 || asked.is_cancelled; });
    if (before() != 0 || asked.is_cancelled) return std::max<std::size_t>(before(), 1);
    waiting_.erase({asked.is_detail, asked.number});
    ++running_;
    changed_.notify_all();
    return 0;
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void give_up(const Asked& asked) {
    const std::lock_guard lock(mutex_);
    waiting_.erase({asked.is_detail, asked.number});
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int processes_;
  int running_ = 0;
  std::uint64_t last_ = 0;
  std::set<std::pair<bool, std::uint64_t>> waiting_;  ///< in the order of their turns
  std::map<std::string, std::weak_ptr<Asked>> of_pages_;
};

/// What a process said on its standard error: progress, which overwrites itself, and lines.
struct Errors {
  std::string progress;
  std::vector<std::string> lines;
};

Errors errors_in(const std::string& text) {
  Errors errors;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find_first_of("\r\n", begin);
    if (end == std::string::npos) break;
    std::string piece = text.substr(begin, end - begin);
    if (const std::size_t escape = piece.find('\033'); escape != std::string::npos) piece.resize(escape);
    if (text[end] == '\r')
      errors.progress = piece;
    else if (!piece.empty())
      errors.lines.push_back(piece);
    begin = end + 1;
  }
  return errors;
}

/// The last line of an answer.
nlohmann::json answer_of(const UnderWay& question) {
  const Errors errors = errors_in(question.errors());
  if (question.exit_code() == 0) {
    nlohmann::json answers = nlohmann::json::parse(question.output(), nullptr, false);
    if (answers.is_discarded()) return error_of("what was answered is no JSON");
    return {{"answers", std::move(answers)}, {"warnings", errors.lines}};
  }
  for (const std::string& line : errors.lines)
    if (constexpr std::string_view name = "finegrain: "; line.starts_with(name))
      return error_of(line.substr(name.size()));
  if (question.exit_code() && !errors.lines.empty()) return error_of(errors.lines.front());
  return error_of(
      "the simulation was stopped, because it took more time or memory than a page may ask for. "
      "Ask for fewer ranks or iterations, or use the command line");
}

/// Carries out a question's words, and tells its progress. @param say  false: the page no longer wants it
/// @returns the last line; null: the question was given up
nlohmann::json carried_out(const std::vector<std::string>& words, int questions,
                           const std::function<bool()>& is_given_up,
                           const std::function<bool(const nlohmann::json&)>& say) {
  UnderWay question(questions, words);
  const auto begin = Clock::now();
  std::string shown;
  while (question.wait(50ms)) {
    if (is_given_up()) return nullptr;
    if (Clock::now() - begin > longest_answer || question.output().size() > most_bytes_of_an_answer) break;
    std::string progress = errors_in(question.errors()).progress;
    if (progress == shown) continue;
    shown = std::move(progress);
    if (!say({{"progress", shown}})) return nullptr;
  }
  return answer_of(question);
}

/// Answers a question, line by line. While the last line is written, it is the next question's turn: a client
/// that is slow to take it holds up no other. @returns whether the page still wants it
bool answer(const Asked& asked, Queue& queue, KeptAnswers& kept, int questions, httplib::DataSink& sink) {
  const auto write = [&](const std::string& line) {
    return sink.is_writable() && sink.write(line.data(), line.size());
  };
  const auto say = [&](const nlohmann::json& json) { return write(line_of(json)); };
  if (const std::string line = kept.find(asked.words); !line.empty()) {
    queue.give_up(asked);
    return write(line);
  }
  const nlohmann::json cancelled = error_of("a newer question of the page took its place");
  auto said = Clock::now();
  while (const std::size_t before = queue.wait(asked, 100ms)) {
    if (asked.is_cancelled || !sink.is_writable()) {
      queue.give_up(asked);
      return say(cancelled);
    }
    if (Clock::now() - said < 1s) continue;
    said = Clock::now();
    say({{"waiting", before}});
  }
  std::shared_ptr<void> turn(nullptr, [&](void*) { queue.leave(); });
  if (const std::string line = kept.find(asked.words); !line.empty()) {  // meanwhile
    turn.reset();
    return write(line);
  }
  const auto is_given_up = [&] { return asked.is_cancelled || !sink.is_writable(); };
  if (!asked.first_look.empty()) {
    const nlohmann::json look = carried_out(asked.first_look, questions, is_given_up, say);
    if (look.is_null() || is_given_up()) return say(cancelled);
    // If it fails, the whole answer says why.
    if (look.contains("answers") && !say({{"first_look", look["answers"]}})) return false;
  }
  const nlohmann::json last = carried_out(asked.words, questions, is_given_up, say);
  if (last.is_null()) return say(cancelled);
  const std::string line = line_of(last);
  if (last.contains("answers")) kept.keep(asked.words, line);
  turn.reset();
  return write(line);
}

/// Whether pages are open, and since when none is.
class OpenPages {
 public:
  /// @returns false: there are as many as there may be
  bool opened() {
    const std::lock_guard lock(mutex_);
    if (count_ == most_open_pages) return false;
    ++count_;
    was_any_ = true;
    return true;
  }
  void closed() {
    const std::lock_guard lock(mutex_);
    --count_;
    since_ = Clock::now();
  }
  /// Whether a page was open, and none has been for so long.
  bool are_gone(double seconds) const {
    const std::lock_guard lock(mutex_);
    return was_any_ && count_ == 0 && Clock::now() - since_ > std::chrono::duration<double>(seconds);
  }

 private:
  mutable std::mutex mutex_;
  int count_ = 0;
  bool was_any_ = false;
  Clock::time_point since_ = Clock::now();
};

/// An address of this computer, as a browser names it. Another name may be one that another server's page
/// had given to this address (DNS rebinding).
bool is_own_name(std::string host, int port, const std::string& listens) {
  const std::string end = fmt::format(":{}", port);
  if (!host.ends_with(end)) return false;
  host.resize(host.size() - end.size());
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]" || host == listens) return true;
  if (listens == "127.0.0.1") return false;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return host == name.data() || host.find_first_not_of("0123456789.") == std::string::npos ||
         host.starts_with('[');
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_header("Connection", "close");
  response.set_content(line_of(error_of(why)), "application/json");
}

}  // namespace

void serve(const ServerOptions& options, int questions,
           const std::function<void(const std::string&)>& ready) {
  BoundedServer server(limits_of_connections);
  server.set_tcp_nodelay(
      true);  // before its socket is made; otherwise an answer waits 40 ms for its own header
  int port = server.bind(options.host, options.port == 0 ? usual_port : options.port);
  if (port < 0 && options.port == 0) port = server.bind(options.host, 0);
  if (port < 0)
    throw InputError(fmt::format("{}:{}", options.host, options.port), "cannot be listened to",
                     "Name an address of this computer, and a port that no other program has");
  const std::string root = "/" + random_token() + "/";
  Queue queue(options.processes);
  KeptAnswers kept(most_kept_bytes);
  OpenPages pages;
  std::atomic<bool> ends = false;

  server.new_task_queue = [] { return new Connections; };
  server.set_payload_max_length(most_bytes_of_a_request);
  server.set_keep_alive_max_count(1000);
  server.set_default_headers(
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", "no-store"}});
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    if (!is_own_name(host, port, options.host)) {
      refuse(response, 403,
             "the request names another host. Open the address that finegrain explore printed");
      return httplib::Server::HandlerResponse::Handled;
    }
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
      refuse(response, 403, "pages of other servers may not ask");
      return httplib::Server::HandlerResponse::Handled;
    }
    if (request.has_header("Content-Encoding")) {  // a few bytes may stand for gigabytes
      refuse(response, 400, "a question is not compressed");
      return httplib::Server::HandlerResponse::Handled;
    }
    return httplib::Server::HandlerResponse::Unhandled;
  });
  server.set_exception_handler(
      [](const auto&, httplib::Response& response, const std::exception_ptr& thrown) {
        try {
          std::rethrow_exception(thrown);
        } catch (const InputError& error) {
          refuse(response, 400, error.what());
        } catch (const std::exception& error) {
          refuse(response, 500, error.what());
        }
      });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty())
      refuse(response, response.status,
             response.status == 404
                 ? "there is nothing here. Open the whole address that finegrain explore printed"
                 : "the request is broken, too long, or did not come in time");
  });
  server.Get(root, [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(options.page, "text/html; charset=utf-8");
  });
  server.Post(root + "answers", [&](const httplib::Request& request, httplib::Response& response) {
    if (!request.get_header_value("Content-Type").starts_with("application/json"))
      return refuse(response, 400, "a question is application/json");
    const auto asked =
        queue.add(request.get_header_value("X-Page").substr(0, longest_name_of_a_page),
                  std::strtoull(request.get_header_value("X-Question").c_str(), nullptr, 10),
                  words_of(request.body, options.askable), first_look_of(request.body, options.askable));
    response.set_chunked_content_provider(
        "application/x-ndjson",
        [&, asked](std::size_t, httplib::DataSink& sink) {
          const bool is_answered = answer(*asked, queue, kept, questions, sink);
          if (is_answered) sink.done();
          return is_answered;
        },
        [&, asked](bool) { queue.give_up(*asked); });
  });
  server.Get(root + "open", [&](const httplib::Request&, httplib::Response& response) {
    if (!pages.opened()) return refuse(response, 503, "too many pages are open. Close one of them");
    response.set_chunked_content_provider(
        "text/event-stream",
        [&](std::size_t, httplib::DataSink& sink) {
          constexpr std::string_view nothing = ":\n\n";
          if (ends || !sink.is_writable() || !sink.write(nothing.data(), nothing.size())) return false;
          for (int i = 0; i < 10 && !ends; ++i)
            std::this_thread::sleep_for(100ms);
          return true;
        },
        [&](bool) { pages.closed(); });
  });

  std::thread watch([&] {
    while (!ends) {
      std::this_thread::sleep_for(100ms);
      if (!options.stays && pages.are_gone(options.idle_s)) {
        ends = true;
        server.stop();
      }
    }
  });
  ready(fmt::format("http://{}:{}{}", options.host, port, root));
  server.listen_after_bind();
  ends = true;
  watch.join();
}

}  // namespace finegrain::explore
