// SPDX-License-Identifier: Apache-2.0
#include "conclude/paired_samples.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

Runs in_order(Runs runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const StoredRun* x, const StoredRun* y) {
    return std::tie(x->machine, x->block, x->run.started_at, x->run.begin_ns) <
           std::tie(y->machine, y->block, y->run.started_at, y->run.begin_ns);
  });
  return runs;
}

TwoSamples on_common_machines(TwoSamples samples) {
  const auto both = common_machines(samples);
  if (both.empty()) return samples;
  const auto keep = [&](std::vector<double>& values, std::vector<std::string>& machines) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::binary_search(both.begin(), both.end(), machines[i])) {
        values[kept] = values[i];
        machines[kept++] = machines[i];
      }
    values.resize(kept);
    machines.resize(kept);
  };
  keep(samples.a, samples.machines_a);
  keep(samples.b, samples.machines_b);
  return samples;
}

}  // namespace

TwoSamples two_samples(const Runs& a, const Runs& b, bool paired, const ValueOf& value) {
  TwoSamples samples;
  const auto add_a = [&](const StoredRun& run, double figure) {
    samples.a.push_back(figure);
    samples.machines_a.push_back(run.machine);
  };
  const auto add_b = [&](const StoredRun& run, double figure) {
    samples.b.push_back(figure);
    samples.machines_b.push_back(run.machine);
  };
  if (!paired) {
    for (const auto* run : in_order(a))
      if (const auto figure = value(run->run)) add_a(*run, *figure);
    for (const auto* run : in_order(b))
      if (const auto figure = value(run->run)) add_b(*run, *figure);
    return on_common_machines(std::move(samples));
  }
  std::map<std::pair<std::string, std::size_t>, const StoredRun*> partners;
  for (const auto* run : b) partners[{run->machine, run->block}] = run;
  for (const auto* run : in_order(a)) {
    const auto partner = partners.find({run->machine, run->block});
    if (partner == partners.end()) continue;
    const auto first = value(run->run);
    const auto second = value(partner->second->run);
    if (!first || !second) continue;
    add_a(*run, *first);
    add_b(*partner->second, *second);
  }
  return samples;
}

std::array<Runs, 2> partnered(const Runs& a, const Runs& b) {
  const auto with_partner = [](const Runs& runs, const Runs& others) {
    std::set<std::pair<std::string, std::size_t>> places;
    for (const auto* run : others) places.insert({run->machine, run->block});
    Runs kept;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(kept), [&](const auto* run) {
      return places.contains({run->machine, run->block});
    });
    return kept;
  };
  return {with_partner(a, b), with_partner(b, a)};
}

TwoSamples on_machine(const TwoSamples& samples, const std::string& machine) {
  TwoSamples part;
  for (std::size_t i = 0; i < samples.a.size(); ++i)
    if (samples.machines_a[i] == machine) {
      part.a.push_back(samples.a[i]);
      part.machines_a.push_back(machine);
    }
  for (std::size_t i = 0; i < samples.b.size(); ++i)
    if (samples.machines_b[i] == machine) {
      part.b.push_back(samples.b[i]);
      part.machines_b.push_back(machine);
    }
  return part;
}

std::vector<std::string> common_machines(const TwoSamples& samples) {
  const std::set<std::string> first(samples.machines_a.begin(), samples.machines_a.end());
  const std::set<std::string> second(samples.machines_b.begin(), samples.machines_b.end());
  std::vector<std::string> both;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(both));
  return both;
}

}  // namespace prengdl
