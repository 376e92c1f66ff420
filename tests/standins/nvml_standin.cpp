// SPDX-License-Identifier: Apache-2.0
//
// Answers like libnvidia-ml.so.1. Its types are declared anew, not shared with src/meters, so that
// a wrong layout on one side shows in the tests.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "standin.h"

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
constexpr int insufficient_size = 7;

constexpr const char* standard =
    "name=NVIDIA A100-SXM4-80GB,cc=8.0,watts=250,update=0.1;"
    "name=NVIDIA GeForce RTX 3090,cc=8.6,watts=120,energy=no,instant=no,window=1,update=0.1";

/// Handles point into these; the second half are the MIG devices of the first.
constexpr std::size_t first_slice = 64;
char handles[2 * first_slice];
using Device = char*;

bool is_slice(Device device) { return device >= handles + first_slice; }

standin::Gpu* gpu_of(Device device) {
  auto& gpus = standin::state().gpus;
  const auto number = static_cast<std::size_t>(device - handles) % first_slice;
  return number < gpus.size() ? &gpus[number] : nullptr;
}

/// Answers a question that the GPU has, unless it is made to fail.
template <class Answer>
int answer(Device device, bool (*has)(const standin::Gpu&), Answer give) {
  const standin::Gpu* const gpu = gpu_of(device);
  if (!gpu) return invalid_argument;
  standin::hang(*gpu);
  if (gpu->error) return gpu->error;
  if (!has(*gpu)) return not_supported;
  give(*gpu);
  return success;
}

bool has_channels(const standin::Gpu& gpu) { return gpu.channels == "yes"; }
bool has_energy(const standin::Gpu& gpu) { return gpu.energy != "no"; }
bool has_power(const standin::Gpu& gpu) { return gpu.power == "yes"; }
bool always(const standin::Gpu&) { return true; }

int copy(const std::string& text, char* buffer, unsigned size) {
  if (size <= text.size()) return insufficient_size;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return success;
}

unsigned milliwatts(double watts) { return static_cast<unsigned>(std::lround(watts * 1000)); }

struct Utilisation {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
struct Field {
  unsigned id, scope;
  long long timestamp, latency;
  unsigned type;
  int result;
  union {
    double d;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
  } value;
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return standin::start("PRENGDL_STANDIN_NVML", standard); }
int nvmlShutdown() {
  standin::stop();
  return success;
}

const char* nvmlErrorString(int code) {
  switch (code) {
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) { return copy("535.104.05", text, size); }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(standin::state().gpus.size());
  return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned number, Device* device) {
  if (number >= standin::state().gpus.size()) return invalid_argument;
  *device = handles + number;
  return standin::state().gpus[number].open_error;
}

int nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
  const standin::Gpu* const gpu = gpu_of(device);
  if (!gpu) return invalid_argument;
  return copy(is_slice(device) ? gpu->slice : gpu->uuid, text, size);
}

int nvmlDeviceGetName(Device device, char* text, unsigned size) {
  const standin::Gpu* const gpu = gpu_of(device);
  return gpu ? copy(gpu->name, text, size) : invalid_argument;
}

int nvmlDeviceGetCudaComputeCapability(Device device, int* major_part, int* minor_part) {
  return answer(device, always, [&](const standin::Gpu& gpu) {
    *major_part = gpu.major;
    *minor_part = gpu.minor;
  });
}

int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  return answer(device, has_energy, [&](const standin::Gpu& gpu) {
    constexpr double before = 1000;  // joules since the driver was loaded
    *millijoules =
        gpu.energy == "zero" ? 0
        : gpu.energy == "stuck"
            ? 123456
            : static_cast<unsigned long long>((before + gpu.joules_shown(standin::now())) * 1000);
  });
}

int nvmlDeviceGetPowerUsage(Device device, unsigned* power) {
  return answer(device, has_power, [&](const standin::Gpu& gpu) {
    *power = milliwatts(gpu.watts_at(standin::now()));
  });
}

int nvmlDeviceGetFieldValues(Device device, int count, Field* fields) {
  return answer(
      device, [](const standin::Gpu& gpu) { return gpu.instant != "no"; },
      [&](const standin::Gpu& gpu) {
        for (int i = 0; i < count; ++i) {
          const bool known = fields[i].id == 186 && fields[i].scope == 0;
          fields[i].result = known && gpu.instant == "yes" ? success : not_supported;
          fields[i].type = 1;
          standin::Gpu sharp = gpu;
          sharp.window = sharp.lag = sharp.update = 0;
          fields[i].value.u = milliwatts(sharp.watts_at(standin::now()));
        }
      });
}

int nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* power) {
  return answer(device, has_channels, [&](const standin::Gpu&) { *power = 400'000; });
}

int nvmlDeviceGetUtilizationRates(Device device, Utilisation* percent) {
  return answer(device, has_channels, [&](const standin::Gpu&) { *percent = {87, 42}; });
}

int nvmlDeviceGetMemoryInfo(Device device, Memory* bytes) {
  return answer(device, has_channels, [&](const standin::Gpu&) {
    *bytes = {80ULL << 30, 70ULL << 30, 10ULL << 30};
  });
}

int nvmlDeviceGetTemperature(Device device, int sensor, unsigned* degrees) {
  if (sensor != 0) return invalid_argument;
  return answer(device, has_channels,
                [&](const standin::Gpu& gpu) { *degrees = static_cast<unsigned>(gpu.celsius); });
}

int nvmlDeviceGetClockInfo(Device device, int type, unsigned* megahertz) {
  if (type != 1 && type != 2) return invalid_argument;
  return answer(device, has_channels,
                [&](const standin::Gpu&) { *megahertz = type == 1 ? 1410 : 1593; });
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* bits) {
  return answer(device, has_channels, [&](const standin::Gpu&) { *bits = 0x24; });
}

int nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, Process* processes) {
  int code = success;
  const int asked = answer(device, has_channels, [&](const standin::Gpu& gpu) {
    const unsigned room = *count;
    *count = static_cast<unsigned>(gpu.pids.size());
    if (room < gpu.pids.size()) {
      code = insufficient_size;
      return;
    }
    for (std::size_t i = 0; i < gpu.pids.size(); ++i)
      processes[i] = {gpu.pids[i], 1ULL << 30, ~0U, ~0U};
  });
  return asked == success ? code : asked;
}

int nvmlDeviceGetPersistenceMode(Device device, int* mode) {
  return answer(device, has_channels, [&](const standin::Gpu&) { *mode = 1; });
}

int nvmlDeviceGetComputeMode(Device device, int* mode) {
  return answer(device, has_channels, [&](const standin::Gpu&) { *mode = 0; });
}

int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return answer(device, always, [&](const standin::Gpu&) { *count = 7; });
}

int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned number, Device* slice) {
  constexpr int not_found = 6;
  const standin::Gpu* const gpu = gpu_of(device);
  if (!gpu || gpu->slice.empty() || number > 0) return not_found;
  *slice = device + first_slice;
  return success;
}
}
