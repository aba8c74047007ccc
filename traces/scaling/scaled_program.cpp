// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "traces/place_of_call.hpp"
#include "traces/scaling/matched_messages.hpp"
#include "traces/scaling/rank_factors.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::int64_t most_calls = 50'000'000;  ///< in memory
/// Stands for the messages of neighbour collectives.
constexpr std::int32_t neighbours_tag = std::numeric_limits<std::int32_t>::min();

RankFactors factors_of(const ProgramTree& tree, const ProgramRules& rules, const WorkTimes& times) {
  std::vector<RankWork> works;
  for (int origin = 0; origin < tree.origins(); ++origin) {
    const RankPlace& at = rules.place_of(origin);
    works.push_back({at.grid, at.rank, times.compared()[static_cast<std::size_t>(origin)]});
  }
  return RankFactors(works);
}

/// Makes the program, one rank after the other.
class Making {
 public:
  Making(const ProgramTree& tree, const ProgramRules& rules, const WorkTimes& times, const Sites& sites,
         int ranks);
  ScaledProgram made() && { return std::move(made_); }

 private:
  struct Open {
    std::int64_t request;
    int site;
  };
  struct WorkBefore {
    int node;
    int previous_site;
    double length_ns;
  };

  void make(int rank);
  void make_loop(int node, const Where& where);
  void make_steps(int node, const Where& where, std::int64_t count);
  /// Lets the rank work before its next call. @param loop  if the call is in it, its step decides how long;
  /// else the length counts
  std::int64_t end_of_work(WorkBefore work, int loop, const StepOf& step);
  void make_children(int loop, const Where& where);
  void make_call(int node, const Where& where);
  void make_operation(int site, const OperationRules& rules, const Where& where);
  void complete(int site, const OperationRules& rules, const Where& where);
  bool holds(const std::vector<Predicate>& predicates, const Where& where, int site, const char* what);
  std::int64_t number(const std::vector<Rule>& rules, const Where& where, int site, const char* what,
                      bool may_be_silent = false);
  std::int32_t communicator_of(const OperationRules& rules, const Where& where, int site);
  /// A rank's number in a communicator; -1: it is not in it.
  std::int32_t number_in(std::int32_t communicator, std::int32_t rank) const;
  std::vector<std::int64_t> table_of(const OperationRules& rules, const Where& where,
                                     std::int32_t communicator, const CollectiveKind kind, int site);
  std::vector<std::int64_t> neighbours_of(const OperationRules& rules, const Where& where,
                                          Collective& collective, int site);
  void refuse(int site, const Where& where, const std::string& what);
  void choose(int site, std::string what);
  void check_messages();

  const ProgramTree& tree_;
  const ProgramRules& rules_;
  const WorkTimes& times_;
  const Sites& sites_;
  ProcessGrid grid_;
  std::vector<RankPlace> places_;
  std::map<std::vector<std::int32_t>, std::int32_t> numbers_;  ///< communicators', by their ranks

  ScaledProgram made_;

  // The rank that is made.
  formats::RankCalls* calls_ = nullptr;
  std::vector<Open> open_;
  std::vector<WorkBefore> work_;  ///< each of its calls
  StepOf step_;                   ///< the innermost loop's
  int last_site_ = -1;
  double now_ns_ = 0;
  double factor_ = 1;
  std::int64_t all_calls_ = 0;
};

Making::Making(const ProgramTree& tree, const ProgramRules& rules, const WorkTimes& times, const Sites& sites,
               int ranks)
    : tree_(tree), rules_(rules), times_(times), sites_(sites), grid_(ranks, rules.shape()) {
  const RankFactors factors = factors_of(tree, rules, times);
  made_.programs.resize(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    places_.push_back({&grid_, rank, grid_.place_of(rank)});
  for (int rank = 0; rank < ranks && made_.obstacles.empty(); ++rank) {
    factor_ = factors.factor(grid_, rank);
    make(rank);
  }
  if (made_.obstacles.empty()) check_messages();
}

void Making::refuse(int site, const Where& where, const std::string& what) {
  if (made_.obstacles.size() >= most_obstacles ||
      std::ranges::any_of(made_.obstacles, [&](const Obstacle& known) { return known.site == site; }))
    return;
  made_.obstacles.push_back({site, fmt::format("{} on rank {}", what, where.rank())});
}

bool Making::holds(const std::vector<Predicate>& predicates, const Where& where, int site, const char* what) {
  const int tier = std::ranges::min_element(predicates, {}, &Predicate::tier)->tier;
  const Predicate& taken = *std::ranges::find(predicates, tier, &Predicate::tier);
  const bool first = taken.holds(where);
  for (const Predicate& other : predicates) {
    if (&other == &taken || other.holds(where) == first) continue;
    if (other.tier == tier) {
      refuse(site, where,
             fmt::format("rules disagree whether {} ('{}' or '{}')", what, taken.text, other.text));
      break;
    }
    choose(site, fmt::format("whether {}: '{}', and not '{}'", what, taken.text, other.text));
  }
  return first;
}

std::int64_t Making::number(const std::vector<Rule>& rules, const Where& where, int site, const char* what,
                            bool may_be_silent) {
  const Answer found = answer(rules, where, may_be_silent);
  if (!found.value)
    refuse(site, where,
           fmt::format("the rule of its {} gives no whole number ('{}')", what, rules.front().text));
  else if (found.disagree)
    refuse(
        site, where,
        fmt::format("rules disagree on its {} ('{}' or '{}')", what, rules.front().text, rules.back().text));
  else if (found.other != nullptr)
    choose(site, fmt::format("{}: '{}', and not '{}'", what, rules.front().text, found.other->text));
  return found.value.value_or(0);
}

void Making::choose(int site, std::string what) {
  if (made_.choices.size() < most_obstacles &&
      std::ranges::none_of(made_.choices, [&](const Obstacle& known) { return known.site == site; }))
    made_.choices.push_back({site, std::move(what)});
}

void Making::make(int rank) {
  calls_ = &made_.programs[static_cast<std::size_t>(rank)];
  open_.clear();
  work_.clear();
  last_site_ = -1;
  now_ns_ = 0;
  step_ = {};
  make_children(0, {.at = &places_[static_cast<std::size_t>(rank)]});
  all_calls_ += std::ssize(calls_->calls);
}

void Making::make_children(int loop, const Where& where) {
  for (const int child : tree_.node(loop).children) {
    if (!made_.obstacles.empty()) return;
    if (tree_.node(child).is_loop())
      make_loop(child, where);
    else
      make_call(child, where);
  }
}

void Making::make_loop(int node, const Where& where) {
  const NodeRules& rules = rules_.of(node);
  int first_call = node;
  while (tree_.node(first_call).is_loop())
    first_call = tree_.node(first_call).children.front();
  const int site = tree_.node(first_call).site;
  if (!rules.directions.empty()) {
    for (std::size_t d = 0; d < rules.directions.size(); ++d) {
      if (!is_inside(where, rules.directions[d])) continue;
      const StepOf around = step_;
      step_ = {static_cast<std::int64_t>(d), std::ssize(rules.directions)};
      make_children(node, where.in(step_));
      step_ = around;
    }
    return;
  }
  if (!holds(rules.happens, where, site, "the loop that begins here happens")) return;
  const std::int64_t count = number(rules.count, where, site, "number of repetitions");
  if (all_calls_ + std::ssize(calls_->calls) + count > most_calls)
    return refuse(site, where, fmt::format("there are more than {} calls", most_calls));
  make_steps(node, where, count);
}

void Making::make_steps(int node, const Where& where, std::int64_t count) {
  const StepOf around = step_;
  if (!tree_.node(node).is_uniform) {
    for (std::int64_t step = 0; step < count && made_.obstacles.empty(); ++step) {
      step_ = {step, count};
      make_children(node, where.in(step_));
    }
    step_ = around;
    return;
  }
  // The first step follows another call than the others do; these are equal, if none leaves a request open.
  const std::size_t open = open_.size();
  for (std::int64_t step = 0; step < count && made_.obstacles.empty(); ++step) {
    const std::size_t first_call = calls_->calls.size();
    const std::size_t first_operation = calls_->operations.size();
    const std::int64_t requests = calls_->requests;
    step_ = {step, count};
    make_children(node, where);
    if (step == 0 || open != open_.size()) continue;
    const std::int64_t left = count - step - 1;
    const std::size_t calls = calls_->calls.size() - first_call;
    const std::size_t operations = calls_->operations.size() - first_operation;
    const std::int64_t made = calls_->requests - requests;
    if (all_calls_ + std::ssize(calls_->calls) + left * static_cast<std::int64_t>(calls) > most_calls)
      return refuse(tree_.node(node).site, where, fmt::format("there are more than {} calls", most_calls));
    // What the calls do is copied; how long the rank works before them can be another time in each step.
    for (std::int64_t copy = 1; copy <= left; ++copy) {
      for (std::size_t c = 0; c < calls; ++c) {
        formats::ImportedCall call = calls_->calls[first_call + c];
        call.first_operation += static_cast<std::size_t>(copy) * operations;
        call.start_ns = call.end_ns = end_of_work(work_[first_call + c], node, {step + copy, count});
        calls_->calls.push_back(call);
      }
      for (std::size_t o = 0; o < operations; ++o)
        calls_->operations.push_back(calls_->operations[first_operation + o]);
    }
    for (Open& request : open_)
      if (request.request > requests) request.request += left * made;
    calls_->requests += left * made;
    break;
  }
  step_ = around;
}

std::int64_t Making::end_of_work(WorkBefore work, int loop, const StepOf& step) {
  if (tree_.node(work.node).parent == loop && step.steps <= WorkTimes::most_steps)
    work.length_ns = factor_ * times_.work_ns(work.node, work.previous_site, step, grid_.ranks());
  now_ns_ += work.length_ns;
  work_.push_back(work);
  return static_cast<std::int64_t>(now_ns_);
}

void Making::make_call(int node, const Where& where) {
  const int site = tree_.node(node).site;
  const NodeRules& rules = rules_.of(node);
  if (!holds(rules.happens, where, site, "the rank makes this call")) return;
  const int previous_site = last_site_ < 0 ? site : last_site_;
  const double length_ns = factor_ * times_.work_ns(node, previous_site, step_, grid_.ranks());
  calls_->begin(sites_.written_name(site), end_of_work({node, previous_site, length_ns}, -1, step_));
  last_site_ = site;
  for (const OperationRules& operation : rules.operations) {
    if (operation.like.completion) {
      complete(site, operation, where);
      continue;
    }
    if (operation.count.empty()) {
      if (holds(operation.happens, where, site, "it sends or receives anything"))
        make_operation(site, operation, where);
      continue;
    }
    const std::int64_t count = number(operation.count, where, site, "number of messages");
    for (std::int64_t o = 0; o < count && made_.obstacles.empty(); ++o)
      make_operation(site, operation, where.in({o, count}));
  }
}

std::int32_t Making::number_in(std::int32_t communicator, std::int32_t rank) const {
  if (communicator == 0) return rank;
  const auto& ranks = made_.communicators[static_cast<std::size_t>(communicator) - 1].ranks;
  const auto at = std::ranges::find(ranks, rank);
  return at == ranks.end() ? -1 : static_cast<std::int32_t>(at - ranks.begin());
}

std::int32_t Making::communicator_of(const OperationRules& rules, const Where& where, int site) {
  const Members members = rules.members.front().members(where);
  for (const MembersRule& other : rules.members)
    if (!same_members(other.members(where), members)) {
      refuse(site, where,
             fmt::format("rules disagree on the ranks of its communicator ('{}' or '{}')",
                         rules.members.front().text, other.text));
      break;
    }
  if (!members) return 0;
  const auto [known, is_new] =
      numbers_.try_emplace(*members, static_cast<std::int32_t>(made_.communicators.size()) + 1);
  if (is_new) made_.communicators.push_back({*members});
  return known->second;
}

void Making::make_operation(int site, const OperationRules& rules, const Where& where) {
  if (const auto* like = std::get_if<Post>(&rules.like.operation)) {
    Post post = *like;
    post.communicator = communicator_of(rules, where, site);
    post.peer = static_cast<std::int32_t>(number(rules.peer, where, site, "other rank", true));
    post.size_bytes = number(rules.size, where.towards(post.peer), site, "size");
    post.tag = static_cast<std::int32_t>(number(rules.tag, where, site, "tag", true));
    const std::int64_t request = calls_->add(post);
    if (request > 0) open_.push_back({request, site});
  } else if (const auto* of_all = std::get_if<Collective>(&rules.like.operation)) {
    Collective collective = *of_all;
    collective.communicator = communicator_of(rules, where, site);
    collective.root = 0;
    if (!rules.peer.empty()) {
      const std::int64_t root = number(rules.peer, where, site, "root", true);
      collective.root = number_in(collective.communicator, static_cast<std::int32_t>(root));
      if (collective.root < 0) return refuse(site, where, "the root is not in its communicator");
    }
    if (rules.neighbours.empty()) collective.size_bytes = number(rules.size, where, site, "size");
    std::int64_t request = 0;
    if (!rules.neighbours.empty()) {
      const std::vector<std::int64_t> table = neighbours_of(rules, where, collective, site);
      request = calls_->add(collective, table);
    } else if (rules.sizes.empty()) {
      collective.first_size = collective.size_count = 0;
      request = calls_->add(collective);
    } else {
      request =
          calls_->add(collective, table_of(rules, where, collective.communicator, collective.kind, site));
    }
    if (request > 0) open_.push_back({request, site});
  } else if (std::holds_alternative<Work>(rules.like.operation)) {
    calls_->add(rules.like.operation);
  } else if (const auto* lock = std::get_if<Lock>(&rules.like.operation)) {
    Lock own = *lock;
    own.window = communicator_of(rules, where, site);
    own.peer = static_cast<std::int32_t>(number(rules.peer, where, site, "rank whose window it locks", true));
    calls_->add(own);
  }
}

/// The table of a neighbour collective, which sends the sum of its bytes.
std::vector<std::int64_t> Making::neighbours_of(const OperationRules& rules, const Where& where,
                                                Collective& collective, int site) {
  std::vector<std::int64_t> table(rules.neighbours.size());
  collective.size_bytes = 0;
  for (std::size_t side = 0; side < rules.neighbours.size(); ++side) {
    const auto neighbours = neighbours_at(rules.neighbours[side], where);
    if (!neighbours) {
      refuse(site, where, "no rule gives its neighbours, or rules disagree on them,");
      return table;
    }
    table[side] = std::ssize(*neighbours);
    for (const Neighbour& neighbour : *neighbours) {
      const std::int32_t number =
          number_in(collective.communicator, static_cast<std::int32_t>(neighbour.rank));
      if (number < 0) refuse(site, where, "a neighbour is not in its communicator");
      table.insert(table.end(), {number, neighbour.bytes});
      if (side == 0) collective.size_bytes += neighbour.bytes;
    }
  }
  return table;
}

std::vector<std::int64_t> Making::table_of(const OperationRules& rules, const Where& where,
                                           std::int32_t communicator, CollectiveKind kind, int site) {
  using enum CollectiveKind;
  if ((kind == gatherv || kind == scatterv) && number(rules.peer, where, site, "root", true) != where.rank())
    return {};
  const bool of_others = !rules.like.sizes.empty() && rules.like.sizes == std::vector<std::int64_t>{1};
  const auto* ranks =
      communicator > 0 ? &made_.communicators[static_cast<std::size_t>(communicator) - 1].ranks : nullptr;
  const std::size_t size = ranks != nullptr ? ranks->size() : places_.size();
  std::vector<std::int64_t> table;
  for (int twice = 0; twice < (kind == alltoallv || kind == alltoallw ? 2 : 1); ++twice)
    for (std::size_t i = 0; i < size; ++i) {
      Where at = where;
      if (of_others) at.at = &places_[ranks != nullptr ? static_cast<std::size_t>((*ranks)[i]) : i];
      table.push_back(number(rules.sizes, at, site, "sizes"));
    }
  return table;
}

void Making::complete(int site, const OperationRules& rules, const Where& where) {
  using enum OperationRules::Completes;
  std::vector<std::int64_t> requests;
  std::vector<Open> left;
  if (rules.completes == all || rules.completes == of_sites) {
    for (const Open& open : open_) {
      const bool is_completed =
          rules.completes == all || std::ranges::find(rules.of_sites, open.site) != rules.of_sites.end();
      if (is_completed)
        requests.push_back(open.request);
      else
        left.push_back(open);
    }
  } else {
    const std::int64_t count = number(rules.count, where, site, "number of completed requests");
    const std::int64_t skipped = number(rules.first, where, site, "number of requests that it leaves open");
    const std::int64_t first = rules.completes == from_oldest ? skipped : std::ssize(open_) - skipped - count;
    for (std::int64_t at = 0; at < std::ssize(open_); ++at) {
      const Open& open = open_[static_cast<std::size_t>(at)];
      if (at >= first && at < first + count)
        requests.push_back(open.request);
      else
        left.push_back(open);
    }
  }
  if (requests.empty()) return;
  open_ = std::move(left);
  calls_->complete(std::move(requests));
}

/// Each message that is sent has to be received; and all ranks of a communicator have to call the same
/// collectives.
void Making::check_messages() {
  using Channel =
      std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;  // from, to, tag, communicator
  std::map<Channel, std::int64_t> open;
  std::map<std::int32_t, std::map<std::uint64_t, std::int64_t>>
      collectives;  // by communicator: ranks that do this
  std::size_t fingerprint = 0;
  for (std::size_t r = 0; r < made_.programs.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    std::map<std::int32_t, std::size_t> own;  // what it does on each communicator
    for (const formats::ImportedCall& call : made_.programs[r].calls)
      boost::hash_combine(fingerprint, call.first_operation);
    for (const Operation& operation : made_.programs[r].operations) {
      if (const auto* post = std::get_if<Post>(&operation)) {
        boost::hash_combine(fingerprint, post->peer);
        boost::hash_combine(fingerprint, post->size_bytes);
        boost::hash_combine(fingerprint, post->tag);
        if (post->kind == TransferKind::send)
          open[{rank, post->peer, post->tag, post->communicator}] += post->repeat;
        if (post->kind == TransferKind::receive)
          open[{post->peer, rank, post->tag, post->communicator}] -= post->repeat;
      }
      if (const auto* complete = std::get_if<Complete>(&operation)) {
        boost::hash_combine(fingerprint, complete->oldest);
        boost::hash_combine(fingerprint, complete->count);
      }
      if (const auto* collective = std::get_if<Collective>(&operation)) {
        boost::hash_combine(fingerprint, collective->root);
        boost::hash_combine(fingerprint, collective->size_bytes);
        boost::hash_combine(fingerprint, collective->communicator);
        boost::hash_combine(own[collective->communicator], static_cast<int>(collective->kind));
        if (!is_of_neighbours(collective->kind)) continue;
        const auto table = std::span(made_.programs[r].sizes)
                               .subspan(static_cast<std::size_t>(collective->first_size),
                                        static_cast<std::size_t>(collective->size_count));
        const std::int32_t self = number_in(collective->communicator, rank);
        for (std::size_t at = 2; at < table.size(); at += 2) {
          const auto other = static_cast<std::int32_t>(table[at]);
          boost::hash_combine(fingerprint, other);
          boost::hash_combine(fingerprint, table[at + 1]);
          const bool sends = at < 2 + 2 * static_cast<std::size_t>(table[0]);
          open[sends ? Channel{self, other, neighbours_tag, collective->communicator}
                     : Channel{other, self, neighbours_tag, collective->communicator}] += sends ? 1 : -1;
        }
      }
    }
    for (const auto& [communicator, hash] : own)
      ++collectives[communicator][hash];
  }
  made_.fingerprint = fingerprint;
  for (const auto& [channel, count] : open)
    if (count != 0) {
      const auto& [from, to, tag, communicator] = channel;
      made_.obstacles.push_back(
          {-1, fmt::format("by these rules, rank {} sends {} messages {} than rank {} receives", from,
                           std::abs(count), count > 0 ? "more" : "fewer", to)});
      return;
    }
  for (const auto& [communicator, kinds] : collectives) {
    const std::size_t ranks =
        communicator > 0 ? made_.communicators[static_cast<std::size_t>(communicator) - 1].ranks.size()
                         : made_.programs.size();
    if (kinds.size() == 1 && kinds.begin()->second == static_cast<std::int64_t>(ranks)) continue;
    made_.obstacles.push_back({-1, "by these rules, ranks call different collectives"});
    return;
  }
}

}  // namespace

ScaledProgram scaled_program(const ProgramTree& tree, const ProgramRules& rules, const WorkTimes& times,
                             const Sites& sites, int ranks) {
  return Making(tree, rules, times, sites, ranks).made();
}

}  // namespace finegrain::scaling
