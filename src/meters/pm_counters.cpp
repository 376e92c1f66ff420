// SPDX-License-Identifier: Apache-2.0
//
// The energy counters of HPE Cray nodes (XC, EX), which the node controller fills and everybody may
// read: "2178501771 J 1700000000000000 us" in sys/cray/pm_counters/energy, and the same for parts.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>

#include "base/limits.h"
#include "base/parse.h"
#include "base/strings.h"
#include "meters/sources.h"
#include "meters/value_file.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = "_energy";
constexpr double usual_scans_per_second = 10;
/// A node controller that has missed so many scans has stopped, whatever its counters say.
constexpr double most_missed_scans = 20;

struct Part {
  std::string_view label;
  std::string_view domain;
};
constexpr std::array known_parts{Part{"cpu", "package"}, Part{"memory", "dram"},
                                 Part{"accel", "gpu"}};

struct Counter {
  std::string file;    // "accel0_energy"
  std::string label;   // "accel", empty for the node
  std::string number;  // "0", empty if it has none
  std::string domain;
  Counted counted = Counted::inside;
  double joules = 0;  // so far
  std::string note;
};

/// What a file counts; nothing if it is no energy counter.
std::optional<Counter> counter_in(const std::string& file) {
  if (file == "energy")
    return Counter{file,
                   "",
                   "",
                   "machine",
                   Counted::alone,
                   0,
                   "the whole node, with everything that runs on it"};
  if (!file.ends_with(suffix)) return std::nullopt;
  const std::string name = file.substr(0, file.size() - suffix.size());
  const auto digits = name.find_last_not_of("0123456789") + 1;
  Counter counter{
      file, name.substr(0, digits), name.substr(digits), "rail:" + name, Counted::inside, 0, ""};
  const auto part = std::find_if(known_parts.begin(), known_parts.end(),
                                 [&](const Part& each) { return each.label == counter.label; });
  if (part != known_parts.end()) {
    counter.domain = part->domain;
    counter.counted = Counted::yes;
  }
  return counter;
}

/// A counter of the node controller. Its value alone does not show whether the controller still
/// works: `freshness` does, which changes with each scan.
class PmCounter final : public Meter {
 public:
  PmCounter(MeterInfo info, ValueFile value, std::optional<ValueFile> freshness)
      : info_(std::move(info)), value_(std::move(value)), freshness_(std::move(freshness)) {}
  const MeterInfo& info() const override { return info_; }

  Reading read() noexcept override {
    Reading reading = value_.read();
    if (!freshness_ || reading.status != ReadStatus::ok) return reading;
    const Reading scan = freshness_->read();
    if (scan.status != ReadStatus::ok) {
      reading.status = scan.status;
      return reading;
    }
    if (scanned_ns_ == 0 || scan.raw != scan_) {
      scan_ = scan.raw;
      scanned_ns_ = reading.at_ns;
    }
    if (seconds_between(scanned_ns_, reading.at_ns) > info_.update * most_missed_scans)
      reading.status = ReadStatus::stuck;
    return reading;
  }

 private:
  MeterInfo info_;
  ValueFile value_;
  std::optional<ValueFile> freshness_;
  std::uint64_t scan_ = 0;
  std::int64_t scanned_ns_ = 0;  // when the last scan was seen
};

Seconds time_between_scans(const fs::path& directory) {
  const auto text = read_attribute(directory / "raw_scan_hz");
  const auto rate = text ? parse_integer(split(*text, ' ').front()) : std::nullopt;
  const bool is_sound = rate && *rate > 0 && *rate <= 1000;
  return Seconds{1 / (is_sound ? static_cast<double>(*rate) : usual_scans_per_second)};
}

MeterInfo describe(const fs::path& directory, const Counter& counter, Seconds update) {
  MeterInfo info;
  info.id = "pm_counters/" + counter.file;
  info.name = counter.label.empty()    ? "node"
              : counter.number.empty() ? counter.label
                                       : counter.label + " " + counter.number;
  info.domain = counter.domain;
  info.source = (directory / counter.file).string();
  info.kind = Kind::counter;
  info.quality = Quality::sensor;
  info.unit = Unit::joule;
  info.counted = counter.counted;
  info.step = 1;
  info.quantum = 1;
  info.update = update;
  info.period = std::max(Seconds{0.01}, update / 2);  // no value is missed
  info.may_block = true;                              // the driver asks the node controller
  info.note = counter.note;
  return info;
}

/// Reads a counter once; says why it cannot be used.
std::optional<LeftOut> fault_of(const fs::path& directory, Counter& counter) {
  const fs::path path = directory / counter.file;
  const std::string id = "pm_counters/" + counter.file;
  const std::string counts_in = counter.counted == Counted::yes ? counter.domain : "";
  const auto text = read_attribute(path);
  if (const int reason = errno; !text)
    return LeftOut{id, cannot_read(path, reason), exhaustion_advice(reason),
                   is_absent(reason) ? 0 : reason, counts_in};
  const auto words = split(*text, ' ');
  const auto joules = parse_integer(words.front());
  if (!joules || words.size() < 2 || words[1] != "J")
    return LeftOut{id, fmt::format("{} is not a number of joules: \"{}\"", path.string(), *text),
                   ""};
  // The driver shows the counters of parts that a node does not have, too.
  if (*joules <= 0) return LeftOut{id, "it stays at 0: the node does not have this part", ""};
  counter.joules = static_cast<double>(*joules);
  return std::nullopt;
}

std::vector<Counter> list_counters(const fs::path& directory, FoundMeters& found) {
  std::vector<Counter> counters;
  for (const auto& file : list_directory(directory)) {
    auto counter = counter_in(file);
    if (!counter) continue;
    if (auto fault = fault_of(directory, *counter))
      found.left_out.push_back(std::move(*fault));
    else
      counters.push_back(std::move(*counter));
  }
  return counters;
}

/// With accel0, accel1 and so on, `accel` is their sum.
void drop_sums(std::vector<Counter>& counters, FoundMeters& found) {
  std::erase_if(counters, [&](const Counter& sum) {
    const bool is_sum = !sum.label.empty() && sum.number.empty() &&
                        std::any_of(counters.begin(), counters.end(), [&](const Counter& part) {
                          return part.label == sum.label && !part.number.empty();
                        });
    if (is_sum)
      found.left_out.push_back(
          {"pm_counters/" + sum.file,
           fmt::format("the counters {}0 and so on have the same joules", sum.label), ""});
    return is_sum;
  });
}

/// On some nodes the accelerators' counters include what cpu and memory count again, as an APU's
/// must: ROCm/omnistat pull request 190 shows 513 W of parts in a node of 451 W. Since boot such
/// parts have counted more than the node.
void separate_overlapping(std::vector<Counter>& counters) {
  const double parts = std::accumulate(
      counters.begin(), counters.end(), 0.0, [](double sum, const Counter& counter) {
        return counter.counted == Counted::yes ? sum + counter.joules : sum;
      });
  const auto node = std::find_if(counters.begin(), counters.end(),
                                 [](const Counter& each) { return each.label.empty(); });
  if (node == counters.end() || parts <= node->joules) return;
  for (auto& counter : counters) {
    if (counter.counted != Counted::yes) continue;
    counter.counted = Counted::inside;
    counter.domain = "rail:" + counter.label + counter.number;
    counter.note = "not added: the parts of this node overlap, their sum exceeds the node's energy";
  }
}

}  // namespace

FoundMeters find_pm_counters(const MeterSearch& search) {
  FoundMeters found;
  const fs::path directory = search.root / "sys/cray/pm_counters";
  auto counters = list_counters(directory, found);
  drop_sums(counters, found);
  separate_overlapping(counters);
  const Seconds update = time_between_scans(directory);
  for (const auto& counter : counters) {
    MeterInfo info = describe(directory, counter, update);
    auto value = ValueFile::open(directory / counter.file);
    if (const int reason = errno; !value) {
      found.left_out.push_back({info.id, value.error().what(), value.error().hint, reason,
                                counter.counted == Counted::yes ? counter.domain : ""});
      continue;
    }
    auto freshness = ValueFile::open(directory / "freshness");
    found.meters.push_back(std::make_unique<PmCounter>(
        std::move(info), std::move(*value),
        freshness ? std::optional(std::move(*freshness)) : std::nullopt));
  }
  return found;
}

}  // namespace prengdl
