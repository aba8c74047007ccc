// SPDX-License-Identifier: MIT
#include "sim/replay/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/platform/speed_profile.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

constexpr std::string_view heading = "start_us,duration_us";
/// The share of its time that a core must have for work.
constexpr double least_share_for_work = 1e-6;
constexpr double shortest_period_s = 1e-9;
/// More detours than these are not gone through one by one, because that may take as good as for ever.
constexpr double very_many_detours = 1e4;

/// @param where  the noise's place, for the error @param remedy  what to do
void check_leaves_time(const Noise& noise, const std::string& where, const std::string& remedy) {
  if (1 - noise.share() >= least_share_for_work) return;
  throw InputError(where,
                   fmt::format("detours of {} in every {} leave less than a millionth of a core's time for "
                               "work (a run would hardly end)",
                               format_time(noise.duration_s), format_time(noise.period_s)),
                   remedy);
}

Noise::Kind kind_of(std::string_view name) {
  return name == "fixed" ? Noise::Kind::fixed : Noise::Kind::exponential;
}

/// "period=1ms,duration=10us"
Noise parse_distribution(Noise::Kind kind, const std::string& numbers, const std::string& where) {
  Noise noise{.kind = kind, .period_s = -1, .duration_s = -1};
  std::istringstream parts(numbers);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    double* const value = name == "period"     ? &noise.period_s
                          : name == "duration" ? &noise.duration_s
                                               : nullptr;
    if (value == nullptr || equals == std::string::npos)
      throw InputError(where, fmt::format("'{}' is no number of a noise", part),
                       "Give period and duration, e.g. fixed:period=1ms,duration=10us");
    if (*value >= 0)
      throw InputError(where, fmt::format("'{}': {} is given twice", numbers, name), "Give it once");
    *value = parse_time_s(part.substr(equals + 1), where);
  }
  if (noise.period_s < 0 || noise.duration_s < 0)
    throw InputError(where, fmt::format("'{}' has not both a period and a duration", numbers),
                     "Give both, e.g. fixed:period=1ms,duration=10us");
  if (noise.duration_s >= noise.period_s)
    throw InputError(where,
                     fmt::format("a detour of {} every {} leaves no time for work",
                                 format_time(noise.duration_s), format_time(noise.period_s)),
                     "Give a period that is longer than the duration");
  if (noise.period_s < shortest_period_s)
    throw InputError(
        where,
        fmt::format("a period of {:.3g} s is shorter than a nanosecond (no system's is)", noise.period_s),
        "Give a longer period");
  check_leaves_time(noise, where, "Give a period that is longer than the duration");
  return noise;
}

/// A line for each detour, "start_us,duration_us"; before them "# length_us=..." of the recording.
Noise read_recording(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(file, "it is a folder", "Give a file that noise_mpi wrote");
  std::ifstream in(file);
  if (!in)
    throw InputError(file, "cannot be read, and is no distribution",
                     "Give a file that noise_mpi wrote, or e.g. fixed:period=1ms,duration=10us");
  Noise noise{.kind = Noise::Kind::recorded};
  std::int64_t number = 0;
  const auto refuse = [&](const std::string& problem) {
    throw InputError(fmt::format("{}:{}", file, number), problem, "Record it again with noise_mpi");
  };
  double sum_s = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line == heading) continue;
    double first = 0;
    double second = 0;
    char more = 0;
    if (std::sscanf(line.c_str(), "# length_us=%lf%c", &first, &more) == 1) {
      noise.period_s = 1e-6 * first;
      continue;
    }
    if (line.starts_with('#')) continue;
    if (std::sscanf(line.c_str(), "%lf,%lf%c", &first, &second, &more) != 2)
      refuse(fmt::format("'{:.40}' is not a start and a duration in microseconds", line));
    const double before_us =
        noise.recorded.empty() ? 0 : 1e6 * (noise.recorded.back().start_s + noise.recorded.back().duration_s);
    constexpr double rounding_us = 1e-3;
    if (!(first >= before_us - rounding_us) || !(second > 0))
      refuse("a detour begins before the one before it ends, or has no duration");
    noise.recorded.push_back({1e-6 * std::max(first, before_us), 1e-6 * second});
    sum_s += noise.recorded.back().duration_s;
  }
  if (noise.recorded.empty()) refuse("no detour");
  const Noise::Detour& last = noise.recorded.back();
  if (!(noise.period_s > last.start_s + last.duration_s) || !std::isfinite(noise.period_s))
    refuse("no '# length_us=' that is longer than all detours");
  noise.duration_s = sum_s;
  if (noise.period_s < shortest_period_s) refuse("the recording is shorter than a nanosecond");
  check_leaves_time(noise, file, "Record it again with noise_mpi");
  return noise;
}

}  // namespace

Noise parse_noise(const std::string& text, const std::string& where) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (colon != std::string::npos && (name == "fixed" || name == "exponential"))
    return parse_distribution(kind_of(name), text.substr(colon + 1), where);
  return read_recording(text);
}

Noise with_longer_detours(Noise noise, double factor) {
  constexpr double most_share = 0.99;  // part of the time between two detours' starts
  noise.duration_s = std::min(noise.duration_s * factor, most_share * noise.period_s);
  if (noise.recorded.empty()) return noise;
  noise.duration_s = 0;
  for (std::size_t d = 0; d < noise.recorded.size(); ++d) {
    const bool is_last = d + 1 == noise.recorded.size();
    const double next_s =
        is_last ? noise.recorded.front().start_s + noise.period_s : noise.recorded[d + 1].start_s;
    Noise::Detour& detour = noise.recorded[d];
    detour.duration_s = std::min(detour.duration_s * factor,
                                 std::max(detour.duration_s, most_share * (next_s - detour.start_s)));
    noise.duration_s += detour.duration_s;
  }
  return noise;
}

CoreNoise::CoreNoise(const Noise& noise, std::uint64_t seed, std::uint64_t core) : noise_(&noise) {
  std::seed_seq seeds{seed & 0xffffffffU, seed >> 32U, core & 0xffffffffU, core >> 32U};
  random_.seed(seeds);
  if (noise.kind == Noise::Kind::recorded) {
    recording_start_s_ = -uniform() * noise.period_s;
  } else if (noise.kind == Noise::Kind::fixed) {
    start_s_ = uniform() * noise.period_s - noise.period_s;
    end_s_ = start_s_ + noise.duration_s;
    return;
  }
  next_detour();
}

double CoreNoise::uniform() {
  return static_cast<double>(random_() >> 11U) * 0x1p-53;
}

double CoreNoise::exponential() {
  return -std::log1p(-uniform());
}

void CoreNoise::next_detour() {
  switch (noise_->kind) {
    case Noise::Kind::fixed:
      start_s_ += noise_->period_s;
      end_s_ = start_s_ + noise_->duration_s;
      break;
    case Noise::Kind::exponential:
      start_s_ = end_s_ + exponential() * (noise_->period_s - noise_->duration_s);
      end_s_ = start_s_ + exponential() * noise_->duration_s;
      break;
    case Noise::Kind::recorded:
      if (next_recorded_ == noise_->recorded.size()) {
        next_recorded_ = 0;
        recording_start_s_ += noise_->period_s;
      }
      start_s_ = recording_start_s_ + noise_->recorded[next_recorded_].start_s;
      end_s_ = start_s_ + noise_->recorded[next_recorded_++].duration_s;
      break;
  }
}

double CoreNoise::detours_of_cycle() const {
  return noise_->kind == Noise::Kind::recorded ? static_cast<double>(noise_->recorded.size()) : 1;
}

void CoreNoise::shift(double seconds) {
  start_s_ += seconds;
  end_s_ += seconds;
  recording_start_s_ += seconds;
}

void CoreNoise::pass_over_until(double at_s) {
  const double cycles = std::floor((at_s - end_s_) / noise_->period_s) - 1;
  if (!(cycles * detours_of_cycle() > very_many_detours)) return;
  if (noise_->kind != Noise::Kind::exponential) return shift(cycles * noise_->period_s);
  // After so many, what the core does now has nothing to do with when the first began.
  if (uniform() < noise_->share()) {
    start_s_ = at_s;
    end_s_ = at_s + exponential() * noise_->duration_s;
  } else {
    end_s_ = at_s;
    next_detour();
  }
}

double CoreNoise::pass_over_work(double& now_s, double& work_s) {
  const double free_s = noise_->period_s - noise_->duration_s;
  const double cycles = std::floor(work_s / free_s) - 1;
  if (!(cycles * detours_of_cycle() > very_many_detours)) return 0;
  if (noise_->kind != Noise::Kind::exponential) {
    const double lost_s = cycles * noise_->duration_s;
    shift(cycles * noise_->period_s);
    now_s += cycles * noise_->period_s;
    work_s -= cycles * free_s;
    return lost_s;
  }
  // How many fall into the work, and how long they are together, as the sums of single draws would have it.
  const auto detours = std::poisson_distribution<std::int64_t>(work_s / free_s)(random_);
  const double lost_s =
      std::gamma_distribution<double>(static_cast<double>(detours), noise_->duration_s)(random_);
  now_s += work_s + lost_s;
  work_s = 0;
  end_s_ = now_s;
  next_detour();
  return lost_s;
}

void CoreNoise::skip_until(double at_s) {
  pass_over_until(at_s);
  while (end_s_ <= at_s) {
    const double before_s = end_s_;
    next_detour();
    if (end_s_ > before_s) continue;
    start_s_ = end_s_ = std::nextafter(at_s, 2 * at_s);  // the clock does not tell such detours apart
  }
}

double CoreNoise::noticed_s(double at_s) {
  if (noise_->duration_s == 0) return at_s;
  skip_until(at_s);
  return start_s_ <= at_s ? end_s_ : at_s;
}

double CoreNoise::lost_s(double start_s, double work_s) {
  if (noise_->duration_s == 0) return 0;
  skip_until(start_s);
  double lost_s = 0;
  double now_s = start_s;
  const auto sit_out = [&] {
    lost_s += end_s_ - now_s;
    now_s = end_s_;
    next_detour();
  };
  if (start_s_ <= start_s) sit_out();
  lost_s += pass_over_work(now_s, work_s);
  // Work of less than two periods is left, or of a number that is soon gone through; where the clock does not
  // tell detours apart any more, they end no work.
  double most_detours = 2 * (very_many_detours + detours_of_cycle());
  while (now_s + work_s > start_s_ && most_detours-- > 0) {
    work_s -= start_s_ - now_s;
    now_s = start_s_;
    sit_out();
  }
  return lost_s;
}

double CoreNoise::free_s(double from_s, double until_s) {
  if (noise_->duration_s == 0) return until_s - from_s;
  skip_until(from_s);
  double now_s = from_s;
  double free_s = 0;
  const double periods = std::floor((until_s - from_s) / noise_->period_s) - 1;
  if (periods * detours_of_cycle() > very_many_detours) {
    free_s = periods * (noise_->period_s - noise_->duration_s);
    now_s += periods * noise_->period_s;
    if (noise_->kind == Noise::Kind::exponential) {
      pass_over_until(now_s);
      skip_until(now_s);
    } else {
      shift(periods * noise_->period_s);
    }
  }
  while (start_s_ < until_s) {
    free_s += std::max(0., start_s_ - now_s);
    now_s = end_s_;
    if (end_s_ > until_s) return free_s;
    next_detour();
  }
  return free_s + std::max(0., until_s - now_s);
}

double CoreNoise::end_s(const platform::SpeedProfile& speed, double start_s, double work_s) {
  double now_s = start_s;
  while (true) {
    const auto [factor, until_s] = speed.stretch_at(now_s);
    if (factor > 0 && now_s + work_s / factor <= until_s) {
      CoreNoise after = *this;
      const double end_s = now_s + work_s / factor + after.lost_s(now_s, work_s / factor);
      if (end_s <= until_s) {
        *this = std::move(after);
        return end_s;
      }
    }
    if (factor > 0) work_s -= factor * free_s(now_s, until_s);
    now_s = until_s;
    const double rounding_s = 1e-12 + 1e-15 * now_s;
    if (work_s < rounding_s) return now_s;
  }
}

}  // namespace finegrain::replay
