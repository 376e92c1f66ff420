// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/files.h"
#include "base/parse.h"
#include "base/shell_words.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// "kB" lines of /proc/meminfo.
std::optional<std::uint64_t> kibibytes(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const auto fields = words(line.substr(key.size()));
  const auto value = fields.empty() ? std::nullopt : parse_integer(fields.front());
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value) * 1024;
}

MemoryFacts read_memory(const fs::path& root) {
  MemoryFacts memory;
  std::optional<std::uint64_t> swap_free;
  const auto text = read_optional(root / "proc/meminfo").value_or("");
  for (const auto line : split(text, '\n')) {
    if (const auto total = kibibytes(line, "MemTotal:")) memory.total_bytes = total;
    if (const auto swap = kibibytes(line, "SwapTotal:")) memory.swap_bytes = swap;
    if (const auto unused = kibibytes(line, "SwapFree:")) swap_free = unused;
  }
  if (memory.swap_bytes && swap_free && *swap_free <= *memory.swap_bytes)
    memory.swap_used_bytes = *memory.swap_bytes - *swap_free;
  // "always [madvise] never": the one in brackets is chosen.
  if (const auto choice = read_attribute(root / "sys/kernel/mm/transparent_hugepage/enabled")) {
    const auto open = choice->find('[');
    const auto close = choice->find(']');
    if (open != std::string::npos && close != std::string::npos && open < close)
      memory.huge_pages = choice->substr(open + 1, close - open - 1);
  }
  return memory;
}

std::optional<std::string> os_name(const fs::path& root) {
  auto text = read_optional(root / "etc/os-release");
  if (!text) text = read_optional(root / "usr/lib/os-release");
  if (!text) return std::nullopt;
  constexpr std::string_view key = "PRETTY_NAME=";
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto value = shell_words(line.substr(key.size()));
    if (value && !value->empty()) return value->front();
  }
  return std::nullopt;
}

/// Text of the firmware: the device tree ends its strings with a zero byte.
std::optional<std::string> firmware_text(const fs::path& path) {
  auto text = read_optional(path);
  if (!text) return std::nullopt;
  std::erase(*text, '\0');
  if (text->empty()) return std::nullopt;
  return text;
}

/// Makers that a guest sees in its DMI tables. Amazon and Microsoft sell real machines under the
/// same name, so there the product decides.
std::optional<std::string> hypervisor_of(const SystemFacts& system) {
  struct Maker {
    std::string_view vendor;
    std::string_view product;
    std::string_view hypervisor;
  };
  static constexpr std::array<Maker, 11> makers{{{"QEMU", "", "QEMU"},
                                                 {"Red Hat", "KVM", "KVM"},
                                                 {"OpenStack", "", "OpenStack"},
                                                 {"VMware", "", "VMware"},
                                                 {"Xen", "", "Xen"},
                                                 {"innotek", "", "VirtualBox"},
                                                 {"Parallels", "", "Parallels"},
                                                 {"Microsoft", "Virtual Machine", "Hyper-V"},
                                                 {"Google", "Compute Engine", "Google"},
                                                 {"Amazon EC2", "", "Amazon EC2"},
                                                 {"Alibaba Cloud", "ECS", "Alibaba Cloud"}}};
  const std::string vendor = system.vendor.value_or("");
  const std::string product = system.product.value_or("");
  if (product.find(".metal") != std::string::npos) return std::nullopt;
  for (const auto& maker : makers)
    if (vendor.starts_with(maker.vendor) && product.find(maker.product) != std::string::npos)
      return std::string(maker.hypervisor);
  const std::string clock = system.clock_source.value_or("");
  if (clock == "kvm-clock") return "KVM";
  if (clock.starts_with("hyperv")) return "Hyper-V";
  return std::nullopt;
}

std::optional<std::string> container_of(const fs::path& root, const Variables& variables) {
  std::error_code none;
  if (fs::exists(root / ".dockerenv", none)) return "docker";
  if (fs::exists(root / "run/.containerenv", none)) return "podman";
  if (fs::exists(root / ".singularity.d", none)) return "apptainer";
  if (auto name = read_optional(root / "run/systemd/container")) return name;
  if (variables) {
    if (variables("KUBERNETES_SERVICE_HOST")) return "kubernetes";
    if (auto name = variables("container"); name && !name->empty()) return name;
  }
  const auto groups = read_optional(root / "proc/self/cgroup").value_or("");
  for (const char* hint : {"kubepods", "docker", "libpod", "lxc"})
    if (groups.find(hint) != std::string::npos) return hint;
  return std::nullopt;
}

SystemFacts read_system(const fs::path& root, std::string_view processor,
                        const Variables& variables) {
  SystemFacts system;
  system.hostname = read_attribute(root / "proc/sys/kernel/hostname");
  system.kernel = read_attribute(root / "proc/sys/kernel/osrelease");
  system.os = os_name(root);
  system.vendor = firmware_text(root / "sys/class/dmi/id/sys_vendor");
  system.product = firmware_text(root / "sys/class/dmi/id/product_name");
  if (!system.product) system.product = firmware_text(root / "proc/device-tree/model");
  system.clock_source =
      read_attribute(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");

  const auto flags = processor.find("\nflags");
  const bool has_flags = flags != std::string::npos;
  const auto hypervisor_type = read_attribute(root / "sys/hypervisor/type");
  const auto by_maker = hypervisor_of(system);
  // x86 says whether it is a guest; elsewhere the maker's name must do.
  system.is_virtual = hypervisor_type.has_value() ||
                      (has_flags ? processor.find(" hypervisor", flags) != std::string::npos
                                 : by_maker.has_value());
  if (system.is_virtual) system.hypervisor = hypervisor_type ? hypervisor_type : by_maker;
  system.container = container_of(root, variables);
  return system;
}

}  // namespace

std::optional<std::string> read_head(const fs::path& path, std::string_view end) {
  const auto file = open_for_reading(path);
  if (!file) return std::nullopt;
  std::string text;
  char buffer[1024];  // the kernel writes as many processors as fit
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (const auto at = text.find(end); at != std::string::npos) return text.substr(0, at);
  }
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

void add_machine_chores(const fs::path& root, const Variables& variables,
                        const std::vector<std::string>& names, Machine& machine, Chores& chores) {
  add_frequency_chores(root, machine.frequency, chores);
  chores.add([=, &machine, &chores] {
    const auto processor = read_head(root / "proc/cpuinfo", "\n\n").value_or("");
    machine.cpu = read_cpu(root, processor);
    chores.add([=, &machine] { machine.system = read_system(root, processor, variables); });
  });
  chores.add([=, &machine] { machine.cgroup = read_cgroup_limits(root); });
  chores.add([=, &machine] { machine.memory = read_memory(root); });
  chores.add([=, &machine, &chores] {
    const auto all =
        std::make_shared<const Directory>(root / "sys/devices/system/cpu/vulnerabilities");
    for (const auto& name : all->names())
      chores.add([=, &machine] {
        if (auto state = all->attribute(name))
          machine.mitigations.emplace_back(name, std::move(*state));
      });
  });
  chores.add([=, &machine] {
    if (!variables) return;
    std::vector<std::string_view> asked(known_variables().begin(), known_variables().end());
    for (const auto& name : names)
      if (is_recorded_variable(name)) asked.push_back(name);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    for (const auto name : asked)
      if (auto value = variables(std::string(name)))
        machine.environment.emplace_back(name, std::move(*value));
  });
  // The slowest last: after a run such files are read with awake CPUs (run/awake.h).
  add_power_limit_chores(root, machine.frequency.power_limits, chores);
}

Machine read_machine(const fs::path& root, const Variables& variables,
                     const std::vector<std::string>& names) {
  Machine machine;
  Chores chores;
  add_machine_chores(root, variables, names, machine, chores);
  chores.do_all();
  return machine;
}

}  // namespace prengdl
