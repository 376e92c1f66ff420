// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace standin {

/// A GPU that draws `watts`, and from `step_at` on `step_watts`. Described by key=value pairs with
/// commas between them; semicolons between GPUs: "name=NVIDIA A100,cc=8.0,watts=250;energy=no".
struct Gpu {
  std::string name = "Stand-in GPU";
  std::string uuid;   // made from the number when not given
  std::string slice;  // mig=: UUID of a MIG device on it
  int major = 8;      // cc=8.0
  int minor = 0;
  double watts = 100;
  double step_watts = 100;  // step_watts=, step_at=: seconds after the library was initialised
  double step_at = 1e9;
  double window = 0;  // of the power usage, in seconds; as are lag and update
  double lag = 0;
  double update = 0;
  double celsius = 61;
  std::string energy = "yes";    // or no, zero, stuck
  std::string instant = "yes";   // or no, old: the call works, the field does not
  std::string power = "yes";     // or no
  std::string channels = "yes";  // or no
  std::string records = "new";   // or old: the layout of ROCm's clock frequencies
  std::vector<unsigned> pids;    // pids=12+34
  int open_error = 0;            // open_error=4: NVML cannot open it
  int error = 0;                 // every later question ends like this
  std::string hang_file;         // hang=PATH: no question is answered while this file is there

  double joules_at(double seconds) const;     // since the library was initialised
  double joules_shown(double seconds) const;  // as the counter shows them: held
  double watts_at(double seconds) const;      // as shown: averaged, late, held
};

struct State {
  std::vector<Gpu> gpus;
  int users = 0;  // initialised, not yet shut down
  int init_code = 0;
  std::int64_t start_ns = 0;
  std::int64_t fixed_ns = 0;  // the time to believe in; 0: CLOCK_MONOTONIC
  std::string description;    // instead of the variable of the environment
};
State& state();

/// Makes the GPUs at the first call of several. Returns the code that the test wants.
int start(const char* variable, const char* standard);
void stop();

/// Seconds since the start.
double now();

/// Does not return while the GPU hangs.
void hang(const Gpu& gpu);

}  // namespace standin

// For tests, found by dlsym. The state lives as long as the library is loaded.
extern "C" {
void prengdl_standin_configure(const char* description);
void prengdl_standin_init_code(int code);
void prengdl_standin_fail(unsigned gpu, int code);
void prengdl_standin_set_time(long long monotonic_ns);
long long prengdl_standin_start_ns();
int prengdl_standin_users();
}
