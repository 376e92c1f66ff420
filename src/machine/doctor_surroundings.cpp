// SPDX-License-Identifier: Apache-2.0
//
// Who else is on this machine, and what kind of machine is it?
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/escaping.h"
#include "machine/doctor.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
/// A study of a few hundred runs takes some hundred megabytes with its samples and logs.
constexpr std::uint64_t little_disk = 1024 * mebibyte;
/// Less than this may not hold the next run.
constexpr std::uint64_t no_disk = 100 * mebibyte;
/// A few pages rest in the swap of any machine that has been up for long.
constexpr std::uint64_t little_swap = 64 * mebibyte;

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB",
                     static_cast<double>(bytes) / static_cast<double>(1024 * mebibyte));
}

std::optional<Check> check_load(const DoctorInput& input) {
  const Seconds own{input.own_cpu_seconds};
  const auto others = cpu_time_of_others(input.earlier, input.later, own);
  if (!others || input.apart <= Seconds{0}) return std::nullopt;
  const double percent = 100 * *others / input.apart;
  const auto average =
      input.later.load ? fmt::format(" (load average {:.2f})", *input.later.load) : std::string();
  if (*others > others_limit(own, input.apart))
    return Check{
        "load", Severity::warning,
        fmt::format("other processes use {:.0f} % of one CPU{}: their energy is counted for the "
                    "workload's bill",
                    percent, average),
        "stop them: top shows which; runs will be flagged `disturbed`", ""};
  return Check{"load", Severity::ok,
               fmt::format("other processes use {:.0f} % of one CPU{}", percent, average), "", ""};
}

std::optional<Check> check_steal(const DoctorInput& input) {
  if (!input.machine.system.is_virtual) return std::nullopt;
  if (!is_stolen(input.earlier, input.later, input.apart, input.machine.cpu.threads.value_or(1)))
    return std::nullopt;
  return Check{"steal", Severity::warning,
               "the host gives CPU time of this machine to others, so run times depend on them",
               "ask for dedicated CPUs, or measure at a quiet time; runs will be flagged "
               "`disturbed`",
               ""};
}

std::optional<Check> check_virtual_machine(const Machine& machine) {
  if (!machine.system.is_virtual) return std::nullopt;
  return Check{"virtual-machine", Severity::warning,
               fmt::format("this is a virtual machine{}: RAPL is missing or reported by the "
                           "hypervisor, and clocks and neighbours are not visible",
                           machine.system.hypervisor ? " (" + *machine.system.hypervisor + ")"
                                                     : std::string()),
               "compare run times here; measure energy on real hardware", ""};
}

std::optional<Check> check_container(const DoctorInput& input) {
  if (!input.machine.system.container) return std::nullopt;
  const std::string& name = *input.machine.system.container;
  std::error_code none;
  const fs::path powercap = input.root / "sys/class/powercap";
  const bool sees_rapl = fs::is_directory(powercap, none) && !fs::is_empty(powercap, none);
  if (sees_rapl || input.machine.system.is_virtual)
    return Check{"container", Severity::note,
                 fmt::format("inside a container ({}): the meters cover the whole machine", name),
                 "make sure that other containers are idle", ""};
  return Check{"container", Severity::warning,
               fmt::format("inside a container ({}) that does not see the host's RAPL", name),
               "start it with -v /sys:/host/sys:ro -v /proc:/host/proc:ro and use --root /host",
               ""};
}

std::optional<Check> check_swap(const Machine& machine) {
  if (!machine.memory.swap_used_bytes) return std::nullopt;
  const auto used = *machine.memory.swap_used_bytes;
  if (used <= little_swap)
    return Check{"swap", Severity::ok, "little or no swap is in use", "", ""};
  return Check{
      "swap", Severity::note,
      fmt::format("{} are swapped out: paging costs extra time and energy", gibibytes(used)),
      "free memory, then sudo swapoff -a; sudo swapon -a", ""};
}

std::optional<Check> check_huge_pages(const Machine& machine) {
  if (!machine.memory.huge_pages) return std::nullopt;
  // Recorded, not judged: it changes results by per cents, either way.
  return Check{"huge-pages", Severity::ok,
               fmt::format("transparent huge pages: {} (recorded with each run)",
                           *machine.memory.huge_pages),
               "", ""};
}

std::optional<Check> check_battery(const DoctorInput& input) {
  const auto& meters = input.found.meters;
  const bool is_on_battery = std::any_of(meters.begin(), meters.end(), [](const auto& meter) {
    return meter->info().id.starts_with("battery/");
  });
  if (is_on_battery)
    return Check{
        "battery", Severity::warning,
        "the machine runs on its battery: power limits are lower, and the clock drops as it "
        "empties",
        "plug it in, unless the battery is the meter that you want", ""};
  const auto& left_out = input.found.left_out;
  const auto battery = std::find_if(left_out.begin(), left_out.end(), [](const LeftOut& source) {
    return source.source.starts_with("battery/");
  });
  if (battery == left_out.end()) return std::nullopt;
  if (battery->reason.find("status: Charging") != std::string::npos)
    return Check{"battery", Severity::note,
                 "the battery is charging: a wall meter includes that, and it warms the machine",
                 "wait until it is full", ""};
  return Check{"battery", Severity::ok, "on mains power", "", ""};
}

void check_gpu(const GpuState& gpu, std::vector<Check>& checks) {
  if (!gpu.other_processes.empty())
    checks.push_back({"gpu-users", Severity::warning,
                      fmt::format("{} is used by other processes (pid {}): their energy lands on "
                                  "the workload's bill",
                                  printable(gpu.name), fmt::join(gpu.other_processes, ", ")),
                      "stop them, or choose another GPU with CUDA_VISIBLE_DEVICES", ""});
  if (gpu.is_persistent == false)
    checks.push_back({"gpu-persistence", Severity::note,
                      fmt::format("{} drops its driver state when idle, so the first run includes "
                                  "waking it",
                                  printable(gpu.name)),
                      "sudo nvidia-smi -pm 1", ""});
  if (gpu.is_exclusive == false)
    checks.push_back({"gpu-exclusive", Severity::note,
                      fmt::format("{} takes work from any process", printable(gpu.name)),
                      "if others use it too: sudo nvidia-smi -c EXCLUSIVE_PROCESS", ""});
  if (gpu.other_processes.empty() && gpu.is_persistent == true)
    checks.push_back(
        {"gpu", Severity::ok, printable(gpu.name) + " is idle and stays awake", "", ""});
}

std::optional<Check> check_disk(const DoctorInput& input) {
  if (!input.free_bytes) return std::nullopt;
  const auto room = gibibytes(*input.free_bytes);
  if (*input.free_bytes < no_disk)
    return Check{"disk", Severity::fail, room + " are free for results: the next run may be lost",
                 "free some space, or write results elsewhere with -o", ""};
  if (*input.free_bytes < little_disk)
    return Check{"disk", Severity::warning, room + " are free for results: a long study needs more",
                 "free some space, or write results elsewhere with -o", ""};
  return Check{"disk", Severity::ok, room + " are free for results", "", ""};
}

}  // namespace

std::vector<Check> check_surroundings(const DoctorInput& input) {
  std::vector<Check> checks;
  for (const auto& check :
       {check_load(input), check_steal(input), check_virtual_machine(input.machine),
        check_container(input), check_battery(input), check_swap(input.machine),
        check_huge_pages(input.machine), check_disk(input)})
    if (check) checks.push_back(*check);
  for (const auto& gpu : input.gpus) check_gpu(gpu, checks);
  return checks;
}

}  // namespace prengdl
