// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/replay/energy.hpp"
#include "sim/replay/waits.hpp"
#include "traces/programs.hpp"

namespace finegrain::collectives {
class Decisions;
}
namespace finegrain::problem {
class Placement;
}
namespace finegrain {
struct Manifest;
}

namespace finegrain::replay {

class AssignedTasks;
class KeptAnswers;
struct FoldedPrograms;
struct Noise;

/// Seconds of one iteration's regions, to replay those that are nothing but work instead of their memory
/// volumes. Shape [ranks][regions]
using PhaseDurations = std::vector<std::vector<double>>;

/// Iterations are simulated until they repeat; the time of the others is added. The same is done for a loop
/// of a recorded program that all ranks have together.
struct ReplayOptions {
  /// Largest change of any rank's iteration or phase, relative to the iteration, that counts as a repeat; 0
  /// simulates every iteration. In the tests, a total is within 1e-5 of the full simulation's.
  double repeat_tolerance = 1e-5;
  /// After this many iterations without a repeat, the mean of the last 32 stands for the rest of
  /// coupled ranks; see ReplayResult::repeats.
  std::int64_t most_iterations = 128;
  /// The reference: an actor of SimGrid a rank and a flow a message. Slow where many are on their way at
  /// once.
  bool one_flow_per_message = false;
  /// Otherwise: the shares of a link with many flows are computed again when its load differs from its
  /// bandwidth by more than this fraction. 0 is exact except for rounding, and slower.
  double share_tolerance = 5e-3;
  EnergyOptions energy = {};
  /// A recorded program whose work varies is simulated with the other WorkTimes, too:
  /// ReplayResult::other_work_s.
  bool compares_work = false;
  /// Simulations whose answers it knows are not simulated again, and the others' are kept there. None: all
  /// are simulated.
  std::shared_ptr<KeptAnswers> kept = {};
  // Replays without these show what they contribute (finegrain validate).
  bool puts_and_gets_share_links = true;
  bool barriers_take_time = true;
};

/// Simulated seconds and joules of one rank over all iterations.
struct RankReplay {
  double finish_s = 0;
  std::vector<double> phases_s;  ///< shape [regions of its body], or that of ReplayResult::regions
  /// What the rank adds to the energy that idle nodes need. Shape as phases_s; empty where the platform does
  /// not say its powers.
  std::vector<double> phases_j = {};
  PhaseWaits waits = {};  ///< by the phases of phases_s; not known with one_flow_per_message
  double awaited_s = 0;   ///< how long other ranks waited until this one had come, all of them together
  /// Of recorded programs: the work between calls, each part with the phase of the call that follows it.
  /// Shape as phases_s, or shorter.
  std::vector<double> work_before_s = {};
};

/// A loop of recorded programs that was not simulated as a whole.
struct FoldedLoop {
  std::int64_t iterations = 0;
  std::int64_t simulated = 0;  ///< how many of them
  std::int64_t calls = 0;      ///< rank 0's in an iteration
  /// Whether the iterations that were simulated had their own times between calls; otherwise the means of
  /// all.
  bool is_sampled = false;
  bool varies = false;      ///< work does, from iteration to iteration
  bool keeps_work = false;  ///< its work stays as recorded, although undisturbed work was asked for
  /// How much longer the slowest rank's work of each iteration is than that of the rank that works most in
  /// all, relative. Where ranks meet several times in an iteration, they wait for longer than this.
  double noise = 0;
  double standard_error_s = 0;  ///< the loop time's, where it is sampled
  bool is_usual = false;        ///< its work is each rank's usual one, though it varies
};

/// How much of it was simulated, for notes: "128 of 1000 iterations ..."
std::string describe(const FoldedLoop& loop);

/// Which times the work of a recorded program takes in a loop that all ranks have together.
enum class WorkTimes : std::uint8_t {
  as_recorded,  ///< each iteration its own
  undisturbed,  ///< each rank's usual one: what comes and goes is left out, what lasts is kept
  mean          ///< each rank's mean of all iterations, what comes and goes included
};

/// What is asked of a recording unless somebody says otherwise: undisturbed if ranks shared cores in it.
WorkTimes usual_work(const Manifest& recording);

struct ReplayResult;
struct ReplayJob;
/// What it costs that work varies from iteration to iteration, for notes; empty where that is not known.
std::string describe_variation(const ReplayResult& result);

/// For notes where every call is simulated: that its work is as it was recorded, if it would not be
/// otherwise; else empty.
std::string describe_work_of_every_call(const ReplayJob& job);

/// Messages that no rank receives. A program may end like that, but seldom does so on purpose.
struct UnreceivedMessages {
  std::int64_t count = 0;
  // The first connection that has such messages.
  std::int32_t sender = 0;
  std::int32_t receiver = 0;
  std::int32_t tag = 0;
};

/// Programs whose recordings end before they did (ProgramCursor::ends_early()): the run was killed.
struct EarlyEnd {
  std::int64_t ranks = 0;  ///< that were simulated to the end of their recordings
  std::int32_t first_rank = 0;
  double first_s = 0;        ///< when that rank's recording ended, the first of all
  std::string waiting = {};  ///< those that wait for what was not recorded: "rank 0 in MPI_Recv, 3 others"
};

/// For notes: "the trace ends early ..."
std::string describe(const EarlyEnd& end, double total_s);

/// What a master that receives from any source took and gave (SelfScheduling).
struct TasksGiven {
  std::int32_t master = 0;
  std::int64_t results = 0;      ///< that it took
  std::int64_t other_order = 0;  ///< how many of them came from another rank than in the recording
  std::int64_t tasks = 0;        ///< that it gave to who came first
  std::int64_t moved = 0;        ///< how many of them went to another rank than in the recording
};

/// How long what ranks send to other nodes would take if each message were alone on its way, all messages of
/// the simulated iterations together. How these seconds relate says of what kind the traffic is.
struct UnloadedTransfers {
  double latencies_s = 0;
  double bytes_s = 0;  ///< over the narrowest link of each route
  double bytes_in_turn_s =
      0;  ///< likewise, of puts and gets for each of which its rank waits before the next
};

struct ReplayResult {
  double total_s = 0;                     ///< when the last rank finishes
  std::int64_t simulated_iterations = 0;  ///< how many of run.iterations; the others repeat them
  bool repeats = true;  ///< false: after most_iterations they had not, and the mean of the last 32 goes on
  double repeat_change = 0;  ///< largest of a rank's period that goes on, against the one before, relative
  std::int64_t flows = 0;    ///< transfers that went through SimGrid's network model
  UnloadedTransfers unloaded = {};  ///< none with one_flow_per_message
  /// Receives of any source, which take the message that they took in the recording; and how many of them
  /// get it before the receive posted before them gets its own, so that another run might match differently.
  struct Wildcards {
    std::int64_t count = 0;
    std::int64_t out_of_order = 0;
  };
  Wildcards wildcards;
  /// The tasks of a program with one master that receives from any source: the wildcards took the messages
  /// that come first on this platform. None: they took those of the recording.
  std::optional<TasksGiven> tasks = {};
  /// Waits of one of a rank's threads for a collective, at which the rank went on before its end: in the
  /// order of the recording, and with other algorithms than there, ranks would have waited forever.
  std::int64_t waits_passed_over = 0;
  std::vector<RankReplay> ranks;  ///< shape [run.ranks]
  /// For programs whose iterations differ: the names of each rank's regions. The n-th region of a name is the
  /// n-th one in every iteration. Empty for a schedule, whose bodies hold the names.
  std::vector<std::vector<std::string>> regions;
  std::vector<FoldedLoop> loops;            ///< the programs'
  WorkTimes work = WorkTimes::as_recorded;  ///< ReplayJob::work
  /// The total with the other work; none: nobody asked, or no work varies.
  std::optional<double> other_work_s = {};
  std::optional<Energy> energy;  ///< none: the platform does not say its powers
  UnreceivedMessages unreceived;
  EarlyEnd early_end;  ///< then total_s is when the last rank ended, or began to wait for what is missing
};

/// Which messages the receives from any source took, for notes; empty where there are none.
std::string describe_wildcards(const ReplayResult& result);

/// Seconds of every rank, by the name of a region. Shape [ranks] each
using RegionSeconds = std::map<std::string, std::vector<double>>;

/// Which calls take the time that they took in the recording, for notes: those on files and those that start
/// or meet other programs, with what a rank waited for in them. Empty where they are less than 1 % of the
/// run.
std::string describe_kept_calls(const ReplayResult& result);
/// The joules in the same form (RankReplay::phases_j).
using RegionJoules = std::map<std::string, std::vector<double>>;

/// What a program's regions of a name took each rank, all together.
RegionSeconds region_seconds(const ReplayResult& result);
RegionJoules region_joules(const ReplayResult& result);
/// What was waited for in the same form (RankReplay::waits). Shape [ranks] each
using RegionWaits = std::map<std::string, std::vector<Waits>>;
RegionWaits region_waits(const ReplayResult& result);
/// How much of that was waiting for late partners.
RegionSeconds region_late_seconds(const ReplayResult& result);

double sum_over_ranks(const std::vector<double>& seconds);

/// The network model of every replay, as it is stated in outputs.
std::string_view network_model(const ReplayOptions& options);

/// Replays a schedule on a platform, in a process of its own (SimGrid's clock does not restart), and waits
/// for it. The i-th node is the i-th host, hosts taken in natural order of their names.
/// @param placement  none: block
/// @throws InputError if the platform has too few hosts or SimGrid refuses it, or the schedule's sends and
/// receives do not match
ReplayResult replay(const Schedule& schedule, const platform::Platform& platform,
                    const ReplayOptions& options = {}, const problem::Placement* placement = nullptr);

/// Whether ranks meet in collective operations other than barriers of all of them.
bool has_collectives(const Schedule& schedule);

/// Where several programs run side by side: the group of each rank, and what the groups have of their own.
struct Groups {
  /// Each rank's group, counted from 0: a barrier of all ranks is one of its group's. Empty: all ranks are
  /// one group.
  std::span<const int> of_ranks = {};
  /// `decisions` of each group; empty: the same for all.
  std::span<const collectives::Decisions* const> decisions = {};
  /// `work_flops_per_s` of each group; empty: the same for all.
  std::span<const std::optional<double>> work_flops_per_s = {};
  /// When the ranks of each group begin, which wait before in a region of their own; empty: at 0.
  std::span<const double> starts_s = {};
};

/// Which of the cores of a noise the ranks have.
struct CoresOfNoise {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  ///< rank 0's
};

struct ReplayJob {
  const Schedule* schedule;
  const platform::Platform* platform;
  const PhaseDurations* durations = nullptr;      ///< none: volumes are replayed
  const problem::Placement* placement = nullptr;  ///< none: block
  /// What ranks do, instead of the schedule's bodies: read as it is simulated, all of it, in bounded memory.
  const Programs* programs = nullptr;
  /// How an MPI library carries out collective operations. None: as the platform's library does, except that
  /// a barrier of all ranks is a dissemination barrier.
  const collectives::Decisions* decisions = nullptr;
  /// Seconds on the platform for each second of the programs' work of which only the time is known.
  double compute_scale = 1;
  /// Work takes the programs' times where a host does this many flops a second, and each host its own
  /// speed's. None: they are the times on the platform's first host, and hosts of other speeds take theirs in
  /// proportion.
  std::optional<double> work_flops_per_s = {};
  const FoldedPrograms* folded = nullptr;  ///< `programs`, with their loops found: replay_all() finds them
  /// The host of each node, by its place among all in natural order of their names. Empty: the first ones.
  std::span<const int> hosts = {};
  Groups groups = {};
  const Noise* noise = nullptr;  ///< that of every rank's core; then each iteration is simulated
  CoresOfNoise cores = {};
  WorkTimes work = WorkTimes::as_recorded;  ///< in loops that are found
  /// Receives from any source take the messages that they took in the recording, and tasks stay where they
  /// were.
  bool keeps_tasks = false;
  AssignedTasks* tasks = nullptr;  ///< `programs`, whose results are taken as they come: assign_tasks()
};

/// @throws InputError if the job cannot be replayed with these options, as far as this is known beforehand
void check(const ReplayJob& job, const ReplayOptions& options);

/// Replays a job in this process, which must replay nothing else: SimGrid starts only once. For tasks that
/// already have a process of their own.
ReplayResult replay_here(const ReplayJob& job, const ReplayOptions& options);

/// Replays all jobs, `processes` at a time; results in the order of the jobs, whatever the number of
/// processes. `finished`, if given, is called with the number of finished jobs each time one ends.
std::vector<ReplayResult> replay_all(const std::vector<ReplayJob>& jobs, int processes,
                                     const ReplayOptions& options = {},
                                     const std::function<void(std::size_t)>& finished = {});

}  // namespace finegrain::replay
