// SPDX-License-Identifier: MIT
#include "sim/replay/engine/compiled_bodies.hpp"

#include <algorithm>
#include <span>

#include "traces/place_of_call.hpp"

namespace finegrain::replay {

CompiledBody& CompiledBodies::of(const std::shared_ptr<const Body>& shared, int rank, Compiler& compiler) {
  constexpr std::size_t most_operations = 2048;  // those of a generation of bodies
  constexpr std::size_t most_met = 2048;
  const Body& body = *shared;
  const auto known = known_.find(&body);
  if (known != known_.end()) return known->second.program;
  if (known_operations_ > most_operations) {
    known_before_ = std::exchange(known_, {});
    known_operations_ = 0;
  }
  if (auto before = known_before_.extract(&body); !before.empty()) {
    known_operations_ += body.operations.size();
    return known_.insert(std::move(before)).position->second.program;
  }
  // What nobody else keeps cannot come again.
  if (shared.use_count() == 1) {
    compile(shared, rank, compiler, once_);
    return once_.program;
  }
  // Many a program repeats few of its calls, and to keep one costs more than to compile it.
  if (met_.size() > most_met) met_.clear();
  if (met_.insert(&body).second) {
    compile(shared, rank, compiler, once_);
    return once_.program;
  }
  known_operations_ += body.operations.size();
  Compiled& compiled = known_[&body];
  compile(shared, rank, compiler, compiled);
  return compiled.program;
}

void CompiledBodies::compile(const std::shared_ptr<const Body>& shared, int rank, Compiler& compiler,
                             Compiled& compiled) {
  const Body& body = *shared;
  compiled.body = shared;
  compiled.program = compiler.compile(body, rank, {}, Requested::one_by_one);
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    const RegionName name = body.regions[r].name;
    const auto number =
        static_cast<std::int32_t>(std::ranges::count(std::span(body.regions).first(r), name, &Region::name));
    const auto [known_place, is_new] =
        places_.try_emplace({name, number}, static_cast<std::uint32_t>(regions_.size()));
    if (is_new) regions_.push_back(name);
    compiled.program.region_places[r] = known_place->second;
  }
  std::size_t region = 0;
  for (Step& step : compiled.program.steps) {
    if (step.kind != Step::Kind::end_region) continue;
    const RegionName name = body.regions[region].name;
    step.is_work = name == regions::compute || is_moment_of_thread(name);
    step.region = compiled.program.region_places[region++];
  }
}

std::vector<std::string> CompiledBodies::names() const {
  std::vector<std::string> names;
  for (const RegionName name : regions_)
    names.emplace_back(name.text());
  return names;
}

}  // namespace finegrain::replay
