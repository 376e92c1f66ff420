// SPDX-License-Identifier: Apache-2.0
#include "meters/patience.h"

#include <csignal>
#include <map>
#include <vector>

namespace prengdl {
namespace {

/// Never destroyed: a thread that was given up may still come to it while the process ends.
struct Hung {
  std::mutex mutex;
  std::map<std::string, int> calls;
};

Hung& hung() {
  static Hung* const the_hung = new Hung;
  return *the_hung;
}

/// The thread that reads the meters of one source, one after the other.
class Reader {
 public:
  Reader(std::string source, Seconds patience)
      : source_(std::move(source)), patience_(patience), state_(std::make_shared<State>()) {
    thread_ = start_thread([state = state_, source = source_] { serve(*state, source); });
  }

  /// The meters are destroyed by the thread too: to shut a library down is a call like any other.
  ~Reader() {
    std::unique_lock lock(state_->mutex);
    state_->is_ending = true;
    state_->changed.notify_all();
    if (!state_->is_given_up)
      state_->changed.wait_for(lock, to_wait(), [&] { return state_->has_ended; });
    const bool has_ended = state_->has_ended;
    if (!has_ended) give_up();
    lock.unlock();
    if (has_ended)
      thread_.join();
    else
      thread_.detach();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Reading read(const std::shared_ptr<Meter>& meter) noexcept {
    std::unique_lock lock(state_->mutex);
    if (!state_->is_given_up) {
      state_->asked = meter;
      state_->changed.notify_all();
      if (state_->changed.wait_for(lock, to_wait(), [&] { return !state_->asked; }))
        return state_->answer;
      give_up();
    }
    Reading reading;
    reading.at_ns = monotonic_ns();
    reading.status = ReadStatus::no_answer;
    return reading;
  }

  void bury(std::shared_ptr<Meter> meter) {
    const std::lock_guard lock(state_->mutex);
    state_->buried.push_back(std::move(meter));
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<Meter> asked;  // is being read
    Reading answer;
    std::vector<std::shared_ptr<Meter>> buried;
    bool is_given_up = false;
    bool is_ending = false;
    bool has_ended = false;
  };

  static void serve(State& state, const std::string& source) {
    std::unique_lock lock(state.mutex);
    for (;;) {
      state.changed.wait(lock, [&] { return state.asked || state.is_ending; });
      if (!state.asked) break;
      const auto meter = state.asked;
      lock.unlock();
      const Reading reading = meter->read();
      lock.lock();
      state.answer = reading;
      state.asked.reset();
      if (std::exchange(state.is_given_up, false)) note_returned(source);
      state.changed.notify_all();
    }
    auto buried = std::move(state.buried);
    lock.unlock();
    buried.clear();
    lock.lock();
    state.has_ended = true;
    if (std::exchange(state.is_given_up, false)) note_returned(source);
    state.changed.notify_all();
  }

  std::chrono::nanoseconds to_wait() const {
    return std::chrono::nanoseconds(nanoseconds(patience_));
  }

  /// With the lock held.
  void give_up() noexcept {
    if (!std::exchange(state_->is_given_up, true)) note_hung(source_);
  }

  std::string source_;
  Seconds patience_;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

class PatientMeter final : public Meter {
 public:
  PatientMeter(std::shared_ptr<Reader> reader, std::unique_ptr<Meter> meter)
      : reader_(std::move(reader)), meter_(std::move(meter)), info_(meter_->info()) {}
  ~PatientMeter() override { reader_->bury(std::move(meter_)); }
  PatientMeter(const PatientMeter&) = delete;
  PatientMeter& operator=(const PatientMeter&) = delete;

  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override { return reader_->read(meter_); }

 private:
  std::shared_ptr<Reader> reader_;
  std::shared_ptr<Meter> meter_;
  MeterInfo info_;
};

}  // namespace

bool has_hung(const std::string& source) {
  const std::lock_guard lock(hung().mutex);
  const auto calls = hung().calls.find(source);
  return calls != hung().calls.end() && calls->second > 0;
}

bool anything_has_hung() {
  const std::lock_guard lock(hung().mutex);
  for (const auto& [source, calls] : hung().calls)
    if (calls > 0) return true;
  return false;
}

void note_hung(const std::string& source) {
  const std::lock_guard lock(hung().mutex);
  ++hung().calls[source];
}

void note_returned(const std::string& source) {
  const std::lock_guard lock(hung().mutex);
  --hung().calls[source];
}

bool wants_to_end() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
         sigismember(&pending, SIGHUP) == 1;
}

Meters with_patience(Meters meters, const std::string& source, Seconds patience) {
  std::shared_ptr<Reader> reader;
  for (auto& meter : meters) {
    if (!meter->info().may_block) continue;
    if (!reader) reader = std::make_shared<Reader>(source, patience);
    meter = std::make_unique<PatientMeter>(reader, std::move(meter));
  }
  return meters;
}

}  // namespace prengdl
