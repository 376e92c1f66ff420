// SPDX-License-Identifier: Apache-2.0
#include "cluster/closing.h"

#include <set>

#include "base/files.h"
#include "store/aa_file.h"

namespace prengdl {
namespace {

constexpr const char* site_source = "slurm ConsumedEnergy";
constexpr int most_questions = 3;

}  // namespace

void keep_aa(const ClusterDirectory& directory, ResultStore& store) {
  const std::filesystem::path all = directory.path() / "aa";
  std::set<std::string> known;
  for (const auto& record : store.aa()) known.insert(record.fingerprint);
  for (const auto& name : list_directory(all)) {
    const auto record = read_aa(all, std::filesystem::path(name).stem());
    if (record && known.insert(record->fingerprint).second) store.add_aa(*record);
  }
}

void keep_site_energy(const ClusterDirectory& directory, PacedScheduler& scheduler,
                      ResultStore& store, const std::function<void(const Error&)>& trouble) {
  std::vector<std::string> jobs;
  for (const auto& array : directory.arrays())
    if (const auto job = directory.job(array.number)) jobs.push_back(*job);
  std::size_t known = 0;
  for (int i = 0; i < most_questions && !jobs.empty(); ++i) {
    scheduler.wait_for_call();
    const auto energy = scheduler.energy(jobs);
    if (!energy) {
      if (trouble)
        trouble(Error("the site's energy accounting says nothing: " + energy.error().words));
      return;
    }
    std::vector<SiteEnergy> found;
    for (const auto& [run, joules] : *energy) found.push_back({run, site_source, joules});
    store.add_site_energy(found);
    const std::size_t now = store.site_energy().size();
    if (now == known && now > 0) return;
    known = now;
  }
}

}  // namespace prengdl
