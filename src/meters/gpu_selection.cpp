// SPDX-License-Identifier: Apache-2.0
#include "meters/gpu_selection.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

using Gpus = std::vector<GpuIdentity>;
using Positions = std::vector<std::size_t>;  // into Gpus, in the order of the list

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](unsigned char a, unsigned char b) {
           return std::tolower(a) == std::tolower(b);
         });
}

constexpr auto nowhere = static_cast<std::size_t>(-1);

std::size_t by_number(const Gpus& gpus, std::int64_t number) {
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (std::cmp_equal(gpus[i].index, number)) return i;
  return nowhere;
}

/// The one GPU whose UUID, or the UUID of one of its slices, begins like this. The old MIG names
/// hold the UUID of the GPU: MIG-GPU-<uuid>/<gpu instance>/<compute instance>.
std::size_t by_uuid(const Gpus& gpus, std::string_view text) {
  if (begins_with(text, "MIG-GPU-")) text = text.substr(4, text.find('/') - 4);
  const bool is_slice = begins_with(text, "MIG-");
  if (!is_slice && !begins_with(text, "GPU-")) return nowhere;
  std::size_t found = nowhere;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& slices = gpus[i].slices;
    const bool matches =
        is_slice ? std::any_of(slices.begin(), slices.end(),
                               [&](const std::string& slice) { return begins_with(slice, text); })
                 : begins_with(gpus[i].uuid, text);
    if (!matches) continue;
    if (found != nowhere) return nowhere;  // too short to tell two GPUs apart
    found = i;
  }
  return found;
}

std::size_t find_gpu(const Gpus& gpus, std::string_view text) {
  const auto number = parse_integer(trimmed(text));
  return number ? by_number(gpus, *number) : by_uuid(gpus, trimmed(text));
}

/// As CUDA and ROCr read their lists: what follows the first entry that names no GPU is not seen.
Positions up_to_invalid(const Gpus& gpus, std::string_view list) {
  Positions positions;
  for (const auto entry : split(list, ',')) {
    const auto position = find_gpu(gpus, entry);
    if (position == nowhere) break;
    positions.push_back(position);
  }
  return positions;
}

/// A list of numbers that counts within what an earlier list left visible.
Positions within(const Positions& visible, std::string_view list) {
  Positions inner;
  for (const auto entry : split(list, ',')) {
    const auto number = parse_integer(trimmed(entry)).value_or(-1);
    if (number < 0 || std::cmp_greater_equal(number, visible.size())) break;
    inner.push_back(visible[static_cast<std::size_t>(number)]);
  }
  return inner;
}

GpuSelection selection_of(const Gpus& gpus, const Positions& positions, std::string reason) {
  GpuSelection selection{std::vector<bool>(gpus.size(), false), std::move(reason), ""};
  for (const auto position : positions) selection.allocated[position] = true;
  return selection;
}

GpuSelection everything(const Gpus& gpus) { return {std::vector<bool>(gpus.size(), true), "", ""}; }

/// Lists of whole-node numbers, written by who also hides the other GPUs: a job on GPU 5 may see
/// one GPU, and that as number 0. So a number that is not here, or as many entries as there are
/// GPUs, mean that hiding was done already and all that is left is ours.
GpuSelection by_node_numbers(const Gpus& gpus, const std::string& name, std::string_view list) {
  const auto reason = name + "=" + printable(list);
  const auto entries = split(list, ',');
  Positions positions;
  for (const auto entry : entries) positions.push_back(find_gpu(gpus, entry));
  const bool all_found = std::count(positions.begin(), positions.end(), nowhere) == 0;
  if (all_found && entries.size() < gpus.size()) return selection_of(gpus, positions, reason);
  auto selection = everything(gpus);
  if (!all_found)
    selection.note = reason + " numbers the GPUs of the whole node; all visible ones are used";
  return selection;
}

/// What a variable holds; nothing and the empty text are the same here.
std::string text_of(const Variables& variables, const std::string& name) {
  return std::string(trimmed(variables(name).value_or("")));
}

/// The first of the variables that holds anything; an empty name when none does.
std::string first_that_speaks(const Variables& variables,
                              std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (!text_of(variables, name).empty()) return name;
  return "";
}

bool has_number(std::string_view list) {
  const auto entries = split(list, ',');
  return std::any_of(entries.begin(), entries.end(), [](std::string_view entry) {
    return parse_integer(trimmed(entry)).value_or(-1) >= 0;
  });
}

bool of_different_kinds(const Gpus& gpus) {
  return std::any_of(gpus.begin(), gpus.end(),
                     [&](const GpuIdentity& gpu) { return gpu.name != gpus.front().name; });
}

GpuSelection as_cuda(const Gpus& gpus, const Variables& variables, const std::string& list) {
  auto selection =
      selection_of(gpus, up_to_invalid(gpus, list), "CUDA_VISIBLE_DEVICES=" + printable(list));
  const auto order = variables("CUDA_DEVICE_ORDER").value_or("FASTEST_FIRST");
  if (has_number(list) && order != "PCI_BUS_ID" && of_different_kinds(gpus))
    selection.note =
        "the numbers in CUDA_VISIBLE_DEVICES are taken in PCI order, but CUDA puts the fastest GPU "
        "first: set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs";
  if (list.find("MIG-") != std::string::npos)
    selection.note = "a MIG slice was given; the figures are those of the whole GPU";
  return selection;
}

}  // namespace

GpuSelection select_nvidia(const Gpus& gpus, const Variables& variables) {
  if (!variables) return everything(gpus);
  // Here the empty list is a list too: it hides all GPUs.
  if (const auto list = variables("CUDA_VISIBLE_DEVICES")) return as_cuda(gpus, variables, *list);
  const auto slurm =
      first_that_speaks(variables, {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "GPU_DEVICE_ORDINAL"});
  if (!slurm.empty()) return by_node_numbers(gpus, slurm, text_of(variables, slurm));
  // "void" and "" tell the container runtime to keep out; the GPUs that are here nevertheless came
  // by another road (CDI) and are ours.
  const auto container = text_of(variables, "NVIDIA_VISIBLE_DEVICES");
  if (container.empty() || container == "all" || container == "void") return everything(gpus);
  if (container == "none") return selection_of(gpus, {}, "NVIDIA_VISIBLE_DEVICES=none");
  return by_node_numbers(gpus, "NVIDIA_VISIBLE_DEVICES", container);
}

GpuSelection select_amd(const Gpus& gpus, const Variables& variables) {
  if (!variables) return everything(gpus);
  Positions visible(gpus.size());
  std::iota(visible.begin(), visible.end(), std::size_t{0});
  std::string reason;
  std::string outer;
  if (const auto rocr = variables("ROCR_VISIBLE_DEVICES")) {
    outer = *rocr;
    visible = up_to_invalid(gpus, outer);
    reason = "ROCR_VISIBLE_DEVICES=" + printable(outer);
  }
  const auto name = first_that_speaks(
      variables, {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"});
  const auto list = name.empty() ? "" : text_of(variables, name);
  // Slurm may write one list into all variables; only HIP's own is surely meant as the second.
  if (!name.empty() && (name == "HIP_VISIBLE_DEVICES" || list != outer)) {
    visible = within(visible, list);
    reason += (reason.empty() ? "" : " ") + name + "=" + printable(list);
  }
  if (!reason.empty()) return selection_of(gpus, visible, reason);
  const auto slurm = first_that_speaks(variables, {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"});
  return slurm.empty() ? everything(gpus) : by_node_numbers(gpus, slurm, text_of(variables, slurm));
}

}  // namespace prengdl
