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

Emitted put_together(const std::vector<Event>& events, std::int64_t run_begin_ns,
                     std::int64_t run_end_ns) {
  Emitted emitted;
  Complaints complaints;
  std::map<SpanKey, std::vector<std::size_t>> open;  // places in emitted.spans
  std::map<std::string, double> work;
  std::map<std::string, std::string> facts;
  enum class State { begun, closed, backwards };
  std::vector<State> states;  // of emitted.spans
  // A begin is emitted right after its clock was read, so a process may be a little ahead of
  // another; what lies outside the run is another run's or another clock's.
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
        open[{event.span, event.name, event.pid, event.tid, event.id}].push_back(
            emitted.spans.size());
        emitted.spans.push_back({event.span, event.name, at, at});
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
        if (at < emitted.spans[place].begin_ns) {
          complaints.add("spans that end before they begin", called());
          states[place] = State::backwards;
          break;
        }
        emitted.spans[place].end_ns = at;
        states[place] = State::closed;
        break;
      }
      case Event::Type::metric:
        emitted.metrics.push_back({event.name, event.value, at, event.step});
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
  complete.reserve(emitted.spans.size());
  for (std::size_t i = 0; i < emitted.spans.size(); ++i) {
    if (states[i] == State::closed)
      complete.push_back(std::move(emitted.spans[i]));
    else if (states[i] == State::begun)
      complaints.add("spans that were never closed",
                     emitted.spans[i].span + " " + emitted.spans[i].name);
  }
  std::stable_sort(complete.begin(), complete.end(),
                   [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  emitted.spans = std::move(complete);
  for (const auto& [name, value] : work) emitted.work.push_back({name, value});
  for (auto& [name, value] : facts) emitted.facts.push_back({name, std::move(value)});
  emitted.warnings = complaints.lines();
  return emitted;
}

}  // namespace prengdl
