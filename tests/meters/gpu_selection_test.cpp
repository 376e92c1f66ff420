// SPDX-License-Identifier: Apache-2.0
#include "meters/gpu_selection.h"

#include <gtest/gtest.h>

#include <map>

namespace prengdl {
namespace {

using VariableMap = std::map<std::string, std::string>;

Variables from(VariableMap variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::vector<GpuIdentity> four_gpus() {
  return {{0, "GPU-8932f937-0000", "A100", {}},
          {1, "GPU-8932aaaa-0000", "A100", {"MIG-11111111-2222", "MIG-33333333-4444"}},
          {2, "GPU-77770000-0000", "A100", {}},
          {3, "GPU-12345678-0000", "A100", {}}};
}

std::string given(const GpuSelection& selection) {
  std::string numbers;
  for (std::size_t i = 0; i < selection.allocated.size(); ++i)
    if (selection.allocated[i]) numbers += std::to_string(i);
  return numbers;
}

std::string nvidia(const VariableMap& variables) {
  return given(select_nvidia(four_gpus(), from(variables)));
}

std::string amd(const VariableMap& variables) {
  return given(select_amd(four_gpus(), from(variables)));
}

std::string cuda(const std::string& list) { return nvidia({{"CUDA_VISIBLE_DEVICES", list}}); }

TEST(GpuSelection, TakesAllGpusWhenNothingIsSaid) {
  EXPECT_EQ(nvidia({}), "0123");
  EXPECT_EQ(amd({}), "0123");
  EXPECT_EQ(given(select_nvidia(four_gpus(), nullptr)), "0123");
  EXPECT_EQ(given(select_amd(four_gpus(), nullptr)), "0123");
  EXPECT_EQ(select_nvidia(four_gpus(), from({})).reason, "");
}

TEST(GpuSelection, CopesWithoutGpus) {
  const auto environment = from({{"CUDA_VISIBLE_DEVICES", "0,1"}, {"ROCR_VISIBLE_DEVICES", "0"}});
  EXPECT_TRUE(select_nvidia({}, environment).allocated.empty());
  EXPECT_TRUE(select_amd({}, environment).allocated.empty());
}

TEST(GpuSelection, ReadsNumbersAsCudaDoes) {
  EXPECT_EQ(cuda("2,1"), "12");
  EXPECT_EQ(cuda(" 3 , 0 "), "03");
  EXPECT_EQ(cuda(""), "");
  EXPECT_EQ(cuda("-1"), "");
  EXPECT_EQ(cuda("0,2,-1,1"), "02");
  EXPECT_EQ(cuda("0,4,1"), "0");
  EXPECT_EQ(cuda("NoDevFiles"), "");
  EXPECT_EQ(cuda("0,,1"), "0");
}

TEST(GpuSelection, ReadsUuidsAndTheirBeginnings) {
  EXPECT_EQ(cuda("GPU-8932f937-0000"), "0");
  EXPECT_EQ(cuda("GPU-8932f937"), "0");
  EXPECT_EQ(cuda("GPU-12,GPU-7777"), "23");
  EXPECT_EQ(cuda("GPU-8932"), "") << "two GPUs begin like this";
  EXPECT_EQ(cuda("GPU-99999999,0"), "");
}

TEST(GpuSelection, FindsTheGpuOfAMigSlice) {
  EXPECT_EQ(cuda("MIG-33333333-4444"), "1");
  EXPECT_EQ(cuda("MIG-3333"), "1");
  EXPECT_EQ(cuda("MIG-GPU-77770000-0000/3/0"), "2");
  EXPECT_EQ(cuda("MIG-99999999"), "");
  const auto selection =
      select_nvidia(four_gpus(), from({{"CUDA_VISIBLE_DEVICES", "MIG-33333333-4444"}}));
  EXPECT_NE(selection.note.find("whole GPU"), std::string::npos);
}

TEST(GpuSelection, WarnsThatCudaMayNumberMixedGpusOtherwise) {
  auto gpus = four_gpus();
  gpus[2].name = "T4";
  const auto note_for = [&](const VariableMap& variables) {
    return select_nvidia(gpus, from(variables)).note;
  };
  EXPECT_NE(note_for({{"CUDA_VISIBLE_DEVICES", "0"}}), "");
  EXPECT_NE(note_for({{"CUDA_VISIBLE_DEVICES", "0"}, {"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}}), "");
  EXPECT_EQ(note_for({{"CUDA_VISIBLE_DEVICES", "0"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}), "");
  EXPECT_EQ(note_for({{"CUDA_VISIBLE_DEVICES", "GPU-12345678"}}), "");
  EXPECT_EQ(select_nvidia(four_gpus(), from({{"CUDA_VISIBLE_DEVICES", "0"}})).note, "");
}

TEST(GpuSelection, FollowsSlurmWhereCudaSaysNothing) {
  EXPECT_EQ(nvidia({{"SLURM_JOB_GPUS", "1,3"}}), "13");
  EXPECT_EQ(nvidia({{"SLURM_STEP_GPUS", "3"}, {"SLURM_JOB_GPUS", "1,3"}}), "3");
  EXPECT_EQ(nvidia({{"GPU_DEVICE_ORDINAL", "2"}}), "2");
  EXPECT_EQ(nvidia({{"CUDA_VISIBLE_DEVICES", "0"}, {"SLURM_JOB_GPUS", "1"}}), "0");
  EXPECT_EQ(nvidia({{"SLURM_JOB_GPUS", ""}}), "0123");
}

TEST(GpuSelection, TakesWhatASchedulerLeftVisible) {
  const std::vector<GpuIdentity> one{{0, "GPU-8932f937-0000", "A100", {}}};
  const auto selection = select_nvidia(one, from({{"SLURM_JOB_GPUS", "5"}}));
  EXPECT_EQ(given(selection), "0");
  EXPECT_NE(selection.note.find("SLURM_JOB_GPUS=5"), std::string::npos);

  // Two of eight, seen as 0 and 1: the number 1 is in both counts and means different GPUs.
  auto two = four_gpus();
  two.resize(2);
  EXPECT_EQ(given(select_nvidia(two, from({{"SLURM_JOB_GPUS", "1,6"}}))), "01");
  EXPECT_EQ(given(select_nvidia(two, from({{"SLURM_JOB_GPUS", "0,1"}}))), "01");
}

TEST(GpuSelection, FollowsTheContainerRuntime) {
  const auto visible = [](const std::string& list) {
    return nvidia({{"NVIDIA_VISIBLE_DEVICES", list}});
  };
  EXPECT_EQ(visible("all"), "0123");
  EXPECT_EQ(visible("none"), "");
  EXPECT_EQ(visible("void"), "0123") << "the runtime kept out; what is here came by another road";
  EXPECT_EQ(visible(""), "0123");
  EXPECT_EQ(visible("1,2"), "12");
  EXPECT_EQ(visible("GPU-12345678-0000"), "3");
}

TEST(GpuSelection, NamesTheVariableThatDecided) {
  EXPECT_EQ(select_nvidia(four_gpus(), from({{"CUDA_VISIBLE_DEVICES", "0,2"}})).reason,
            "CUDA_VISIBLE_DEVICES=0,2");
  EXPECT_EQ(select_nvidia(four_gpus(), from({{"SLURM_JOB_GPUS", "1"}})).reason, "SLURM_JOB_GPUS=1");
}

TEST(GpuSelection, CountsHipsNumbersWithinThoseOfRocr) {
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", "2,3"}}), "23");
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "1"}}), "3");
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", "3"}, {"HIP_VISIBLE_DEVICES", "1"}}), "");
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", "0,gpu-77770000-0000"}}), "02");
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", ""}}), "");
  EXPECT_EQ(amd({{"HIP_VISIBLE_DEVICES", "0,2"}}), "02");
  EXPECT_EQ(amd({{"HIP_VISIBLE_DEVICES", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}}), "1");
  EXPECT_EQ(amd({{"CUDA_VISIBLE_DEVICES", "3"}}), "3");
}

TEST(GpuSelection, ReadsOneListThatSlurmWroteIntoAllVariables) {
  EXPECT_EQ(amd({{"ROCR_VISIBLE_DEVICES", "2"},
                 {"CUDA_VISIBLE_DEVICES", "2"},
                 {"GPU_DEVICE_ORDINAL", "2"}}),
            "2");
  EXPECT_EQ(amd({{"SLURM_JOB_GPUS", "1"}}), "1");
}

}  // namespace
}  // namespace prengdl
