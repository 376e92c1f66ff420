// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace prengdl {

/// Joules at a set of times from a counter that states neither its quantum nor how often it is
/// brought up to date. Both show in its readings: between two changes of its value any energy up to
/// the size of a change may be hidden, for as long as changes are apart.
class LearntCounter {
 public:
  struct Answer {
    bool known = false;
    double joules{};
    double uncertainty{};
    std::size_t faults{};  // before this time; a window across one has no figure
  };

  explicit LearntCounter(std::vector<std::int64_t> times_ns)
      : times_(std::move(times_ns)), answers_(times_.size()) {}

  /// A reading of `joules` in total; it may have been taken `slack_s` earlier or later.
  void add(std::int64_t at_ns, double joules, double slack_s);

  /// What was counted between the last reading and the next one is not known.
  void restart();

  void finish();

  const Answer& at(std::size_t time) const { return answers_.at(time); }

  /// Half-width of the interval for the energy between two of the times.
  double uncertainty(std::size_t from, std::size_t to) const;

 private:
  struct Change {  // the value became `joules` at about this time
    std::int64_t at_ns{};
    double joules{};
    double slack_s{};
  };

  void take(const Change& change);
  void note_residual();
  void answer_opening();
  void answer_closing(double reach_s);
  static Answer between(const Change& a, const Change& b, std::int64_t at_ns);
  static Answer beyond(const Change& edge, double seconds, double watts, double most, int sign);

  std::vector<std::int64_t> times_;
  std::vector<Answer> answers_;
  std::size_t next_ = 0;           // first time that is not passed yet
  std::size_t opening_begin_ = 0;  // times before the first change wait for its power to be known
  std::size_t opening_end_ = 0;
  std::size_t faults_ = 0;

  // Since the start, or since the last fault.
  std::optional<Change> first_;
  std::optional<Change> last_;  // the last reading
  bool is_repeated_ = false;    // the last value was read more than once
  bool has_repeats_ = false;    // some value was
  bool is_open_ = true;         // the opening is not answered yet
  std::vector<Change> opening_;
  std::vector<Change> recent_;
  double longest_gap_s_ = 0;

  double squares_ = 0;  // of what readings are off the line between their neighbours
  std::size_t residuals_ = 0;
};

}  // namespace prengdl
