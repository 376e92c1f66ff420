// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "waveform.h"

namespace bench {

struct Zone {
  std::string name;  // what the zone's `name` file says: package-0, core, dram, psys
  Counter counter;
};

struct Node {
  enum class Kind { directory, link, attribute, energy };
  Kind kind{};
  std::string text;                   // a link's target or an attribute's content
  std::size_t zone = 0;               // energy: index into Tree::zones
  std::vector<std::string> children;  // directory: the names in it
};

/// Which zones the fake machine has, and how its counters count.
struct Machine {
  int packages = 1;
  bool psys = false;
  Counter counter;                // of package-0; the other zones derive theirs from it
  double wrap_after_joules = -1;  // negative: where the start value happens to lead
};

/// The files of /sys/class/powercap and /sys/devices/virtual/powercap, with the same links between
/// them as the kernel makes. Paths start with '/'.
class Tree {
 public:
  explicit Tree(const Machine& machine) : machine_(machine) {
    nodes_["/"].kind = Node::Kind::directory;
    const std::string control = add_device("", "intel-rapl");
    add_file(control, "enabled", "1\n");
    int number = 0;
    for (int package = 0; package < machine.packages; ++package, ++number) {
      // The shares differ from zone to zone, so that a sum, a mean and a zone counted twice or not
      // at all each give another figure.
      const double share = package == 0 ? 1.0 : 0.5;
      const double start = machine.counter.start_joules + 5000.0 * package;
      const std::string id = fmt::format("intel-rapl:{}", number);
      const std::string top =
          add_zone(control, id, fmt::format("package-{}", package), share, start, 2);
      add_zone(top, id + ":0", "core", 0.5 * share, start, 1);
      add_zone(top, id + ":1", "dram", 0.25 * share, start, 1);
    }
    if (machine.psys)
      add_zone(control, fmt::format("intel-rapl:{}", number), "psys", 2.0,
               machine.counter.start_joules, 2);
  }

  const Node* find(const std::string& path) const {
    const auto at = nodes_.find(path);
    return at == nodes_.end() ? nullptr : &at->second;
  }
  const std::vector<Zone>& zones() const { return zones_; }

 private:
  static constexpr auto devices = "/sys/devices/virtual/powercap";

  Node& add(const std::string& path, Node::Kind kind) {
    if (const auto known = nodes_.find(path); known != nodes_.end()) return known->second;
    const auto slash = path.rfind('/');
    add(slash == 0 ? "/" : path.substr(0, slash), Node::Kind::directory)
        .children.push_back(path.substr(slash + 1));
    Node& node = nodes_[path];
    node.kind = kind;
    return node;
  }

  void add_file(const std::string& directory, const std::string& name, const std::string& text) {
    add(directory + "/" + name, Node::Kind::attribute).text = text;
  }

  /// Adds a device below `parent` ("" = the root of them) and its link in the class directory.
  std::string add_device(const std::string& parent, const std::string& id) {
    const std::string below = parent + "/" + id;
    add(devices + below, Node::Kind::directory);
    add("/sys/class/powercap/" + id, Node::Kind::link).text =
        "../../devices/virtual/powercap" + below;
    std::string up = "../../../..";  // from devices/virtual/powercap/intel-rapl to sys
    for (std::size_t slash = below.find('/', 1); slash != std::string::npos;
         slash = below.find('/', slash + 1))
      up += "/..";
    add(devices + below + "/subsystem", Node::Kind::link).text = up + "/class/powercap";
    add_file(devices + below, "uevent", "");
    return devices + below;
  }

  std::string add_zone(const std::string& parent, const std::string& id, const std::string& name,
                       double share, double start_joules, int constraints) {
    Counter counter = machine_.counter;
    counter.share = share;
    counter.start_joules = start_joules;
    if (machine_.wrap_after_joules >= 0) counter.wrap_after(machine_.wrap_after_joules);

    std::string zone = add_device(parent.substr(std::string(devices).size()), id);
    add_file(zone, "name", name + "\n");
    add_file(zone, "enabled", "0\n");
    add_file(zone, "max_energy_range_uj", fmt::format("{}\n", counter.max_microjoules()));
    add(zone + "/energy_uj", Node::Kind::energy).zone = zones_.size();
    zones_.push_back({name, counter});
    for (int i = 0; i < constraints; ++i) {
      const std::string prefix = fmt::format("constraint_{}_", i);
      add_file(zone, prefix + "name", i == 0 ? "long_term\n" : "short_term\n");
      add_file(zone, prefix + "power_limit_uw", i == 0 ? "125000000\n" : "180000000\n");
      add_file(zone, prefix + "max_power_uw", i == 0 ? "125000000\n" : "0\n");
      add_file(zone, prefix + "time_window_us", i == 0 ? "27983872\n" : "2440\n");
    }
    return zone;
  }

  Machine machine_;
  std::map<std::string, Node> nodes_;
  std::vector<Zone> zones_;
};

}  // namespace bench
