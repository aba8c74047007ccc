// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::machine {

/// The CPUs (hardware threads) that the operating system lets this process run on, ascending.
std::vector<int> allowed_cpus();

/// Number of cores that the CPUs belong to: the hardware threads of one core count once.
int count_cores(const std::vector<int>& cpus);

/// "Intel(R) Xeon(R) ...", or "unknown".
std::string cpu_model();

/// {0, 1, 2, 5} as "0-2,5".
std::string format_cpus(const std::vector<int>& cpus);

}  // namespace finegrain::machine
