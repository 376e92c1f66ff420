// SPDX-License-Identifier: Apache-2.0
#include "serve/feed.h"

#include <unistd.h>

#include <utility>

#include "base/error.h"
#include "base/threads.h"
#include "run/watchers.h"
#include "serve/metrics.h"

namespace prengdl {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 1s;
constexpr auto longest_wait = 5s;      // of a request for a look
constexpr auto longest_silence = 10s;  // while nothing changes but our own CPU time
constexpr std::size_t most_power = 300;
constexpr std::size_t most_jobs = 50;

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string event(const char* name, const std::string& data) {
  return std::string("event: ") + name + "\ndata: " + data + "\n\n";
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Counts of all jobs, and rows of some.
Json shown(const ShownCluster& cluster) {
  ShownCluster first = cluster;
  first.jobs = first_jobs(cluster, most_jobs);
  Json json = json_of(first);
  json["all_jobs"] = cluster.jobs.size();
  json["summary"] = summary_of(cluster);
  json["controller_has_ended"] = has_controller_ended(cluster);
  return json;
}

ServeFigures own_figures(std::size_t watchers) {
  return {cpu_time_of(getpid()).value_or(Seconds{0}), watchers};
}

}  // namespace

Feed::Watching::Watching(Feed& feed) : feed_(feed) {
  const Lock lock(feed_.mutex_);
  ++feed_.watchers_;
  feed_.wake_reader_.notify_one();
}

Feed::Watching::~Watching() {
  const Lock lock(feed_.mutex_);
  --feed_.watchers_;
}

Feed::Feed(std::filesystem::path result, bool is_noted)
    : result_(std::move(result)), is_noted_(is_noted), follower_(std::in_place, result_) {
  view_.emplace(follower_->study());
  reader_ = start_thread([this] { read_on(); });
}

Feed::~Feed() {
  stop();
  reader_.join();
}

void Feed::stop() {
  const Lock lock(mutex_);
  stopped_ = true;
  wake_reader_.notify_all();
  wake_watchers_.notify_all();
}

void Feed::read_on() {
  Lock lock(mutex_);
  for (;;) {
    wake_reader_.wait(lock, [&] { return stopped_ || watchers_ > 0 || is_asked_; });
    if (looked_at_)
      wake_reader_.wait_until(lock, *looked_at_ + between_looks, [&] { return stopped_.load(); });
    if (stopped_) return;
    is_asked_ = false;
    lock.unlock();
    look();
    lock.lock();
  }
}

/// One reading of all there is. What cannot be read now is reported, and tried again from the
/// start.
void Feed::look() {
  std::optional<StudyView> fresh;
  ResultNews news;
  std::string trouble;
  auto live = read_live_file(result_);
  auto cluster = read_cluster_state(result_);
  try {
    if (!follower_) {
      follower_.emplace(result_);
      fresh.emplace(follower_->study());
    }
    news = follower_->look();
  } catch (const Error& error) {
    follower_.reset();
    trouble = error.what();
  }

  Lock lock(mutex_);
  if (fresh) view_ = std::move(fresh);
  const bool is_new = view_->take(std::move(news));
  if (const auto due = is_new ? view_->due_findings() : std::nullopt) {
    lock.unlock();  // others may go on while this thread computes
    // Recorded before anybody sees them.
    if (due->look && follower_) follower_->note_look(*due->look);
    Json findings = findings_so_far(result_, due->seen);
    lock.lock();
    view_->show(std::move(findings));
  }
  live_ = std::move(live);
  cluster_ = std::move(cluster);
  state_ = state_of(live_, view_->events());
  trouble_ = std::move(trouble);
  take_power();
  publish(is_new);
  ++looks_;
  looked_at_ = Clock::now();
  wake_watchers_.notify_all();
}

/// Each figure once: `run` writes a new one about once a second.
void Feed::take_power() {
  if (state_.word != "running") return power_.clear();
  if (!live_->contains("watts") || !live_->contains("at")) return;
  const auto at = live_->at("at").get<double>();
  if (!power_.empty() && power_.back().first >= at) return;
  power_.emplace_back(at, live_->at("watts").get<double>());
  if (power_.size() > most_power) power_.pop_front();
}

/// A new version, if there is something to tell.
void Feed::publish(bool study_has_changed) {
  Json live = live_json();
  const std::string text = one_line(live);
  const auto now = Clock::now();
  if (!study_has_changed && text == sent_ && now - sent_at_ < longest_silence) return;
  sent_ = text;
  sent_at_ = now;
  ++version_;
  from_start_.reset();
  // What serving costs rises all the time: sent with the rest, it is no news by itself.
  live["now"] = unix_time();
  live["serve"] = serve_json();
  std::string step;
  if (study_has_changed) step = event("changes", one_line(view_->changes()));
  step += event("live", one_line(live));
  step_ = std::make_shared<const std::string>(std::move(step));
}

Json Feed::live_json() const {
  Json json{{"state", state_.word}, {"why", state_.why}};
  if (live_) json["live"] = *live_;
  if (cluster_) json["cluster"] = shown(*cluster_);
  if (!trouble_.empty()) json["trouble"] = trouble_;
  return json;
}

Json Feed::whole_json() const {
  Json json = view_->whole();
  json.update(live_json());
  json["power"] = power_;
  json["now"] = unix_time();
  json["serve"] = serve_json();
  return json;
}

Json Feed::serve_json() const {
  return {{"cpu_seconds", own_figures(watchers_).cpu.count()},
          {"watchers", watchers_},
          {"noted", is_noted_}};
}

std::optional<Feed::Update> Feed::next(std::uint64_t seen, std::chrono::milliseconds patience) {
  Lock lock(mutex_);
  if (seen == 0) wait_for_a_look(lock);
  const bool is_there = wake_watchers_.wait_for(
      lock, patience, [&] { return stopped_ || (version_ > 0 && version_ != seen); });
  if (!is_there || stopped_) return std::nullopt;
  if (seen > 0 && seen + 1 == version_) return Update{version_, step_};
  if (!from_start_)
    from_start_ = std::make_shared<const std::string>(event("study", one_line(whole_json())));
  return Update{version_, from_start_};
}

void Feed::wait_for_a_look(Lock& lock) {
  if (looked_at_ && Clock::now() - *looked_at_ < between_looks) return;
  const std::uint64_t before = looks_;
  is_asked_ = true;
  wake_reader_.notify_one();
  wake_watchers_.wait_for(lock, longest_wait, [&] { return stopped_ || looks_ != before; });
}

std::string Feed::state_json() {
  Lock lock(mutex_);
  wait_for_a_look(lock);
  return one_line(whole_json()) + "\n";
}

std::string Feed::metrics() {
  Lock lock(mutex_);
  wait_for_a_look(lock);
  return metrics_text(*view_, {live_, cluster_, state_.word == "running"}, own_figures(watchers_));
}

}  // namespace prengdl
