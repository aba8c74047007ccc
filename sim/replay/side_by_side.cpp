// SPDX-License-Identifier: MIT
#include "sim/replay/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/replay/programs/check_schedule.hpp"
#include "traces/io/input_error.hpp"
#include "traces/share_read.hpp"

namespace finegrain::replay {
namespace {

/// Where ranks are: a placement, whose nodes are numbered anew, and the host of each of its nodes.
struct OnHosts {
  problem::Placement placement;
  std::vector<int> hosts;
};

/// Node 0 of a placement has as many ranks as any.
OnHosts on_hosts(const std::vector<int>& hosts_of_ranks) {
  std::map<int, int> ranks_of_hosts;
  for (const int host : hosts_of_ranks)
    ++ranks_of_hosts[host];
  std::vector<int> hosts;
  for (const auto& [host, ranks] : ranks_of_hosts)
    hosts.push_back(host);
  std::ranges::stable_sort(hosts, std::ranges::greater(), [&](int host) { return ranks_of_hosts[host]; });
  std::vector<int> nodes;
  for (const int host : hosts_of_ranks)
    nodes.push_back(static_cast<int>(std::ranges::find(hosts, host) - hosts.begin()));
  return {problem::Placement(std::move(nodes)), std::move(hosts)};
}

/// The ranks of all jobs, one job's after the other's. What an operation says of ranks and communicators is
/// said of the job's own.
class JobsInOne : public Programs {
 public:
  explicit JobsInOne(std::span<const SharedJob> jobs) {
    for (const SharedJob& job : jobs) {
      Member& member = members_.emplace_back(Member{&job, ranks_, {}, job.job.programs});
      if (job.job.programs == nullptr)
        member.programs = (member.owned = std::make_unique<SchedulePrograms>(*job.job.schedule)).get();
      ranks_ += job.job.schedule->run.ranks;
    }
  }

  int ranks() const override { return ranks_; }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    std::size_t member = 0;
    while (member + 1 < members_.size() && members_[member + 1].first_rank <= rank)
      ++member;
    return std::make_unique<Cursor>(*this, member, rank - members_[member].first_rank);
  }
  std::span<const std::int32_t> communicator(std::int32_t number) const override {
    std::vector<std::int32_t>& ranks = communicators_[number];
    if (!ranks.empty()) return ranks;
    const auto count = static_cast<std::int32_t>(members_.size());
    const Member& member = members_[static_cast<std::size_t>((number - 1) % count)];
    const std::int32_t own = (number - 1) / count;
    for (std::int32_t rank = 0; own == 0 && rank < member.programs->ranks(); ++rank)
      ranks.push_back(member.first_rank + rank);
    if (own != 0)
      for (const std::int32_t rank : member.programs->communicator(own))
        ranks.push_back(member.first_rank + rank);
    return ranks;
  }
  int first_rank(std::size_t member) const { return members_[member].first_rank; }

 private:
  struct Member {
    const SharedJob* job;
    int first_rank;
    std::unique_ptr<SchedulePrograms> owned;  ///< a schedule's
    const Programs* programs;
  };

  class Cursor : public ProgramCursor, public KnowsShareRead {
   public:
    Cursor(const JobsInOne& all, std::size_t member, int rank)
        : all_(all),
          member_(member),
          of_(*all.members_[member].job),
          cursor_(all.members_[member].programs->rank(rank)) {}

    const Loop* next() override {
      if (!std::exchange(has_started_, true) && of_.start_s > 0) {
        auto start = std::make_shared<Body>();
        start->add_region(RegionName("start"), Work{.is_timed = true});
        regions_s_ = {of_.start_s};
        loop_ = {std::move(start), 1, regions_s_};
        return &loop_;
      }
      const Loop* loop = cursor_->next();
      if (loop == nullptr) return nullptr;
      regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
      for (std::size_t r = 0; r < regions_s_.size(); ++r)
        if (loop->body->regions[r].name == regions::compute) regions_s_[r] *= of_.job.compute_scale;
      loop_ = {among_all(loop->body), loop->count, regions_s_};
      return &loop_;
    }
    bool ends_early() const override { return cursor_->ends_early(); }
    double share_read() const override { return share_read_by(*cursor_); }

   private:
    struct Known {
      std::shared_ptr<const Body> own;  ///< so that no other one lies at its address
      std::shared_ptr<const Body> among_all;
    };

    /// The same object for the same body, as long as it is remembered.
    std::shared_ptr<const Body> among_all(const std::shared_ptr<const Body>& own) {
      constexpr std::size_t most_known = 256;
      if (const auto known = known_.find(own.get()); known != known_.end()) return known->second.among_all;
      if (known_.size() == most_known) known_.clear();
      auto body = std::make_shared<Body>(*own);
      for (Operation& operation : body->operations)
        all_.move(operation, member_);
      return (known_[own.get()] = {own, std::move(body)}).among_all;
    }

    const JobsInOne& all_;
    std::size_t member_;
    const SharedJob& of_;
    std::unique_ptr<ProgramCursor> cursor_;
    bool has_started_ = false;
    std::unordered_map<const Body*, Known> known_;
    std::vector<double> regions_s_;
    Loop loop_{};
  };

  void move(Operation& operation, std::size_t member) const {
    const std::int32_t first = members_[member].first_rank;
    if (auto* post = std::get_if<Post>(&operation)) post->peer += first;
    if (auto* lock = std::get_if<Lock>(&operation); lock != nullptr && lock->peer >= 0) lock->peer += first;
    auto* collective = std::get_if<Collective>(&operation);
    if (collective == nullptr) return;
    // A barrier of all ranks of a schedule is one of its group's (ReplayJob::groups).
    if (members_[member].job->job.decisions == nullptr && *collective == Collective{}) return;
    collective->communicator = collective->communicator * static_cast<std::int32_t>(members_.size()) +
                               static_cast<std::int32_t>(member) + 1;
  }

  int ranks_ = 0;
  std::vector<Member> members_;
  mutable std::map<std::int32_t, std::vector<std::int32_t>> communicators_;  ///< that were asked for
};

void check_nodes(std::span<const SharedJob> jobs) {
  for (const SharedJob& job : jobs) {
    std::vector<int> nodes = job.nodes;
    std::ranges::sort(nodes);
    const auto twice = std::ranges::adjacent_find(nodes);
    if (nodes.empty() || twice != nodes.end())
      throw InputError(
          "nodes", nodes.empty() ? "a job without a node" : fmt::format("node {} is twice in a job", *twice),
          "Name each node of a job once");
    if (job.job.schedule->run.threads_per_rank != jobs.front().job.schedule->run.threads_per_rank)
      throw InputError("threads", "the jobs have different numbers of threads per rank",
                       "Give all of them the same");
  }
}

/// All jobs in one simulation.
class Together {
 public:
  /// @throws InputError if they cannot run so
  explicit Together(std::span<const SharedJob> jobs)
      : platform_(*jobs.front().job.platform), programs_(jobs), all_{jobs.front().job.schedule->run, {}} {
    check_nodes(jobs);
    platform_.powers.reset();
    all_.run.ranks = programs_.ranks();
    std::vector<int> all_hosts;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const ReplayJob& job = jobs[j].job;
      if (job.programs == nullptr) check_schedule(*job.schedule);
      const std::vector<int> hosts = hosts_of_ranks(jobs[j]);
      all_hosts.insert(all_hosts.end(), hosts.begin(), hosts.end());
      groups_.insert(groups_.end(), hosts.size(), static_cast<int>(j));
      decisions_.push_back(job.decisions);
      work_flops_per_s_.push_back(job.work_flops_per_s);
      starts_s_.push_back(jobs[j].start_s);
    }
    place_.emplace(on_hosts(all_hosts));
    job_ = {.schedule = &all_,
            .platform = &platform_,
            .durations = nullptr,
            .placement = &place_->placement,
            .programs = &programs_,
            .decisions = nullptr,
            .compute_scale = 1,
            .work_flops_per_s = {},
            .folded = nullptr,
            .hosts = place_->hosts,
            .groups = {.of_ranks = groups_,
                       .decisions = decisions_,
                       .work_flops_per_s = work_flops_per_s_,
                       .starts_s = starts_s_},
            .keeps_tasks = jobs.front().job.keeps_tasks};
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

  const ReplayJob& job() const { return job_; }
  /// That of the jobs, without powers.
  const platform::Platform& platform() const { return platform_; }
  int first_rank(std::size_t job) const { return programs_.first_rank(job); }

 private:
  platform::Platform platform_;
  JobsInOne programs_;
  Schedule all_;
  std::vector<int> groups_;
  std::vector<const collectives::Decisions*> decisions_;  ///< each job's
  std::vector<std::optional<double>> work_flops_per_s_;   ///< each job's
  std::vector<double> starts_s_;                          ///< each job's
  std::optional<OnHosts> place_;
  ReplayJob job_{};
};

/// Jobs may start this late in one simulation. Its clock then is as exact as SimGrid's.
constexpr double latest_start_s = 1000;

bool start_far_apart(std::span<const SharedJob> jobs) {
  return std::ranges::max(jobs, {}, &SharedJob::start_s).start_s > latest_start_s;
}

/// Jobs whose starts lie far apart, brought nearer: a job begins as soon as those before it should be done.
struct Nearer {
  std::vector<SharedJob> jobs;     ///< in the order that they were given
  std::vector<std::size_t> moved;  ///< jobs that begin sooner after those before them than they should
};

/// @param alone  their times alone
/// @param margin  how many times the jobs' times together those before a job are given to end
Nearer brought_nearer(std::span<const SharedJob> jobs, std::span<const ReplayResult> alone, double margin) {
  Nearer nearer{{jobs.begin(), jobs.end()}, {}};
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t job) { return jobs[job].start_s; });
  double alone_s = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    SharedJob& job = nearer.jobs[order[place]];
    if (place == 0) {
      job.start_s = 0;
    } else {
      const std::size_t before = order[place - 1];
      const double after_s = job.start_s - jobs[before].start_s;
      const double enough_s = margin * alone_s;
      if (after_s > enough_s) nearer.moved.push_back(order[place]);
      job.start_s = nearer.jobs[before].start_s + std::min(after_s, enough_s);
    }
    alone_s += alone[order[place]].total_s;
  }
  return nearer;
}

/// Whether what began before a moved job had ended when that began. Then it had so at the job's true start,
/// too, and to move the job has changed nothing.
bool changes_nothing(const Nearer& nearer, const Together& together, const ReplayResult& result) {
  return std::ranges::all_of(nearer.moved, [&](std::size_t moved) {
    for (std::size_t j = 0; j < nearer.jobs.size(); ++j) {
      if (nearer.jobs[j].start_s >= nearer.jobs[moved].start_s) continue;
      for (int rank = 0; rank < nearer.jobs[j].job.schedule->run.ranks; ++rank)
        if (result.ranks[static_cast<std::size_t>(together.first_rank(j) + rank)].finish_s >
            nearer.jobs[moved].start_s)
          return false;
    }
    return true;
  });
}

/// Simulates jobs that keep their tasks once more, each alone.
/// @param simulations  those of all jobs alone, and more
void simulate_kept_tasks(const std::vector<ReplayJob>& simulations, int processes,
                         const ReplayOptions& options, std::vector<SharedJobTimes>& times) {
  std::vector<ReplayJob> again;
  for (std::size_t j = 0; j < times.size(); ++j)
    if (times[j].keeps_tasks) again.emplace_back(simulations[j]).keeps_tasks = true;
  if (again.empty()) return;
  const std::vector<ReplayResult> results = replay_all(again, processes, options);
  auto result = results.begin();
  for (SharedJobTimes& of_job : times)
    if (of_job.keeps_tasks) of_job.alone_s = (result++)->total_s;
}

}  // namespace

std::vector<int> hosts_of_ranks(const SharedJob& job) {
  const auto ranks = static_cast<std::size_t>(job.job.schedule->run.ranks);
  const std::size_t nodes = job.nodes.size();
  std::vector<int> hosts;
  for (std::size_t node = 0; node < nodes; ++node)
    hosts.insert(hosts.end(), ranks / nodes + (node < ranks % nodes ? 1 : 0), job.nodes[node]);
  return hosts;
}

std::vector<SharedJobTimes> replay_side_by_side(std::span<const SharedJob> jobs, int processes,
                                                const ReplayOptions& options,
                                                const std::function<void(std::size_t)>& finished,
                                                const Noise* noise, std::uint64_t noise_seed) {
  const Together together(jobs);
  ReplayOptions in_full = options;
  in_full.repeat_tolerance = 0;
  std::deque<OnHosts> places;
  std::vector<ReplayJob> simulations;
  for (const SharedJob& job : jobs) {
    const OnHosts& place = places.emplace_back(on_hosts(hosts_of_ranks(job)));
    ReplayJob& alone = simulations.emplace_back(job.job);
    alone.platform = &together.platform();
    alone.placement = &place.placement;
    alone.hosts = place.hosts;
    alone.noise = noise;
    alone.cores = {noise_seed, static_cast<std::uint64_t>(together.first_rank(places.size() - 1))};
  }
  const auto with_noise = [&](ReplayJob all) {
    all.noise = noise;
    all.cores.seed = noise_seed;
    return all;
  };
  std::vector<double> starts_s;
  for (const SharedJob& job : jobs)
    starts_s.push_back(job.start_s);
  std::vector<ReplayResult> results;
  if (!start_far_apart(jobs)) {
    simulations.push_back(with_noise(together.job()));
    results = replay_all(simulations, processes, in_full, finished);
  } else {
    results = replay_all(simulations, processes, in_full, finished);
    double margin = 2;
    for (bool is_valid = false; !is_valid; margin *= 4) {
      const Nearer nearer = brought_nearer(jobs, results, margin);
      const Together all(nearer.jobs);
      ReplayResult result = std::move(replay_all({with_noise(all.job())}, 1, in_full).front());
      is_valid = changes_nothing(nearer, all, result);
      if (!is_valid) continue;
      results.push_back(std::move(result));
      std::ranges::transform(nearer.jobs, starts_s.begin(), &SharedJob::start_s);
    }
    if (finished) finished(jobs.size() + 1);
  }
  std::vector<SharedJobTimes> times;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    SharedJobTimes& of_job =
        times.emplace_back(SharedJobTimes{.alone_s = results[j].total_s,
                                          .together_s = 0,
                                          .keeps_tasks = results[j].tasks && !results.back().tasks});
    for (int rank = 0; rank < jobs[j].job.schedule->run.ranks; ++rank) {
      const auto place_of_rank = static_cast<std::size_t>(together.first_rank(j) + rank);
      of_job.together_s =
          std::max(of_job.together_s, results.back().ranks[place_of_rank].finish_s - starts_s[j]);
    }
  }
  simulate_kept_tasks(simulations, processes, in_full, times);
  return times;
}

ProgramTimeline replay_timeline_side_by_side(std::span<const SharedJob> jobs, double from_s, double until_s,
                                             const ReplayOptions& options) {
  constexpr double most_apart_in_picture_s = 1e6;
  const auto [first, last] = std::ranges::minmax(jobs, {}, &SharedJob::start_s);
  if (last.start_s - first.start_s > most_apart_in_picture_s)
    throw InputError(
        "offset",
        fmt::format("the jobs begin {:.3g} s apart (no timeline shows both)", last.start_s - first.start_s),
        "Give smaller offsets, or use finegrain compare");
  const Together together(jobs);
  ProgramTimeline timeline = replay_program_timeline(together.job(), from_s, until_s, options);
  for (LinkUse& link : timeline.links)
    if (link.node >= 0) link.node = together.job().hosts[static_cast<std::size_t>(link.node)];
  std::erase_if(timeline.spans, [&](const RegionSpan& span) {
    const auto job =
        static_cast<std::size_t>(together.job().groups.of_ranks[static_cast<std::size_t>(span.rank)]);
    return jobs[job].start_s > 0 && span.end_s <= jobs[job].start_s;
  });
  return timeline;
}

}  // namespace finegrain::replay
