// SPDX-License-Identifier: Apache-2.0
#include "model/event.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace prengdl {
namespace {

using Optional = std::optional<std::int64_t>;
using SpanKey = std::tuple<std::string, std::string, Optional, Optional, Optional>;

/// A warning a kind, with how often and the first case: a million bad lines make one line.
class Complaints {
 public:
  void add(const std::string& kind, const std::string& first_case) {
    auto& entry = counts_[kind];
    if (entry.first++ == 0) entry.second = first_case;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    result.reserve(counts_.size());
    for (const auto& [kind, entry] : counts_)
      result.push_back(fmt::format("{}: {}, first {}", kind, entry.first, entry.second));
    return result;
  }

 private:
  std::map<std::string, std::pair<std::size_t, std::string>> counts_;
};

}  // namespace

Told put_together(const std::vector<Event>& events, std::int64_t run_begin_ns,
                  std::int64_t run_end_ns) {
  Told told;
  Complaints complaints;
  std::map<SpanKey, std::vector<std::size_t>> open;  // places in told.spans
  std::map<std::string, double> work;
  std::map<std::string, std::string> facts;
  enum class State { begun, closed, backwards };
  std::vector<State> states;  // of told.spans
  // A begin is told right after its clock was read, so a process may be a little ahead of another;
  // what lies outside the run is another run's or another clock's.
  constexpr std::int64_t slack_ns = 1'000'000;

  for (const auto& event : events) {
    const auto called = [&] { return fmt::format("{} {}", event.span, event.name); };
    if (event.at_ns < run_begin_ns - slack_ns || event.at_ns > run_end_ns + slack_ns) {
      complaints.add("events outside the run (is t CLOCK_MONOTONIC in ns?)",
                     event.span.empty() ? event.name : called());
      continue;
    }
    const std::int64_t at = std::clamp(event.at_ns, run_begin_ns, run_end_ns);
    switch (event.type) {
      case Event::Type::begin:
        open[{event.span, event.name, event.pid, event.tid, event.id}].push_back(told.spans.size());
        told.spans.push_back({event.span, event.name, at, at});
        states.push_back(State::begun);
        break;
      case Event::Type::end: {
        const auto begun = open.find({event.span, event.name, event.pid, event.tid, event.id});
        if (begun == open.end() || begun->second.empty()) {
          complaints.add("ends without a begin", called());
          break;
        }
        const std::size_t place = begun->second.back();
        begun->second.pop_back();
        if (at < told.spans[place].begin_ns) {
          complaints.add("spans that end before they begin", called());
          states[place] = State::backwards;
          break;
        }
        told.spans[place].end_ns = at;
        states[place] = State::closed;
        break;
      }
      case Event::Type::metric:
        told.metrics.push_back({event.name, event.value, at, event.step});
        break;
      case Event::Type::work:
        work[event.name] += event.value;
        break;
      case Event::Type::fact:
        facts[event.name] = event.text;
        break;
    }
  }

  std::vector<Span> complete;
  complete.reserve(told.spans.size());
  for (std::size_t i = 0; i < told.spans.size(); ++i) {
    if (states[i] == State::closed)
      complete.push_back(std::move(told.spans[i]));
    else if (states[i] == State::begun)
      complaints.add("spans that were never closed", told.spans[i].span + " " + told.spans[i].name);
  }
  std::stable_sort(complete.begin(), complete.end(),
                   [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  told.spans = std::move(complete);
  for (const auto& [name, value] : work) told.work.push_back({name, value});
  for (auto& [name, value] : facts) told.facts.push_back({name, std::move(value)});
  told.warnings = complaints.lines();
  return told;
}

}  // namespace prengdl
