// SPDX-License-Identifier: Apache-2.0
#include "profile/call_stacks.h"

#include <algorithm>
#include <numeric>

namespace prengdl {
namespace {

/// A way into a function: from a caller, or from outside of what was profiled.
struct Entry {
  std::uint32_t function = 0;
  double calls = 0;
  double cumulative = 0;  // seconds
  double own = 0;         // seconds of the function that came in this way
  double share = 1;       // of the function's calls of others that came in this way
  double total = 0;       // own time and that of all below
};

/// The calls as a graph without circles, in which all own time can be reached from outside.
class StackGraph {
 public:
  explicit StackGraph(const CallProfile& profile) : profile_(profile) {
    const auto functions = profile.functions.size();
    below_.resize(functions);
    entries_.resize(functions);
    std::vector<std::vector<std::uint32_t>> callees(functions);
    for (std::uint32_t i = 0; i < profile.edges.size(); ++i)
      callees[profile.edges[i].caller].push_back(i);
    order(callees);
    outside();
    divide();
    add_up();
  }

  std::span<const std::uint32_t> below(std::uint32_t function) const { return below_[function]; }
  std::span<const std::uint32_t> from_outside() const { return outside_; }
  const Entry& entry(std::uint32_t i) const { return all_[i]; }
  double total() const {
    double sum = 0;
    for (const auto i : outside_) sum += all_[i].total;
    return sum;
  }

 private:
  /// Walks in depth from the functions that nobody called, then from what is left, which is in
  /// circles. An edge to a function on the way closes a circle and is left out.
  void order(const std::vector<std::vector<std::uint32_t>>& callees) {
    enum class State : std::uint8_t { fresh, open, closed };
    std::vector<State> states(profile_.functions.size(), State::fresh);
    std::vector<bool> is_called(profile_.functions.size());
    for (const auto& edge : profile_.edges)
      if (edge.caller != edge.callee) is_called[edge.callee] = true;
    struct Frame {
      std::uint32_t function;
      std::size_t next;
    };
    std::vector<Frame> way;
    const auto walk = [&](std::uint32_t start) {
      if (states[start] != State::fresh) return;
      states[start] = State::open;
      way.push_back({start, 0});
      while (!way.empty()) {
        auto& frame = way.back();
        if (frame.next == callees[frame.function].size()) {
          states[frame.function] = State::closed;
          last_first_.push_back(frame.function);
          way.pop_back();
          continue;
        }
        const auto& edge = profile_.edges[callees[frame.function][frame.next++]];
        if (states[edge.callee] == State::open) continue;
        keep(edge);
        if (states[edge.callee] != State::fresh) continue;
        states[edge.callee] = State::open;
        way.push_back({edge.callee, 0});
      }
    };
    for (std::uint32_t i = 0; i < profile_.functions.size(); ++i)
      if (!is_called[i]) walk(i);
    for (std::uint32_t i = 0; i < profile_.functions.size(); ++i) walk(i);
  }

  std::uint32_t add(const Entry& entry) {
    all_.push_back(entry);
    const auto place = static_cast<std::uint32_t>(all_.size() - 1);
    entries_[entry.function].push_back(place);
    return place;
  }

  void keep(const CallEdge& edge) {
    Entry entry;
    entry.function = edge.callee;
    entry.calls = static_cast<double>(edge.calls);
    entry.cumulative = std::max(0.0, edge.cumulative.value_or(Seconds{}).count());
    entry.own = std::max(0.0, edge.own.value_or(Seconds{}).count());
    below_[edge.caller].push_back(add(entry));
  }

  /// Calls that no caller accounts for came from outside.
  void outside() {
    std::vector<double> calls(profile_.functions.size());
    std::vector<double> cumulative(profile_.functions.size());
    std::vector<double> own(profile_.functions.size());
    for (const auto& edge : profile_.edges) {
      calls[edge.callee] += static_cast<double>(edge.calls);
      own[edge.callee] += edge.own.value_or(Seconds{}).count();
      if (edge.caller != edge.callee)
        cumulative[edge.callee] += edge.cumulative.value_or(Seconds{}).count();
    }
    for (std::uint32_t i = 0; i < profile_.functions.size(); ++i) {
      const auto& function = profile_.functions[i];
      const double unaccounted = static_cast<double>(function.calls) - calls[i];
      if (!entries_[i].empty() && unaccounted <= 0) continue;
      Entry entry;
      entry.function = i;
      entry.calls = std::max(0.0, unaccounted);
      entry.cumulative = std::max(0.0, function.cumulative.count() - cumulative[i]);
      entry.own = std::max(0.0, function.own.count() - own[i]);
      outside_.push_back(add(entry));
    }
  }

  /// Each way into a function gets its part of the function: by time, where there is none by calls.
  void divide() {
    for (std::uint32_t i = 0; i < profile_.functions.size(); ++i) {
      double cumulative = 0;
      double calls = 0;
      double own = 0;
      for (const auto place : entries_[i]) {
        cumulative += all_[place].cumulative;
        calls += all_[place].calls;
        own += all_[place].own;
      }
      // What is left is the time of calls that closed a circle, or was not recorded.
      const double function_own = std::max(0.0, profile_.functions[i].own.count());
      const double left = function_own - own;
      for (const auto place : entries_[i]) {
        auto& entry = all_[place];
        entry.share = cumulative > 0 ? entry.cumulative / cumulative
                      : calls > 0    ? entry.calls / calls
                                     : 1 / static_cast<double>(entries_[i].size());
        entry.own = left >= 0 ? entry.own + left * entry.share : entry.own * function_own / own;
      }
    }
  }

  /// From the innermost functions outwards.
  void add_up() {
    for (const auto function : last_first_) {
      double below = 0;
      for (const auto place : below_[function]) below += all_[place].total;
      for (const auto place : entries_[function])
        all_[place].total = all_[place].own + all_[place].share * below;
    }
  }

  const CallProfile& profile_;
  std::vector<Entry> all_;
  std::vector<std::vector<std::uint32_t>> entries_;  // by function: the ways into it
  std::vector<std::vector<std::uint32_t>> below_;    // by function: its ways into others
  std::vector<std::uint32_t> outside_;
  std::vector<std::uint32_t> last_first_;  // functions after all that they call
};

class StackWalk {
 public:
  StackWalk(const StackGraph& graph, const TakeStack& take, const StackLimits& limits)
      : graph_(graph), take_(take), limits_(limits), least_(limits.least_share * graph.total()) {}

  void run() {
    for (const auto place : graph_.from_outside()) follow(place, 1);
  }

 private:
  /// `part`: how much of the caller belongs to this very stack.
  void follow(std::uint32_t place, double part) {
    const Entry& entry = graph_.entry(place);
    stack_.push_back(entry.function);
    double own = part * entry.own;
    if (part * entry.total < least_ || stack_.size() >= limits_.depth) {
      own = part * entry.total;
    } else {
      for (const auto below : graph_.below(entry.function)) {
        const double part_below = part * entry.share;
        const double total = part_below * graph_.entry(below).total;
        // Each frame on the stack may still become a line.
        if (lines_ + stack_.size() >= limits_.lines)
          own += total;
        else if (total > 0)
          follow(below, part_below);
      }
    }
    if (own > 0) {
      take_(stack_, Seconds{own});
      ++lines_;
    }
    stack_.pop_back();
  }

  const StackGraph& graph_;
  const TakeStack& take_;
  StackLimits limits_;
  double least_;
  std::vector<std::uint32_t> stack_;
  std::size_t lines_ = 0;
};

}  // namespace

void for_each_stack(const CallProfile& profile, const TakeStack& take, const StackLimits& limits) {
  const StackGraph graph(profile);
  StackWalk(graph, take, limits).run();
}

}  // namespace prengdl
