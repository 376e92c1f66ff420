// SPDX-License-Identifier: Apache-2.0
#include "cluster/paced_scheduler.h"

#include <algorithm>

namespace prengdl {
namespace {

constexpr Seconds longest_interval{60};
constexpr double interval_growth = 1.5;

}  // namespace

void PacedScheduler::list_soon() {
  interval_ = between_calls;
  next_list_ns_ = clock_.now_ns();
}

template <class T>
Answer<T> PacedScheduler::heard(Answer<T> answer) {
  next_call_ns_ = clock_.now_ns() + nanoseconds(between_calls);
  const bool is_away = !answer && answer.error().kind == SchedulerTrouble::Kind::away;
  if (is_away != is_away_)
    keeper_.note(StudyEventKind::scheduler_away,
                 is_away ? "it does not answer; jobs continue" : "it answers again");
  is_away_ = is_away;
  return answer;
}

Answer<std::string> PacedScheduler::submit(const std::filesystem::path& script) {
  auto answer = heard(scheduler_.submit(script));
  list_soon();
  next_list_ns_ = next_call_ns_;
  return answer;
}

Answer<std::vector<ListedJob>> PacedScheduler::list(const std::vector<std::string>& names) {
  auto answer = heard(scheduler_.list(names));
  interval_ = std::min(interval_growth * interval_, longest_interval);
  next_list_ns_ = clock_.now_ns() + nanoseconds(interval_);
  if (!answer && answer.error().kind != SchedulerTrouble::Kind::away)
    throw Error(
        "squeue failed: " + answer.error().words,
        "`prengdl doctor --on slurm` checks the cluster. The jobs continue; the same command "
        "continues.");
  return answer;
}

Answer<void> PacedScheduler::cancel(const std::vector<std::string>& ids) {
  return heard(scheduler_.cancel(ids));
}

Answer<std::map<std::string, Joules>> PacedScheduler::energy(const std::vector<std::string>& jobs) {
  return heard(scheduler_.energy(jobs));
}

}  // namespace prengdl
