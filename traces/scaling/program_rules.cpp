// SPDX-License-Identifier: MIT
#include "traces/scaling/program_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "traces/scaling/matched_messages.hpp"
#include "traces/scaling/number_rules.hpp"
#include "traces/scaling/peer_rules.hpp"

namespace finegrain::scaling {
namespace {

/// Operations of a call with the same slot have rules together.
int slot_of(const Operation& operation) {
  constexpr int most_kinds = 100;
  const int kind = static_cast<int>(operation.index()) * most_kinds;
  if (const auto* post = std::get_if<Post>(&operation)) return kind + static_cast<int>(post->kind);
  if (const auto* collective = std::get_if<Collective>(&operation))
    return kind + static_cast<int>(collective->kind);
  if (const auto* lock = std::get_if<Lock>(&operation)) return kind + (lock->acquire ? 1 : 0);
  return kind;
}

bool is_logarithm(const Rule& rule) {
  return rule.text.find("log2") != std::string::npos;
}

/// Whether a message of each step goes twice as far as that of the step before, or half as far.
bool doubles_its_distance(const Rule& rule) {
  return rule.text.find("2^step") != std::string::npos || rule.text.find("bit step") != std::string::npos;
}

/// Others are taken only if these do not hold.
void prefer(std::vector<Rule>& rules, bool (*is_preferred)(const Rule&)) {
  for (Rule& rule : rules)
    if (!is_preferred(rule)) ++rule.tier;
  std::ranges::stable_sort(rules, {}, &Rule::tier);
}

/// The number of the step, from the first or the last one on, and a constant. A tag is a number and no
/// amount: 2 and 1 in a loop of two steps are no powers of 2.
std::vector<Rule> tags_of_steps(std::span<const Sample> tags) {
  const auto loops =
      std::ranges::min(tags, {}, [](const Sample& tag) { return tag.where->depth; }).where->depth;
  for (std::size_t loop = 0; loop < static_cast<std::size_t>(loops); ++loop)
    for (const bool from_end : {false, true}) {
      const auto number = [=](const Where& where) {
        const StepOf& at = where.loops[loop];
        return from_end ? at.steps - 1 - at.step : at.step;
      };
      const Value tag = [=, more = tags.front().value - number(*tags.front().where)](const Where& where) {
        return std::optional<std::int64_t>(number(where) + more);
      };
      const bool differs =
          std::ranges::any_of(tags, [&](const Sample& one) { return one.value != tags.front().value; });
      if (differs && fits(tag, tags)) return {{tag, "the number of the step, and a constant"}};
    }
  return {};
}

}  // namespace

struct ProgramRules::Made {
  const Where* where;
  std::vector<const RecordedOperation*> operations;  ///< those of one slot
};

ProgramRules::ProgramRules(const ProgramTree& tree, const std::vector<Recording>& recordings,
                           const GridShape& shape, std::size_t most)
    : tree_(tree),
      shape_(shape),
      most_(most),
      rules_(static_cast<std::size_t>(tree.size())),
      wheres_(rules_.size()),
      looked_at_(rules_.size()) {
  for (const Recording& recording : recordings)
    grids_.emplace_back(recording.rank_count(), shape);
  for (int origin = 0; origin < tree.origins(); ++origin) {
    const ProcessGrid& grid = grids_[static_cast<std::size_t>(tree.recording_of(origin))];
    places_.push_back({&grid, tree.rank_of(origin), grid.place_of(tree.rank_of(origin))});
    wheres_[0].push_back({.at = &places_.back()});
    looked_at_[0].push_back(origin);
  }
  find_rules(0);
  if (obstacles_.empty()) take_same_sizes();
}

/// Where several rules give a size, it is of the kind that the sizes of other messages are.
void ProgramRules::take_same_sizes() {
  const auto lowest_of = [](const std::vector<Rule>& rules) {
    return std::ranges::count(rules, rules.front().tier, &Rule::tier);
  };
  std::set<std::string> kinds;
  std::vector<std::vector<Rule>*> open;
  for (NodeRules& node : rules_)
    for (OperationRules& operation : node.operations) {
      if (operation.size.empty() || !std::holds_alternative<Post>(operation.like.operation)) continue;
      if (lowest_of(operation.size) > 1)
        open.push_back(&operation.size);
      else
        kinds.insert(operation.size.front().text);
    }
  for (std::vector<Rule>* size : open) {
    const int lowest = size->front().tier;
    const auto is_known = [&](const Rule& rule) { return rule.tier == lowest && kinds.contains(rule.text); };
    if (std::ranges::count_if(*size, is_known) != 1) continue;
    for (Rule& rule : *size)
      if (!is_known(rule)) ++rule.tier;
    std::ranges::stable_sort(*size, {}, &Rule::tier);
  }
}

int ProgramRules::tiers() const {
  int sum = 0;
  const auto add = [&](const auto& rules) {
    if (!rules.empty()) sum += std::ranges::min(rules, {}, [](const auto& rule) { return rule.tier; }).tier;
  };
  for (const NodeRules& node : rules_) {
    add(node.happens);
    add(node.count);
    for (const OperationRules& operation : node.operations) {
      add(operation.happens);
      for (const std::vector<Rule>* rules : {&operation.count, &operation.peer, &operation.size,
                                             &operation.tag, &operation.sizes, &operation.first})
        add(*rules);
      for (const NeighbourRules& side : operation.neighbours)
        for (const std::vector<Rule>* rules : {&side.count, &side.peer, &side.bytes})
          add(*rules);
    }
  }
  return sum;
}

void ProgramRules::refuse(int site, std::string what) {
  obstacles_.push_back({site, std::move(what)});
}

std::string ProgramRules::place_name(const Where& where) const {
  return fmt::format("rank {} of {}", where.rank(), where.ranks());
}

std::vector<Rule> ProgramRules::numbers(int site, std::span<const Sample> samples, const char* what) {
  std::vector<Rule> rules = number_rules(samples);
  if (rules.empty()) {
    const Sample& first = samples.front();
    const auto other =
        std::ranges::find_if(samples, [&](const Sample& sample) { return sample.value != first.value; });
    refuse(site, fmt::format("no rule gives its {} ({} on {}, {} on {})", what, first.value,
                             place_name(*first.where), other->value, place_name(*other->where)));
  }
  return rules;
}

/// @param element_bytes  as far as it is known
std::vector<Rule> ProgramRules::sizes_of(int site, std::span<const Sample> samples,
                                         std::optional<std::int64_t> element_bytes) {
  std::vector<Rule> rules = size_rules(samples, element_bytes.value_or(8));
  if (rules.empty()) numbers(site, samples, "size in bytes");
  return rules;
}

void ProgramRules::find_rules(int loop) {
  for (const int child : tree_.node(loop).children) {
    if (obstacles_.size() >= most_) return;
    ++found_;
    if (!tree_.node(child).is_loop()) {
      find_rules_of_call(child);
      continue;
    }
    find_rules_of_loop(child);
    find_rules(child);
    prefer_doubling(child);
  }
}

/// Steps at distances of 1, 2, 4, ... are as many as a logarithm. From lines of 2 and 4 ranks, which have one
/// and two of them, both could be something else: half as many steps as ranks, at distances of 1, 2, 3.
void ProgramRules::prefer_doubling(int loop) {
  std::vector<Rule>& counts = rules_[static_cast<std::size_t>(loop)].count;
  std::vector<std::vector<Rule>*> peers;
  for (const int child : tree_.node(loop).children)
    for (OperationRules& operation : rules_[static_cast<std::size_t>(child)].operations)
      if (std::ranges::any_of(operation.peer, doubles_its_distance)) peers.push_back(&operation.peer);
  if (peers.empty() || std::ranges::none_of(counts, is_logarithm)) return;
  prefer(counts, is_logarithm);
  for (std::vector<Rule>* peer : peers)
    prefer(*peer, doubles_its_distance);
}

void ProgramRules::find_rules_of_loop(int node) {
  const ProgramNode& loop = tree_.node(node);
  const std::vector<Where>& around = wheres_[static_cast<std::size_t>(loop.parent)];
  std::vector<Sample> happens;
  std::vector<Sample> counts;
  for (const std::int32_t step : looked_at_[static_cast<std::size_t>(loop.parent)]) {
    const auto at = static_cast<std::size_t>(step);
    happens.push_back({&around[at], loop.count[at] > 0});
    if (loop.count[at] > 0) counts.push_back({&around[at], loop.count[at]});
  }
  std::vector<Where>& wheres = wheres_[static_cast<std::size_t>(node)];
  for (const LoopStep& step : loop.steps) {
    const auto parent = static_cast<std::size_t>(step.parent_step);
    wheres.push_back(loop.is_uniform ? around[parent] : around[parent].in({step.number, loop.count[parent]}));
  }
  for (const std::int32_t step : looked_at_[static_cast<std::size_t>(loop.parent)]) {
    const auto at = static_cast<std::size_t>(step);
    for (std::int32_t s = 0; s < (loop.is_uniform ? std::min(1, loop.count[at]) : loop.count[at]); ++s)
      looked_at_[static_cast<std::size_t>(node)].push_back(loop.first[at] + s);
  }
  NodeRules& rules = rules_[static_cast<std::size_t>(node)];
  rules.happens = predicates_of(happens);
  rules.count = count_rules(counts);
  constexpr int of_kinds = 3;  // the tier of a rule that tells kinds of ranks apart
  const bool is_simple =
      !rules.happens.empty() && !rules.count.empty() && rules.count.front().tier < of_kinds;
  if (!is_simple && find_directions(node)) return;
  if (!is_simple && takes_a_step_for_each_neighbour(rules, happens, counts)) return;
  if (!rules.happens.empty() && !rules.count.empty()) return;
  // A loop without steps may follow the same rule as others: as many as the rank's number.
  std::vector<Sample> all;
  for (const std::int32_t step : looked_at_[static_cast<std::size_t>(loop.parent)])
    all.push_back({&around[static_cast<std::size_t>(step)], loop.count[static_cast<std::size_t>(step)]});
  rules.happens = {{[](const Where&) { return true; }, "always"}};
  int first_call = node;
  while (tree_.node(first_call).is_loop())
    first_call = tree_.node(first_call).children.front();
  rules.count = numbers(tree_.node(first_call).site, all, "number of repetitions");
}

/// A loop that waits for what an earlier one has posted has as many steps: one for each neighbour that the
/// grid has in the directions of that loop.
bool ProgramRules::takes_a_step_for_each_neighbour(NodeRules& rules, std::span<const Sample> happens,
                                                   std::span<const Sample> counts) const {
  if (std::ranges::any_of(happens, [](const Sample& sample) { return sample.value == 0; })) return false;
  for (const NodeRules& other : rules_) {
    if (other.directions.empty()) continue;
    const Value neighbours = [directions = other.directions](const Where& where) {
      return std::optional<std::int64_t>(std::ranges::count_if(
          directions, [&](const std::vector<int>& direction) { return is_inside(where, direction); }));
    };
    if (!fits(neighbours, counts)) continue;
    rules.happens = predicates_of(happens);
    rules.count = {{neighbours, "the neighbours of an earlier loop"}};
    return true;
  }
  return false;
}

/// Where each step has another neighbour, and ranks at a border of the grid have fewer.
bool ProgramRules::find_directions(int node) {
  const ProgramNode& loop = tree_.node(node);
  if (loop.is_uniform) return false;
  for (const int child : loop.children)
    if (tree_.node(child).is_loop()) return false;
  const ProgramNode& call = tree_.node(loop.children[0]);
  std::vector<Where>& wheres = wheres_[static_cast<std::size_t>(node)];
  std::vector<Visits> visits;
  std::vector<Where*> steps_of_visits;
  for (const std::int32_t parent : looked_at_[static_cast<std::size_t>(loop.parent)]) {
    const auto at = static_cast<std::size_t>(parent);
    Visits& own = visits.emplace_back(Visits{&wheres_[static_cast<std::size_t>(loop.parent)][at], {}});
    for (std::int32_t s = 0; s < loop.count[at]; ++s) {
      const std::int32_t step = loop.first[at] + s;
      const Post* post = nullptr;
      if (call.calls[static_cast<std::size_t>(step)] < 0) return false;
      for (const RecordedOperation& operation : tree_.operations_at(call, step))
        if (post == nullptr) post = std::get_if<Post>(&operation.operation);
      if (post == nullptr) return false;
      Where& where = wheres[static_cast<std::size_t>(step)];
      auto steps = steps_to(where, post->peer);
      if (!steps || std::ranges::count(*steps, 0) == std::ssize(*steps)) return false;
      own.directions.push_back(std::move(*steps));
      steps_of_visits.push_back(&where);
    }
  }
  std::vector<Direction> known = directions_of(visits);
  if (known.empty()) return false;
  // From now on a step's number is that of its direction.
  auto step = steps_of_visits.begin();
  for (const Visits& own : visits)
    for (const Direction& direction : own.directions)
      (*step++)->loops[0] = {std::ranges::find(known, direction) - known.begin(), std::ssize(known)};
  rules_[static_cast<std::size_t>(node)].directions = std::move(known);
  return true;
}

void ProgramRules::find_rules_of_call(int node) {
  const ProgramNode& call = tree_.node(node);
  const std::vector<Where>& around = wheres_[static_cast<std::size_t>(call.parent)];
  std::vector<Sample> happens;
  std::vector<std::int32_t> made;
  for (const std::int32_t step : looked_at_[static_cast<std::size_t>(call.parent)]) {
    const bool is_made = call.calls[static_cast<std::size_t>(step)] >= 0;
    happens.push_back({&around[static_cast<std::size_t>(step)], is_made});
    if (is_made) made.push_back(step);
  }
  NodeRules& rules = rules_[static_cast<std::size_t>(node)];
  // What fewer ranks do, and more do not, has most likely another reason than a rank's place.
  const int most = grids_.front().ranks();
  if (std::ranges::none_of(
          made, [&](std::int32_t step) { return around[static_cast<std::size_t>(step)].ranks() == most; }))
    refuse(call.site, fmt::format("it is called on fewer ranks, and not on {}", most));
  rules.happens = predicates_of(happens);
  if (rules.happens.empty()) refuse(call.site, "no rule says which ranks make this call, and in which steps");
  find_rules_of_operations(node, made);
}

void ProgramRules::find_rules_of_operations(int node, std::span<const std::int32_t> steps) {
  const ProgramNode& call = tree_.node(node);
  const std::vector<Where>& around = wheres_[static_cast<std::size_t>(call.parent)];
  // In the order of the call that has most of them.
  std::vector<int> slots;
  std::size_t most = 0;
  bool completes = false;
  for (const bool first : {true, false})
    for (const std::int32_t step : steps) {
      const std::span<const RecordedOperation> operations = tree_.operations_at(call, step);
      if (first) most = std::max(most, operations.size());
      if (first || operations.size() != most || !slots.empty()) continue;
      for (const RecordedOperation& operation : operations)
        if (std::ranges::find(slots, slot_of(operation.operation)) == slots.end())
          slots.push_back(slot_of(operation.operation));
    }
  for (const std::int32_t step : steps)
    for (const RecordedOperation& operation : tree_.operations_at(call, step)) {
      completes = completes || operation.completion;
      if (std::ranges::find(slots, slot_of(operation.operation)) == slots.end())
        slots.push_back(slot_of(operation.operation));
    }
  for (const int slot : slots) {
    if (obstacles_.size() >= most_) return;
    std::vector<Made> calls;
    for (const std::int32_t step : steps) {
      Made& made = calls.emplace_back(Made{&around[static_cast<std::size_t>(step)], {}});
      for (const RecordedOperation& operation : tree_.operations_at(call, step))
        if (slot_of(operation.operation) == slot) made.operations.push_back(&operation);
    }
    rules_[static_cast<std::size_t>(node)].operations.push_back(rules_of_slot(node, calls));
  }
}

OperationRules ProgramRules::rules_of_slot(int node, std::span<const Made> calls) {
  const int site = tree_.node(node).site;
  OperationRules rules;
  std::size_t most = 0;
  for (const Made& call : calls) {
    if (most == 0 && !call.operations.empty()) rules.like = *call.operations.front();
    most = std::max(most, call.operations.size());
  }
  std::vector<Sample> counts;
  for (const Made& call : calls)
    counts.push_back({call.where, std::ssize(call.operations)});
  std::deque<Where> wheres;
  std::vector<Made> made;
  for (const Made& call : calls)
    for (std::size_t o = 0; o < call.operations.size(); ++o) {
      wheres.push_back(most == 1
                           ? *call.where
                           : call.where->in({static_cast<std::int64_t>(o), std::ssize(call.operations)}));
      made.push_back({&wheres.back(), {call.operations[o]}});
    }
  if (rules.like.completion) {
    // A call that finds no open request has nothing to complete.
    rules.happens = {{[](const Where&) { return true; }, "always"}};
    add_rules_of_completion(site, made, rules);
    return rules;
  }
  if (most > 1) {
    rules.count = numbers(site, counts, "number of messages");
  } else {
    rules.happens = predicates_of(counts);
    if (rules.happens.empty()) refuse(site, "no rule says on which ranks it sends or receives anything");
  }
  add_rules_of_members(site, made, rules);
  if (std::holds_alternative<Post>(rules.like.operation)) add_rules_of_post(node, made, rules);
  if (std::holds_alternative<Collective>(rules.like.operation)) add_rules_of_collective(site, made, rules);
  if (std::holds_alternative<Lock>(rules.like.operation)) {
    std::vector<Sample> peers;
    for (const Made& one : made)
      peers.push_back({one.where, std::get<Lock>(one.operations[0]->operation).peer});
    rules.peer = peer_rules(peers);
    if (rules.peer.empty()) refuse(site, "no rule gives the rank whose window it locks");
  }
  return rules;
}

void ProgramRules::add_rules_of_members(int site, std::span<const Made> made, OperationRules& rules) {
  std::vector<MembersSample> samples;
  for (const Made& one : made)
    samples.push_back({one.where, one.operations[0]->members});
  rules.members = member_rules(samples);
  if (rules.members.empty()) refuse(site, "no rule gives the ranks of its communicator");
}

void ProgramRules::add_rules_of_post(int node, std::span<const Made> made, OperationRules& rules) {
  const int site = tree_.node(node).site;
  std::vector<Sample> peers;
  std::vector<Sample> sizes;
  std::vector<Sample> tags;
  std::vector<Sample> tags_from_peers;
  std::deque<Where> towards_peers;
  for (const Made& one : made) {
    const Post& post = std::get<Post>(one.operations[0]->operation);
    peers.push_back({one.where, post.peer});
    sizes.push_back({&towards_peers.emplace_back(one.where->towards(post.peer)), post.size_bytes});
    tags.push_back({one.where, post.tag});
    tags_from_peers.push_back({one.where, std::int64_t{post.tag} - post.peer});
  }
  const auto& directions = rules_[static_cast<std::size_t>(tree_.node(node).parent)].directions;
  const Rule in_its_direction{[directions](const Where& where) -> std::optional<std::int64_t> {
                                return where.grid().neighbour(
                                    where.rank(), directions[static_cast<std::size_t>(where.loops[0].step)]);
                              },
                              "the neighbour of the step"};
  if (!directions.empty() && fits(in_its_direction.value, peers))
    rules.peer = {in_its_direction};
  else
    rules.peer = peer_rules(peers);
  if (rules.peer.empty()) {
    const Sample& first = peers.front();
    refuse(site,
           fmt::format("no rule gives the other rank ({} for {})", first.value, place_name(*first.where)));
  }
  rules.size = sizes_of(site, sizes, std::nullopt);
  rules.tag = tags_of_steps(tags);
  if (rules.tag.empty()) rules.tag = number_rules(tags);
  if (!rules.tag.empty()) return;
  const std::int64_t more = tags_from_peers.front().value;
  if (!rules.peer.empty() &&
      std::ranges::all_of(tags_from_peers, [&](const Sample& sample) { return sample.value == more; })) {
    rules.tag = {{[more, peer = rules.peer](const Where& where) -> std::optional<std::int64_t> {
                    const Answer other = answer(peer, where, true);
                    if (!other.value) return std::nullopt;
                    return *other.value + more;
                  },
                  "the other rank's number, and a constant"}};
    return;
  }
  rules.tag = numbers(site, tags, "tag");
}

void ProgramRules::add_rules_of_collective(int site, std::span<const Made> made, OperationRules& rules) {
  const CollectiveKind kind = std::get<Collective>(rules.like.operation).kind;
  std::vector<Sample> roots;
  std::vector<Sample> sizes;
  std::vector<const Made*> tables;
  for (const Made& one : made) {
    const Collective& collective = std::get<Collective>(one.operations[0]->operation);
    const Members& members = one.operations[0]->members;
    roots.push_back(
        {one.where, members ? (*members)[static_cast<std::size_t>(collective.root)] : collective.root});
    sizes.push_back({one.where, collective.size_bytes});
    if (!one.operations[0]->sizes.empty()) tables.push_back(&one);
  }
  if (has_root(kind)) {
    rules.peer = peer_rules(roots);
    if (rules.peer.empty()) refuse(site, "no rule gives the root");
  }
  // A datatype of a rank's whole part is no element of others.
  const std::int32_t element_bytes = std::get<Collective>(rules.like.operation).element_bytes;
  const bool is_element = std::ranges::all_of(made, [&](const Made& one) {
    return std::get<Collective>(one.operations[0]->operation).element_bytes == element_bytes;
  });
  if (is_of_neighbours(kind)) return add_rules_of_neighbours(site, made, rules);
  rules.size = sizes_of(site, sizes, is_element ? element_bytes : 1);
  if (tables.empty()) return;
  // One size for each rank, which may depend on that rank only; or the same for all, which may depend on the
  // rank that has the table.
  std::deque<RankPlace> places;
  std::deque<Where> wheres;
  std::vector<Sample> of_others;
  std::vector<Sample> of_own;
  bool all_equal = true;
  for (const Made* one : tables) {
    const std::vector<std::int64_t>& table = one->operations[0]->sizes;
    const Members& members = one->operations[0]->members;
    all_equal = all_equal && std::ranges::count(table, table.front()) == std::ssize(table);
    of_own.push_back({one->where, table.front()});
    const std::size_t ranks = members ? members->size() : static_cast<std::size_t>(one->where->ranks());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const int rank = members ? (*members)[i % ranks] : static_cast<int>(i % ranks);
      places.push_back({one->where->at->grid, rank, one->where->grid().place_of(rank)});
      Where& where = wheres.emplace_back(*one->where);
      where.at = &places.back();
      of_others.push_back({&where, table[i]});
    }
  }
  if (all_equal) {
    rules.sizes = numbers(site, of_own, "sizes");
    return;
  }
  rules.sizes = number_rules(of_others);
  if (rules.sizes.empty()) refuse(site, "its sizes are a table without a rule");
  rules.like.sizes.assign(1, 1);  // the table is that of the other ranks
}

/// The table has two numbers of neighbours, then each neighbour and its bytes (Collective::first_size).
void ProgramRules::add_rules_of_neighbours(int site, std::span<const Made> made, OperationRules& rules) {
  std::array<std::vector<NeighboursOf>, 2> lists;
  for (const Made& one : made) {
    const std::vector<std::int64_t>& table = one.operations[0]->sizes;
    const Members& members = one.operations[0]->members;
    std::size_t first = 2;
    for (const std::size_t side : {0U, 1U}) {
      NeighboursOf& own = lists[side].emplace_back(NeighboursOf{one.where, {}});
      for (std::int64_t n = 0; n < table[side]; ++n, first += 2)
        own.neighbours.push_back(
            {members ? (*members)[static_cast<std::size_t>(table[first])] : table[first], table[first + 1]});
    }
  }
  for (const std::vector<NeighboursOf>& side : lists) {
    std::optional<NeighbourRules> found = neighbour_rules(side);
    if (!found) return refuse(site, "no rule gives the neighbours with which it exchanges, or their sizes");
    rules.neighbours.push_back(std::move(*found));
  }
}

void ProgramRules::add_rules_of_completion(int site, std::span<const Made> made, OperationRules& rules) {
  using enum OperationRules::Completes;
  const auto completion = [](const Made& one) -> const Completion& { return *one.operations[0]->completion; };
  if (std::ranges::all_of(made, [&](const Made& one) { return completion(one).left_open.empty(); })) return;
  std::set<int> sites;
  for (const Made& one : made)
    sites.insert(completion(one).of_sites.begin(), completion(one).of_sites.end());
  rules.of_sites.assign(sites.begin(), sites.end());
  rules.completes = of_sites;
  if (std::ranges::none_of(made, [&](const Made& one) {
        return std::ranges::any_of(completion(one).left_open, [&](int open) { return sites.contains(open); });
      }))
    return;
  std::vector<Sample> from_oldest_one;
  std::vector<Sample> from_newest_one;
  std::vector<Sample> counts;
  for (const Made& one : made) {
    const Completion& own = completion(one);
    if (own.count == 0) continue;
    if (!own.is_contiguous) return refuse(site, "no rule says which requests it completes");
    from_oldest_one.push_back({one.where, own.first});
    from_newest_one.push_back({one.where, own.open - own.first - own.count});
    counts.push_back({one.where, own.count});
  }
  rules.count = numbers(site, counts, "number of completed requests");
  rules.completes = from_oldest;
  rules.first = number_rules(from_oldest_one);
  if (!rules.first.empty()) return;
  rules.completes = from_newest;
  rules.first = number_rules(from_newest_one);
  if (rules.first.empty()) refuse(site, "no rule says which requests it completes");
}

}  // namespace finegrain::scaling
