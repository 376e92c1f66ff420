// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler.h"

#include <gtest/gtest.h>

#include "cluster/batch_script.h"

namespace prengdl {
namespace {

TEST(Squeue, LinesOfOtherFormAreLeftOut) {
  const auto jobs = jobs_of_squeue(
      "squeue: warning: something\n"
      "12_3|prengdl-1f-2|3|PENDING|Resources||2026-11-18T10:00:00\n"
      "13|other|N/A|RUNNING|None|n1|2026-11-18T10:00:00\n"
      "12_4|prengdl-1f-2|4|RUNNING|None|n2|2026-11-18T10:00:00\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].index, 3u);
  EXPECT_TRUE(jobs[0].is_waiting());
  EXPECT_EQ(jobs[1].node, "n2");
  EXPECT_EQ(jobs[1].id, "12_4");
}

TEST(SchedulerTroubles, TellAnAbsentControllerFromARefusal) {
  using Kind = SchedulerTrouble::Kind;
  EXPECT_EQ(trouble_of("slurm_load_jobs error: Unable to contact slurm controller").kind,
            Kind::away);
  EXPECT_EQ(trouble_of("sbatch: error: Batch job submission failed: Socket timed out").kind,
            Kind::away);
  EXPECT_EQ(trouble_of("sbatch: error: QOSMaxSubmitJobPerUserLimit").kind, Kind::too_many);
  EXPECT_EQ(trouble_of("Invalid job array specification").kind, Kind::too_many);
  EXPECT_EQ(trouble_of("sbatch: error: invalid partition specified: x").kind, Kind::refused);
}

TEST(BatchScript, AsksForWholeNodesAndIsNeverRequeued) {
  BatchScript script;
  script.name = "prengdl-1f-3";
  script.jobs = 20;
  script.array = 3;
  script.logs = "/r/cluster/logs";
  script.command = {"/bin/prengdl", "run", "/r/study.toml"};
  script.task_file = "/r/cluster/0003.json";
  script.excluded_nodes = {"n1", "n7"};
  SlurmSettings settings;
  settings.jobs = 4;
  settings.gres = "gpu:1";
  settings.time = Seconds{93784.2};
  EXPECT_EQ(script_of(script, settings),
            "#!/bin/bash\n"
            "#SBATCH --job-name=prengdl-1f-3\n"
            "#SBATCH --array=0-19%4\n"
            "#SBATCH --nodes=1\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --exclusive\n"
            "#SBATCH --mem=0\n"
            "#SBATCH --no-requeue\n"
            "#SBATCH --gres=gpu:1\n"
            "#SBATCH --time=1-02:03:05\n"
            "#SBATCH --signal=B:USR1@60\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --output=/r/cluster/logs/0003-%a.log\n"
            "#SBATCH --exclude=n1,n7\n"
            "\n"
            "export PRENGDL_TASK=/r/cluster/0003.json\n"
            "exec /bin/prengdl run /r/study.toml --task /r/cluster/0003.json\n");
}

TEST(BatchScript, RunsInAContainerThatSeesTheDirectories) {
  BatchScript script;
  script.command = {"prengdl", "run"};
  script.task_file = "/r/t.json";
  script.mounts = {"/r", "/my study"};
  SlurmSettings settings;
  settings.container = "p.sif";
  settings.prologue = {"set -e"};
  const std::string text = script_of(script, settings);
  EXPECT_NE(text.find("\nset -e\nexport"), std::string::npos) << text;
  EXPECT_NE(text.find("exec apptainer exec --bind /r --bind '/my study' p.sif prengdl run --task"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace prengdl
