// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "platform_text.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_facts.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::test;
using Catch::Matchers::Contains;

TEST_CASE("all properties are read, each in its unit") {
  const PlatformCosts costs = costs_of(zone(memory_props + "<prop id='cache_line' value='128B'/>"
                                                           "<prop id='message_overhead' value='1.5us'/>"
                                                           "<prop id='local_latency' value='300ns'/>"
                                                           "<prop id='tau' value='3.4us'/>"
                                                           "<prop id='remote_bandwidth' value='48Gbps'/>"));
  CHECK(costs.memory_bandwidth_bytes_per_s == Approx(75. * 1000 * 1024 * 1024));
  CHECK(costs.memory_bandwidth_per_core_bytes_per_s == Approx(10e9));
  CHECK(costs.cache_line_bytes == 128);
  CHECK(costs.message_overhead_s == Approx(1.5e-6));
  CHECK(costs.local_latency_s == Approx(300e-9));
  CHECK(costs.tau() == Approx(3.4e-6));
  CHECK(costs.remote_bandwidth() == Approx(48e9 / 8));
}

TEST_CASE("what a file leaves out has its default, or is asked for when it is used") {
  const PlatformCosts costs = costs_of(zone(memory_props));
  CHECK(costs.cache_line_bytes == 64);
  CHECK(costs.message_overhead_s == 0);
  CHECK(costs.local_latency_s == 0);
  CHECK_THROWS_WITH(costs.tau(), Contains("no tau, remote_bandwidth (") &&
                                     Contains("or give --set tau=3.4us,remote_bandwidth=12GBps"));
  CHECK_THROWS_WITH(costs.remote_bandwidth(), Contains("no tau, remote_bandwidth ("));
  CHECK_THROWS_WITH(costs_of(zone(memory_props), {"tau=1us"}).remote_bandwidth(),
                    Contains("no remote_bandwidth ("));
}

TEST_CASE("stripe_above is a size, which may be 0, and without it no message is divided among rails") {
  const std::string striped = "<prop id='stripe_above' value='64KiB'/>";
  CHECK_FALSE(costs_of(zone(memory_props)).stripe_above_bytes.has_value());
  CHECK(costs_of(zone(memory_props + striped)).stripe_above_bytes == 65536);
  CHECK(costs_of(zone(memory_props + striped), {"stripe_above=x2"}).stripe_above_bytes == 2 * 65536);
  CHECK(costs_of(zone(memory_props), {"stripe_above=0B"}).stripe_above_bytes == 0);
}

TEST_CASE("properties of a zone, a cluster and a host are found, wherever they are nested") {
  CHECK(costs_of(zone("<zone id='inner' routing='Full'><host id='a' speed='1Gf'>" + memory_props +
                      "</host></zone>"))
            .memory_bandwidth_per_core_bytes_per_s == 10e9);
  CHECK(
      costs_of(
          "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-1' speed='1Gf' bw='1GBps' "
          "lat='1us'>" +
          memory_props + "</cluster></platform>")
          .memory_bandwidth_per_core_bytes_per_s == 10e9);
}

TEST_CASE("properties of links and of <config>, and properties of other names, are not finegrain's") {
  const PlatformCosts costs = costs_of(
      "<platform version='4.1'>"
      "<config id='General'><prop id='tau' value='oops'/></config>"
      "<zone id='z' routing='Full'>"
      "<link id='l' bandwidth='1GBps' latency='1us'><prop id='tau' value='7us'/></link>"
      "<prop id='wattage_off' value='10'/>" +
      memory_props + "</zone></platform>");
  CHECK(!costs.tau_s);
}

TEST_CASE("an override wins over the file, and the last override over earlier ones") {
  const PlatformCosts costs =
      costs_of(zone(memory_props), {"memory_bandwidth=100GBps", "tau=1us", "tau=2us"});
  CHECK(costs.memory_bandwidth_bytes_per_s == 100e9);
  CHECK(costs.tau() == Approx(2e-6));
}

TEST_CASE("several overrides may be one text, and a list of powers stays one value") {
  CHECK(split_overrides(
            {"memory_bandwidth=100GBps,tau=1us", "socket_power=idle=20W,1=43W,sockets=2,mpi=mpich-4.0"}) ==
        std::vector<std::string>{"memory_bandwidth=100GBps", "tau=1us", "socket_power=idle=20W,1=43W",
                                 "sockets=2", "mpi=mpich-4.0"});
}

TEST_CASE("a property that is given twice is refused, and two of one link are not") {
  CHECK_THROWS_WITH(split_overrides({"tau=1us,tau=2us"}),
                    "--set: tau is given twice: tau=1us and tau=2us. Give it once");
  CHECK_THROWS_WITH(split_overrides({"tau=1us", "tau=x2"}),
                    "--set: tau is given twice: tau=1us and tau=x2. Give it once");
  CHECK(split_overrides({"link:a bandwidth=x2", "link:a latency=1us", "link:b bandwidth=x2"}).size() == 3);
}

TEST_CASE("overrides give what the file lacks") {
  CHECK(costs_of(zone(""), {"memory_bandwidth=100GBps", "memory_bandwidth_per_core=10GBps"})
            .memory_bandwidth_bytes_per_s == 100e9);
}

TEST_CASE("a number is measured where the file says so, until an override declares another") {
  const TextFile file(zone(memory_props + "<prop id='measured' value='memory_bandwidth tau'/>\n"));
  const auto is_measured = [&](const char* name, const std::vector<std::string>& overrides) {
    const std::vector<CostProperty> properties = read_cost_properties(file.path(), overrides);
    return std::ranges::find(properties, name, &CostProperty::name)->measured;
  };
  CHECK(is_measured("memory_bandwidth", {}));
  CHECK(!is_measured("memory_bandwidth_per_core", {}));
  CHECK(!is_measured("memory_bandwidth", {"memory_bandwidth=1GBps"}));
  const TextFile wrong(zone("<prop id='measured' value='taw'/>\n"));
  CHECK_THROWS_WITH(read_cost_properties(wrong.path(), {}), Contains(":4: measured: 'taw' is no property"));
}

TEST_CASE("all missing bandwidths are asked for at once by name, with both ways to give them") {
  check_refused(zone(""), "no memory_bandwidth, memory_bandwidth_per_core (");
  check_refused(zone(""),
                "<prop id=\"memory_bandwidth\" value=\"100GBps\"/><prop id=\"memory_bandwidth_per_core\"");
  check_refused(zone(""), "or give --set memory_bandwidth=100GBps,memory_bandwidth_per_core=12GBps");
  check_refused(zone("<prop id='memory_bandwidth' value='75GBps'/>"), "no memory_bandwidth_per_core (");
}

TEST_CASE("a number or a unit that does not parse is refused with its line") {
  // <?xml, <platform>, <zone>, two lines of memory_props: the next line is the sixth.
  for (const char* value : {"75", "75GB", "fast", "", "-1us", "nan", "1e999us"})
    check_refused(zone(memory_props + fmt::format("<prop id='tau' value='{}'/>", value)), ".xml:6: tau");
  check_refused(zone(memory_props + "<prop id='tau'/>"), ".xml:6: tau");
}

TEST_CASE("zero is refused where a rate is needed, and taken where a cost may be free") {
  check_refused(zone("<prop id='memory_bandwidth' value='0GBps'/>"), "is zero");
  check_refused(zone(memory_props), "is zero", {"memory_bandwidth_per_core=0GBps"});
  check_refused(zone(memory_props), "is zero", {"cache_line=0B"});
  check_refused(zone(memory_props), "is zero", {"remote_bandwidth=0GBps"});
  CHECK(costs_of(zone(memory_props), {"message_overhead=0us"}).message_overhead_s == 0);
}

TEST_CASE("two values of one property are refused with both places, two equal ones are not") {
  const std::string other = "<host id='a' speed='1Gf'><prop id='memory_bandwidth' value='{}'/></host>";
  check_refused(zone(memory_props + fmt::format(fmt::runtime(other), "80GBps")), "another value at");
  CHECK(costs_of(zone(memory_props + fmt::format(fmt::runtime(other), "78643.2MBps")))
            .memory_bandwidth_bytes_per_s == Approx(78.6432e9));
}

TEST_CASE("an unknown or malformed override is refused, with the names that are known") {
  check_refused(zone(memory_props), "--set memory_bandwith: unknown property", {"memory_bandwith=1GBps"});
  check_refused(zone(memory_props), "Known are memory_bandwidth, memory_bandwidth_per_core, cache_line",
                {"memory_bandwith=1GBps"});
  check_refused(zone(memory_props), "not of the form name=value", {"tau"});
  check_refused(zone(memory_props), "--set tau: ''", {"tau="});
}

TEST_CASE("malformed XML is refused with its line, and other XML for what it is") {
  check_refused("<platform version='4.1'>\n<zone id='z'\n", ".xml:");
  check_refused("", "malformed XML");
  check_refused("not XML at all", "malformed XML");
  check_refused("<machine/>", "<machine> is not a SimGrid platform");
  CHECK_THROWS_AS(read_platform("/nonexistent.xml"), InputError);
  CHECK_THROWS_AS(read_platform(std::filesystem::temp_directory_path()), InputError);
}

TEST_CASE("entities declared in a DOCTYPE are refused with their line, the usual DOCTYPE is not") {
  const std::string platform =
      "<platform version='4.1'><zone id='z' routing='Full'>" + memory_props + "&x;</zone></platform>";
  const TextFile secret(memory_props);
  for (const std::string& entity : {"<!ENTITY x SYSTEM '" + secret.path().string() + "'>",
                                    std::string("<!ENTITY x 'y'>"), std::string("<!ENTITY % x 'y'>")})
    check_refused("<?xml version='1.0'?>\n<!DOCTYPE platform [" + entity + "]>" + platform,
                  ".xml:2: the DOCTYPE declares entities");
  CHECK(costs_of("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">" + platform)
            .memory_bandwidth_per_core_bytes_per_s == 10e9);
}

TEST_CASE("whatever makes SimGrid open another file is refused with its line") {
  // As above, the sixth line.
  for (const char* other :
       {"<include file='other.xml'/>", "<include/>", "<trace id='t' periodicity='1' file='/etc/passwd'/>",
        "<trace id='t' periodicity='1' file=''/>", "<host id='a' speed='1Gf' speed_file='a.trace'/>",
        "<host id='a' speed='1Gf' availability_file='a.trace'/>",
        "<host id='a' speed='1Gf' state_file='a.trace'/>",
        "<link id='l' bandwidth='1GBps' bandwidth_file='a.trace'/>",
        "<link id='l' bandwidth='1GBps' latency_file='a.trace'/>",
        "<link id='l' bandwidth='1GBps' state_file='a.trace'/>",
        "<peer id='p' speed='1Gf' bw_in='1GBps' bw_out='1GBps' state_file='a.trace'/>",
        "<storage_type id='s' size='1GiB' content='/etc/passwd'/>",
        "<zone id='deep' routing='Full'><zone id='deeper' routing='Full'><host id='a' speed='1Gf' "
        "state_file='a.trace'/></zone></zone>"}) {
    CAPTURE(other);
    check_refused(zone(memory_props + other), ".xml:6: <");
    check_refused(zone(memory_props + other), "must not reach other files");
  }
}

TEST_CASE("a <config> by which SimGrid would read or write files is refused, another is left alone") {
  const auto with = [](const std::string& setting) {
    return "<platform version='4.1'>\n<config id='General'>\n<prop id='" + setting +
           "' value='x'/></config>" + "<zone id='z' routing='Full'>" + memory_props + "</zone></platform>";
  };
  for (const char* setting : {"tracing", "tracing/filename", "tracing/comment-file", "tr&#97;cing", "path",
                              "smpi/hostfile", "smpi/replay", "smpi/comp-adjustment-file"})
    check_refused(with(setting), ".xml:3: the setting '");
  for (const char* setting : {"network/model", "maxmin/precision", "plugin"})
    CHECK(costs_of(with(setting)).memory_bandwidth_per_core_bytes_per_s == 10e9);
}

TEST_CASE("a platform with a profile written in the file changes over time, one without does not") {
  const auto changes = [](const std::string& contents) {
    const TextFile file(zone(memory_props + contents));
    return read_platform(file.path()).changes_over_time;
  };
  const std::string profile = "<trace id='t' periodicity='10'>0 1.0\n5 0.5</trace>";
  CHECK_FALSE(changes("<host id='a' speed='1Gf'/>"));
  CHECK_FALSE(changes("<host id='a' speed='1Gf'/>" + profile));
  CHECK(changes("<host id='a' speed='1Gf'/>" + profile +
                "<trace_connect trace='t' kind='SPEED' element='a'/>"));
}

/// A platform of zones in zones, without its end.
std::string nested(int zones) {
  std::string text = "<platform version='4.1'>";
  for (int depth = 0; depth < zones; ++depth)
    text += "\n<zone>";
  return text + memory_props;
}

std::string end_of_nested(int zones) {
  std::string text;
  for (int depth = 0; depth < zones; ++depth)
    text += "</zone>";
  return text + "</platform>";
}

TEST_CASE(
    "elements nested more than 100 deep, which overflow SimGrid's parser, are refused with their line") {
  for (const int zones : {101, 500, 100'000}) {
    check_refused(nested(zones) + end_of_nested(zones), ".xml:102: elements are nested more than 100 deep");
    check_refused(nested(zones), "malformed XML");
  }
  CHECK(costs_of(nested(99) + end_of_nested(99)).memory_bandwidth_per_core_bytes_per_s == 10e9);
}

TEST_CASE("W_private: a core's bandwidth for each thread, at most the rank's share of the node's") {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 75e9;
  costs.memory_bandwidth_per_core_bytes_per_s = 12e9;
  CHECK(private_bandwidth_bytes_per_s(costs, 1, 1) == 12e9);
  CHECK(private_bandwidth_bytes_per_s(costs, 16, 1) == 75e9 / 16);
  CHECK(private_bandwidth_bytes_per_s(costs, 1, 4) == 4 * 12e9);
  CHECK(private_bandwidth_bytes_per_s(costs, 1, 16) == 75e9);
  CHECK(private_bandwidth_bytes_per_s(costs, 16, 16) == 75e9 / 16);  // more threads than cores
}

TEST_CASE("every platform that comes with finegrain has what a replay needs") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLATFORMS)) {
    const PlatformCosts costs = read_platform(entry.path()).costs;
    // A node of one core has all of its memory's bandwidth for it, and sends nothing to itself.
    const bool has_several_cores = platform_facts(entry.path()).cores.value_or(2) > 1;
    CHECK((costs.memory_bandwidth_per_core_bytes_per_s < costs.memory_bandwidth_bytes_per_s) ==
          has_several_cores);
    CHECK((costs.local_latency_s > 0) == has_several_cores);
    ++files;
  }
  CHECK(files >= 5);
}

TEST_CASE("the clusters that come with finegrain have what the closed form needs, too") {
  for (const char* name : {"abel", "hdr_infiniband", "ethernet_10g"}) {
    const Platform platform = read_platform(fmt::format("{}/{}.xml", PLATFORMS, name));
    CHECK(platform.name == name);
    CHECK(platform.costs.tau() > platform.costs.message_overhead_s);
    CHECK(platform.costs.remote_bandwidth() > 0);
  }
}

TEST_CASE(
    "Knights Landing: MCDRAM is the faster memory once enough cores use it, and the slower to answer one") {
  const PlatformCosts mcdram = read_platform(PLATFORMS "/knl_7250_mcdram.xml").costs;
  const PlatformCosts ddr4 = read_platform(PLATFORMS "/knl_7250_ddr4.xml").costs;
  CHECK(private_bandwidth_bytes_per_s(mcdram, 68, 1) > private_bandwidth_bytes_per_s(ddr4, 68, 1));
  CHECK(private_bandwidth_bytes_per_s(mcdram, 1, 1) < private_bandwidth_bytes_per_s(ddr4, 1, 1));
}

TEST_CASE("Abel has the paper's numbers") {
  const PlatformCosts abel = read_platform(PLATFORMS "/abel.xml").costs;
  CHECK(abel.memory_bandwidth_bytes_per_s == Approx(75. * 1000 * 1024 * 1024));
  CHECK(abel.remote_bandwidth() == Approx(6. * 1024 * 1024 * 1024));
  CHECK(abel.tau() == Approx(3.4e-6));
}

TEST_CASE("powers of sockets, nodes and links are read, and an override wins") {
  const std::string props =
      "<prop id='sockets' value='2'/>\n<prop id='socket_power' value='idle=20W,1=43W,8=89W'/>\n"
      "<prop id='node_power' value='0.06kW'/>\n<prop id='link_power' value='idle=2W,busy=5000mW'/>\n";
  const TextFile file(zone(memory_props + props));
  const Platform platform = read_platform(file.path());
  CHECK(platform.sockets == 2);
  REQUIRE(platform.powers);
  REQUIRE(platform.powers->socket.size() == 3);
  CHECK(platform.powers->socket_w(0) == 20);
  CHECK(platform.powers->socket_w(1) == 43);
  CHECK(platform.powers->cores_of_socket() == 8);
  CHECK(platform.powers->node_w == Approx(60));
  CHECK(platform.powers->link.idle_w == 2);
  CHECK(platform.powers->link.busy_w == Approx(5));
  const Platform changed = read_platform(file.path(), {"socket_power=idle=1W,2=3W", "sockets=1"});
  CHECK(changed.sockets == 1);
  CHECK(changed.powers->cores_of_socket() == 2);
}

TEST_CASE("a platform without socket_power says nothing of energy, and has one socket") {
  const TextFile file(zone(memory_props));
  CHECK(!read_platform(file.path()).powers);
  CHECK(read_platform(file.path()).sockets == 1);
}

TEST_CASE("memory domains of a node are read: 1, or as many as sockets where these are given") {
  const TextFile file(zone(memory_props));
  CHECK(read_platform(file.path()).memory_domains == 1);
  CHECK(read_platform(file.path(), {"memory_domains=2"}).memory_domains == 2);
  CHECK(read_platform(file.path(), {"memory_domains=2", "sockets=2"}).memory_domains == 2);
  CHECK(read_platform(file.path(), {"sockets=2"}).memory_domains == 1);
  CHECK_THROWS_WITH(read_platform(file.path(), {"memory_domains=2", "sockets=4"}),
                    Catch::Contains("memory_domains: 2 domains on 4 sockets"));
}

TEST_CASE("how links and replies are served is one of two words each") {
  const TextFile file(zone(memory_props));
  CHECK(!read_platform(file.path()).costs.links_in_order);
  CHECK(!read_platform(file.path(), {"link_queues=shared"}).costs.links_in_order);
  CHECK(read_platform(file.path(), {"link_queues=in_order"}).costs.links_in_order);
  CHECK(read_platform(file.path(), {"replies=behind_data"}).costs.replies_wait);
  CHECK_THROWS_WITH(read_platform(file.path(), {"link_queues=fifo"}),
                    Catch::Contains("link_queues: 'fifo' is neither shared nor in_order"));
  CHECK_THROWS_WITH(read_platform(file.path(), {"replies=late"}),
                    Catch::Contains("replies: 'late' is neither at_once nor behind_data"));
}

TEST_CASE("network: the text of the file, or of --set, which says how messages share links, usually none") {
  const TextFile file(zone(memory_props + "<prop id='network' value='ordered'/>"));
  CHECK(read_platform(file.path()).network == "ordered");
  CHECK(read_platform(file.path(), {"network=credit:4x4KiB"}).network == "credit:4x4KiB");
  CHECK(read_platform(TextFile(zone(memory_props)).path()).network.empty());
}

TEST_CASE("powers that are none are refused with their line") {
  const auto refused = [](const std::string& name, const std::string& value, const std::string& problem) {
    const std::string text = zone(memory_props + fmt::format("<prop id='{}' value='{}'/>\n", name, value));
    check_refused(text, fmt::format(":6: {}: ", name));
    check_refused(text, problem);
  };
  refused("socket_power", "idle=20W", "has no power for busy cores");
  refused("socket_power", "1=20W,2=30W", "does not begin with idle");
  refused("socket_power", "idle=20W,8=30W,4=25W", "does not begin with idle and go on");
  refused("socket_power", "idle=20W,many=30W", "'many' is no number of busy cores");
  refused("socket_power", "idle=20W,-1=30W", "'-1' is no number of busy cores");
  refused("socket_power", "idle=20,1=30W", "'20' is not a number with a unit");
  refused("socket_power", "20W", "'20W' is not of the form name=power");
  refused("socket_power", "idle=20W,1=2000000000W", "more than any machine draws");
  refused("node_power", "60W", "there is no socket_power");
  refused("sockets", "0", "'0' is no number from 1 to 1024");
  const std::string powers = "<prop id='socket_power' value='idle=1W,1=2W'/>\n";
  check_refused(zone(memory_props + powers + "<prop id='link_power' value='idle=5W,busy=2W'/>"),
                "is not the power of an idle link and of a busy one");
  check_refused(zone(memory_props + powers + "<prop id='socket_power' value='idle=1W,1=3W'/>"),
                "and another value at");
}
