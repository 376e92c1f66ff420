// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <getopt.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "powercap_tree.h"

namespace bench {

inline constexpr auto fake_usage = R"(usage: fake_rapl [options] MOUNTPOINT
  --wave SHAPE        const:W | square:LOW,HIGH,HZ[,DUTY] | sine:MEAN,AMPLITUDE,HZ   (const:60)
  --start-ns T        CLOCK_MONOTONIC at which the waveform starts                   (now)
  --update-us N       the counters are renewed every N us; 0: at every read          (1000)
  --start-joules J    value of the counters at the start                             (1000)
  --range-joules J    the counters wrap at J joules                                  (262144)
  --wrap-after J      the counters wrap when the waveform has drawn J joules
  --packages N        package 0 draws the waveform, each other one half of it        (1)
  --psys              adds a psys zone that draws twice the waveform
  --latency-us N      a read of a counter takes N us longer                          (0)
  --world-readable    energy_uj is readable by all, not only by its owner
  --log FILE          at the end, one line per read of a counter: time, zone, thread
  --die-with-parent   end when the process that started this one ends
core draws 0.5 and dram 0.25 of its package.
)";

struct FakeOptions {
  Waveform wave;
  Machine machine;
  std::int64_t start_ns = 0;  // 0: now
  long latency_us = 0;
  mode_t energy_mode = 0400;  // as the kernel's since 5.10
  std::string log;
  std::string mount_point;
};

struct FakeOption {
  const char* name;
  bool takes_value;
  void (*set)(FakeOptions&, const std::string& value);
};

inline constexpr std::array fake_option_table{
    FakeOption{"wave", true,
               [](FakeOptions& o, const std::string& v) {
                 const auto wave = parse_waveform(v);
                 if (!wave) throw std::invalid_argument("no such waveform: " + v);
                 o.wave = *wave;
               }},
    FakeOption{"start-ns", true,
               [](FakeOptions& o, const std::string& v) { o.start_ns = std::stoll(v); }},
    FakeOption{"update-us", true,
               [](FakeOptions& o, const std::string& v) {
                 o.machine.counter.update_ns = std::stoll(v) * 1000;
               }},
    FakeOption{"start-joules", true,
               [](FakeOptions& o, const std::string& v) {
                 o.machine.counter.start_joules = std::stod(v);
               }},
    FakeOption{"range-joules", true,
               [](FakeOptions& o, const std::string& v) {
                 Counter& counter = o.machine.counter;
                 const double units = std::stod(v) / counter.unit_joules;
                 if (units < 1) throw std::invalid_argument("a range below the counters' unit");
                 counter.range_units = static_cast<std::uint64_t>(units);
               }},
    FakeOption{
        "wrap-after", true,
        [](FakeOptions& o, const std::string& v) { o.machine.wrap_after_joules = std::stod(v); }},
    FakeOption{"packages", true,
               [](FakeOptions& o, const std::string& v) { o.machine.packages = std::stoi(v); }},
    FakeOption{"psys", false, [](FakeOptions& o, const std::string&) { o.machine.psys = true; }},
    FakeOption{"latency-us", true,
               [](FakeOptions& o, const std::string& v) { o.latency_us = std::stol(v); }},
    FakeOption{"world-readable", false,
               [](FakeOptions& o, const std::string&) { o.energy_mode = 0444; }},
    FakeOption{"log", true,  // absolute, because FUSE changes the directory
               [](FakeOptions& o, const std::string& v) { o.log = std::filesystem::absolute(v); }},
    FakeOption{"die-with-parent", false,
               [](FakeOptions&, const std::string&) { prctl(PR_SET_PDEATHSIG, SIGTERM); }},
};

/// Throws std::exception when a value is not one.
inline FakeOptions parse_fake_options(int argc, char** argv) {
  std::array<option, fake_option_table.size() + 1> known{};
  for (std::size_t i = 0; i < fake_option_table.size(); ++i)
    known[i] = {fake_option_table[i].name, fake_option_table[i].takes_value ? 1 : 0, nullptr, 0};
  FakeOptions options;
  int index = 0;
  for (int found = 0; (found = getopt_long(argc, argv, "", known.data(), &index)) != -1;) {
    if (found != 0) throw std::invalid_argument("unknown option");
    fake_option_table[static_cast<std::size_t>(index)].set(options, optarg ? optarg : "");
  }
  if (optind + 1 != argc) throw std::invalid_argument("one mount point is needed");
  options.mount_point = argv[optind];
  return options;
}

}  // namespace bench
