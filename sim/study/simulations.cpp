// SPDX-License-Identifier: MIT
#include "sim/study/simulations.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sim/model/numbered_phase.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/study/program_points.hpp"
#include "sim/study/scaled_links.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

/// Carries answers from the simulating processes as they are found: run_in_processes() returns them when all
/// are there, and a study that is killed must have lost none.
class AnswerPipe {
 public:
  AnswerPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw InputError("study", fmt::format("no pipe ({})", std::strerror(errno)), "Close other programs");
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~AnswerPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  AnswerPipe(const AnswerPipe&) = delete;
  AnswerPipe& operator=(const AnswerPipe&) = delete;

  void put(std::size_t job, const Answer& answer) const {
    constexpr std::size_t longest_reason = 1000;
    const nlohmann::json line = {job, answer.total_s.value_or(0), answer.phases_s,
                                 answer.none_because.substr(0, longest_reason), answer.interrupted};
    const std::string text = line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
    assert(text.size() <= PIPE_BUF);  // so that lines of several processes do not mix
    while (::write(ends_[1], text.data(), text.size()) < 0 && errno == EINTR) {
    }
  }

  /// Calls taken(job, answer) for each that has come in.
  void take(const std::function<void(std::size_t, const Answer&)>& taken) {
    std::array<char, 65536> buffer{};
    ssize_t count = 0;
    while ((count = ::read(ends_[0], buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR))
      if (count > 0) text_.append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      const auto line = nlohmann::json::parse(text_.substr(0, end));
      Answer answer;
      answer.none_because = line[3];
      if (answer.none_because.empty()) answer.total_s = line[1];
      line[2].get_to(answer.phases_s);
      answer.interrupted = line[4];
      taken(line[0], answer);
    }
  }

 private:
  std::array<int, 2> ends_{};
  std::string text_;
};

/// The slowest rank's time in each phase. Ranks have the same phases.
std::vector<std::pair<std::string, double>> slowest_phases_s(const Schedule& schedule,
                                                             const replay::ReplayResult& result) {
  std::vector<std::pair<std::string, double>> slowest;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> names = model::numbered(schedule.ranks[rank].regions);
    for (std::size_t phase = 0; phase < names.size(); ++phase) {
      const std::string name = names[phase].name();
      auto place = std::ranges::find(slowest, name, &std::pair<std::string, double>::first);
      if (place == slowest.end()) place = slowest.insert(slowest.end(), {name, 0});
      place->second = std::max(place->second, result.ranks[rank].phases_s[phase]);
    }
  }
  return slowest;
}

Answer simulate(const StudyPoint& point, const StudyInputs& inputs, const replay::ReplayOptions& options) {
  Answer answer;
  try {
    const ChangedPlatform& changed = inputs.platforms[point.platform];
    const ScaledPlatform platform(changed);
    if (!inputs.programs.empty())
      return simulate_program(inputs.programs[point.position(Axis::problem)], point, platform.platform(),
                              options);
    const Schedule schedule =
        policy::make_schedule(*inputs.problems[point.position(Axis::problem)], point.run);
    const problem::Placement placement = placement_by(point.placement, schedule);
    answer = answer_of(schedule, replay::replay(schedule, platform.platform(), options, &placement));
  } catch (const replay::TaskInterrupted& error) {
    answer.none_because = error.what();
    answer.interrupted = true;
  } catch (const InputError& error) {
    answer.none_because = error.what();
  } catch (const std::bad_alloc&) {
    answer.none_because = "out of memory. Use fewer processes";
    answer.interrupted = true;
  }
  return answer;
}

}  // namespace

Answer answer_of(const Schedule& schedule, const replay::ReplayResult& result) {
  return {.total_s = result.total_s, .phases_s = slowest_phases_s(schedule, result), .none_because = {}};
}

void simulate_points(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs, int processes,
                     const replay::ReplayOptions& options,
                     const std::function<void(const StudyPoint&, const Answer&)>& finished) {
  AnswerPipe pipe;
  std::vector<bool> answered(points.size());
  const auto take = [&] {
    pipe.take([&](std::size_t job, const Answer& answer) {
      answered[job] = true;
      finished(*points[job], answer);
    });
  };
  replay::run_in_processes(
      points.size(), processes,
      [&](std::size_t job) {
        pipe.put(job, simulate(*points[job], inputs, options));
        return std::string();
      },
      [&](std::size_t) { take(); },
      [&](std::size_t job, const replay::TaskInterrupted& error) {
        take();
        if (!answered[job]) {
          finished(*points[job],
                   {.total_s = {}, .phases_s = {}, .none_because = error.what(), .interrupted = true});
        }
      });
}

}  // namespace finegrain::study
