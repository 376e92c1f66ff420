// SPDX-License-Identifier: Apache-2.0
#include "conclude/paired_samples.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace prengdl {
namespace {

std::set<std::string> kinds_of_work(const Run& run) {
  std::set<std::string> names;
  for (const auto& work : run.work)
    if (work.value > 0) names.insert(work.name);
  return names;
}

}  // namespace

TwoSamples two_samples(const std::vector<const StoredRun*>& a,
                       const std::vector<const StoredRun*>& b, bool paired, const ValueOf& value) {
  TwoSamples samples;
  if (!paired) {
    for (const auto* run : a)
      if (const auto figure = value(run->run)) samples.a.push_back(*figure);
    for (const auto* run : b)
      if (const auto figure = value(run->run)) samples.b.push_back(*figure);
    return samples;
  }
  std::map<std::pair<std::string, std::size_t>, const StoredRun*> partners;
  for (const auto* run : b) partners[{run->machine, run->block}] = run;
  for (const auto* run : a) {
    const auto partner = partners.find({run->machine, run->block});
    if (partner == partners.end()) continue;
    const auto first = value(run->run);
    const auto second = value(partner->second->run);
    if (!first || !second) continue;
    samples.a.push_back(*first);
    samples.b.push_back(*second);
  }
  return samples;
}

std::optional<double> work_of(const Run& run, const std::string& name) {
  for (const auto& work : run.work)
    if (work.name == name && work.value > 0) return work.value;
  return std::nullopt;
}

std::optional<std::string> common_work(const std::vector<const StoredRun*>& a,
                                       const std::vector<const StoredRun*>& b) {
  std::optional<std::set<std::string>> common;
  for (const auto* level : {&a, &b}) {
    for (const auto* run : *level) {
      const auto names = kinds_of_work(run->run);
      if (!common) {
        common = names;
        continue;
      }
      std::set<std::string> both;
      std::set_intersection(common->begin(), common->end(), names.begin(), names.end(),
                            std::inserter(both, both.end()));
      common = std::move(both);
    }
  }
  if (!common || common->empty()) return std::nullopt;
  return *common->begin();
}

}  // namespace prengdl
