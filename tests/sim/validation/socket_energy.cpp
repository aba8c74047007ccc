// SPDX-License-Identifier: MIT
// Table II of the thesis' Paper I: energies of two sockets and of one.
#include "sim/validation/socket_energy.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "../replay/small_platform.hpp"

using namespace finegrain;
using namespace finegrain::validation;

TEST_CASE("Table II has 18 energies, of which MPI's six are fitted") {
  const std::vector<SocketEnergy> energies = published_socket_energies();
  REQUIRE(energies.size() == 18);
  CHECK(std::ranges::count_if(energies, [](const SocketEnergy& cell) { return cell.is_fitted; }) == 6);
  const SocketEnergy& first = energies.front();
  CHECK(first.model == "MPI");
  CHECK(first.threads == 2);
  CHECK(first.counted == replay::CountedSockets::used);
  CHECK(first.gain == Approx(9.64 / 100));
  CHECK(first.measured == Approx(1 + 50.36 / 100));
}

TEST_CASE("powers that made a table of energies are found again by the fit") {
  const double one = 2, two = 2.5, four = 3, eight = 4;
  const auto cell = [](int threads, replay::CountedSockets counted, double measured) {
    return SocketEnergy{"MPI", threads, counted, 0.25, measured / 1.25, 0, true};
  };
  using enum replay::CountedSockets;
  const std::vector<platform::SocketPower> powers =
      fitted_powers({cell(2, used, 2 * one / two), cell(2, all, 2 * one / (two + 1)),
                     cell(4, used, 2 * two / four), cell(4, all, 2 * two / (four + 1)),
                     cell(8, used, 2 * four / eight), cell(8, all, 2 * four / (eight + 1))});
  REQUIRE(powers.size() == 5);
  CHECK(powers[0].watts == 1);
  CHECK(powers[1].watts == Approx(one).epsilon(1e-4));
  CHECK(powers[2].watts == Approx(two).epsilon(1e-4));
  CHECK(powers[3].watts == Approx(four).epsilon(1e-4));
  CHECK(powers[4].watts == Approx(eight).epsilon(1e-4));
}

TEST_CASE("simulated, OpenMP's and UPC's energies are within 1 % of Table II with powers fitted to MPI's") {
  SmallPlatform platform(switched(1));
  std::vector<SocketEnergy> energies = published_socket_energies();
  simulate(energies, *platform, 1);
  const SocketEnergyScore score = score_of(energies);
  CHECK(score.cells == 12);
  CHECK(score.rms < 0.01);
  CHECK(score.rms < score.rms_as_mpi / 2);
  // By hand, with the fitted powers: OpenMP on 8 threads, the idle socket counted.
  const auto powers = fitted_powers(energies);
  const double eight = powers[4].watts;
  const double four = powers[3].watts;
  const auto cell = std::ranges::find_if(energies, [](const SocketEnergy& one) {
    return one.model == "OpenMP" && one.threads == 8 && one.counted == replay::CountedSockets::all;
  });
  CHECK(cell->simulated == Approx(2 * four / ((eight + 1) * (1 + 12.07 / 100))).epsilon(1e-9));
}
