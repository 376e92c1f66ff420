// SPDX-License-Identifier: Apache-2.0
#include "standin.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

namespace standin {
namespace {

std::int64_t clock_ns() {
  if (state().fixed_ns) return state().fixed_ns;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) found.push_back(part);
  return found;
}

void set(Gpu& gpu, const std::string& key, const std::string& value) {
  const auto number = [&] { return std::strtod(value.c_str(), nullptr); };
  if (key == "name") gpu.name = value;
  if (key == "uuid") gpu.uuid = value;
  if (key == "mig") gpu.slice = value;
  if (key == "watts") gpu.watts = gpu.step_watts = number();
  if (key == "step_watts") gpu.step_watts = number();
  if (key == "step_at") gpu.step_at = number();
  if (key == "window") gpu.window = number();
  if (key == "lag") gpu.lag = number();
  if (key == "update") gpu.update = number();
  if (key == "celsius") gpu.celsius = number();
  if (key == "energy") gpu.energy = value;
  if (key == "instant") gpu.instant = value;
  if (key == "power") gpu.power = value;
  if (key == "channels") gpu.channels = value;
  if (key == "records") gpu.records = value;
  if (key == "open_error") gpu.open_error = static_cast<int>(number());
  if (key == "hang") gpu.hang_file = value;
  if (key == "error") gpu.error = static_cast<int>(number());
  if (key == "pids")
    for (const auto& pid : parts(value, '+'))
      gpu.pids.push_back(static_cast<unsigned>(std::strtoul(pid.c_str(), nullptr, 10)));
  if (key == "cc") {
    const auto numbers = parts(value, '.');
    gpu.major = std::atoi(numbers.at(0).c_str());
    gpu.minor = std::atoi(numbers.at(1).c_str());
  }
}

std::vector<Gpu> gpus_from(const std::string& description) {
  std::vector<Gpu> gpus;
  for (const auto& text : parts(description, ';')) {
    Gpu gpu;
    char uuid[64];
    std::snprintf(uuid, sizeof uuid, "GPU-%08zx-0000-0000-0000-%012zx", gpus.size() + 1,
                  gpus.size());
    gpu.uuid = uuid;
    for (const auto& pair : parts(text, ',')) {
      const auto equals = pair.find('=');
      if (equals != std::string::npos) set(gpu, pair.substr(0, equals), pair.substr(equals + 1));
    }
    gpus.push_back(gpu);
  }
  return gpus;
}

double last_update(double seconds, double period) {
  return period > 0 ? std::floor(seconds / period) * period : seconds;
}

}  // namespace

State& state() {
  static State the_state;
  return the_state;
}

double Gpu::joules_at(double seconds) const {
  return watts * std::min(seconds, step_at) + step_watts * std::max(0.0, seconds - step_at);
}

double Gpu::joules_shown(double seconds) const { return joules_at(last_update(seconds, update)); }

double Gpu::watts_at(double seconds) const {
  const double shown = last_update(seconds - lag, update);
  if (window > 0) return (joules_at(shown) - joules_at(shown - window)) / window;
  return shown < step_at ? watts : step_watts;
}

int start(const char* variable, const char* standard) {
  State& s = state();
  const char* const own_code = std::getenv((std::string(variable) + "_INIT").c_str());
  const int code = own_code ? std::atoi(own_code) : s.init_code;
  if (code != 0) return code;
  if (s.users++ > 0) return 0;
  const char* const from_environment = std::getenv(variable);
  s.gpus = gpus_from(!s.description.empty() ? s.description
                     : from_environment     ? from_environment
                                            : standard);
  s.start_ns = clock_ns();
  return 0;
}

void stop() { --state().users; }

double now() { return static_cast<double>(clock_ns() - state().start_ns) * 1e-9; }

void hang(const Gpu& gpu) {
  while (!gpu.hang_file.empty() && access(gpu.hang_file.c_str(), F_OK) == 0) usleep(10'000);
}

}  // namespace standin

void prengdl_standin_configure(const char* description) {
  standin::state() = {};
  standin::state().description = description;
}
void prengdl_standin_init_code(int code) { standin::state().init_code = code; }
void prengdl_standin_fail(unsigned gpu, int code) { standin::state().gpus.at(gpu).error = code; }
void prengdl_standin_set_time(long long monotonic_ns) { standin::state().fixed_ns = monotonic_ns; }
long long prengdl_standin_start_ns() { return standin::state().start_ns; }
int prengdl_standin_users() { return standin::state().users; }
