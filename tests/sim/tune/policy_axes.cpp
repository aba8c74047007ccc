// SPDX-License-Identifier: MIT
#include "sim/tune/policy_axes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/tune/candidates.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::policy;
using namespace finegrain::tune;
using Catch::Matchers::Contains;

namespace {

const Variant two_sided_way{"condensed", Transfer::two_sided, Completion::together};
const Variant one_sided_way{"individual", Transfer::get, Completion::each};

}  // namespace

TEST_CASE("policy axes: every parameter that a usual policy declares as an axis is searched or said") {
  const std::vector<Variant> usual = usual_variants();
  const std::vector<Variant> all = with_axes(usual, {});
  CHECK(kept_numbers(usual, {}).empty());
  std::size_t axes = 0;
  for (const Variant& variant : usual) {
    for (const pattern::Parameter& parameter : policy::policy(variant.policy).parameters()) {
      if (!parameter.is_axis) continue;
      ++axes;
      for (const std::string& word : parameter.words) {
        Variant with_it = variant;
        if (Value(word) != *parameter.usual) with_it.settings[parameter.name] = word;
        CHECK(std::ranges::find(all, with_it) != all.end());
      }
    }
  }
  CHECK(axes > 0);
}

TEST_CASE("policy axes: a usual value is left out of the settings and comes first") {
  const std::vector<Variant> all = with_axes({two_sided_way, one_sided_way}, {});
  REQUIRE(all.size() == 3);
  CHECK(all[0] == two_sided_way);
  CHECK(all[1].settings == Settings{{"copy", "compact"}});
  CHECK(all[2] == one_sided_way);
}

TEST_CASE("policy axes: those that are given replace the usual ones") {
  const std::vector<Variant> all = with_axes({two_sided_way}, {{"copy", {Value("compact")}}});
  REQUIRE(all.size() == 1);
  CHECK(all[0].settings == Settings{{"copy", "compact"}});
  CHECK_THROWS_WITH(with_axes({one_sided_way}, {{"copy", {Value("compact")}}}), Contains("copy: none of"));
}

TEST_CASE("policy axes: a policy that counts on its own keeps its numbers, which is said") {
  const Variant inspecting{"inspector", Transfer::get, Completion::together};
  CHECK(with_axes({inspecting}, {}).size() == 3 * 2);  // form, inline-checks
  CHECK(kept_numbers({inspecting}, {}) == std::vector<std::string>{"window 512"});
  const AxisValues given{{"window", {Value(64), Value(512)}}};
  CHECK(with_axes({inspecting}, given).size() == 2 * 3 * 2);
  CHECK(kept_numbers({inspecting}, given).empty());
}

TEST_CASE("policy axes: settings are named as the flags that give them") {
  CHECK(settings_text({}).empty());
  CHECK(settings_text({{"copy", "compact"}, {"window", 64}}) == "copy compact, window 64");
}
