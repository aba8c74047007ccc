// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace finegrain::platform {
class SpeedProfile;
}

namespace finegrain::replay {

/// What an operating system does on a core while a rank works there: from time to time it takes the core
/// away for a while (a detour). Each core has detours of its own.
struct Noise {
  enum class Kind : std::uint8_t {
    fixed,  ///< a detour every period, of one duration; where the first begins differs from core to core
    exponential,  ///< durations and the times between detours are drawn, with these means
    recorded,     ///< the detours of a recording, again and again, each core from a place of its own on
  };
  struct Detour {
    double start_s;
    double duration_s;
  };
  Kind kind = Kind::fixed;
  double period_s = 0;    ///< from start to start, in the mean; of a recording its length
  double duration_s = 0;  ///< in the mean
  std::vector<Detour> recorded = {};

  double share() const { return duration_s / period_s; }
};

/// "fixed:period=1ms,duration=10us", "exponential:period=1ms,duration=10us", or the name of a file that
/// noise_mpi wrote. @param where  named in errors
/// @throws InputError if it is none of them, or detours leave a core less than a millionth of its time
Noise parse_noise(const std::string& text, const std::string& where);

/// The noise with detours that last this many times as long; at most until shortly before the next one. They
/// begin when they began, or a recording's do.
Noise with_longer_detours(Noise noise, double factor);

/// The detours of one core, one after the other.
class CoreNoise {
 public:
  /// @pre the noise outlives it
  CoreNoise(const Noise& noise, std::uint64_t seed, std::uint64_t core);

  /// Seconds of detours during work that begins at a time and needs a number of seconds of the core. A detour
  /// that began before and is not over delays the work.
  /// @pre no start is before the end of earlier work
  double lost_s(double start_s, double work_s);
  /// When work ends that begins at a time, on a core whose speed changes.
  /// @param work_s  that it takes at full speed without detours
  /// @pre as above
  double end_s(const platform::SpeedProfile& speed, double start_s, double work_s);
  /// When a rank that waits notices what happens then: at once, or at the end of a detour.
  /// @pre as above
  double noticed_s(double at_s);

 private:
  void skip_until(double at_s);
  /// Seconds without detours from one time to another.
  double free_s(double from_s, double until_s);
  /// The same at one stroke, but for the last detours, if there are very many.
  void pass_over_until(double at_s);
  /// Takes the part of the work at one stroke that lies in whole periods, if they are very many.
  /// @param now_s, work_s  when the work goes on, and how much of it is left: changed
  /// @returns the seconds of the detours
  double pass_over_work(double& now_s, double& work_s);
  /// The detours that follow one another before all comes again.
  double detours_of_cycle() const;
  void shift(double seconds);
  void next_detour();
  double uniform();      ///< in [0, 1)
  double exponential();  ///< with a mean of 1

  const Noise* noise_;
  std::mt19937_64 random_;
  double start_s_ = 0;  ///< the start of the detour at hand: the first that ends after all that was asked for
  double end_s_ = 0;
  std::size_t next_recorded_ = 0;
  double recording_start_s_ = 0;
};

}  // namespace finegrain::replay
