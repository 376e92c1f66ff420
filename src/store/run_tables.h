// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "store/database.h"
#include "store/sample_codec.h"

namespace prengdl {

/// How much of a run is read. Each includes the ones before it.
enum class Detail {
  figures,  // what the table `runs` has of it, its cell, energy, channels, work and facts
  emitted,  // its spans and metrics
  all,      // its meters, warnings and the ends of its outputs
};

/// Of `joules` and `span_joules`, after what says whose they are.
constexpr const char* energy_columns = "domain, metered_place, joules, uncertainty, quality";

/// Puts runs into the tables. Lives within one transaction or a row of committed ones: after a
/// rollback a new one is needed.
class RunInserter {
 public:
  /// `factors` are the names of the study's factors in their order.
  RunInserter(const Database& database, std::vector<std::string> factors);

  using EachChunk = std::function<void(const TakeChunk&)>;

  /// False if a run of this id is there already; then nothing is done. To be called within a
  /// transaction.
  bool insert(const StoredRun& run, const EachChunk& each_chunk);

 private:
  Statement insertion(const std::string& table, const std::string& columns, int count) const;
  template <class T>
  Statement insertion_of(const std::string& table) const;
  std::int64_t list_of(const std::vector<MeterInfo>& meters);
  void insert_figures(const StoredRun& run);
  void insert_totals(Statement& into, std::int64_t second, const Totals& totals);
  template <class T>
  void insert_rows(Statement& into, std::int64_t owner, const std::vector<T>& rows);
  void insert_spans(const std::vector<SpanEnergy>& spans);
  void insert_texts(Statement& into, const std::vector<std::string>& texts);

  const Database& database_;
  std::vector<std::string> factors_;
  std::map<std::string, std::int64_t> lists_;  // of meters, by their JSON
  std::int64_t run_ = 0;                       // the number of the run that is being inserted
  Statement known_, runs_, levels_, joules_, channels_, spans_, span_joules_, span_channels_,
      metrics_, work_, facts_, warnings_, left_behind_, meters_, samples_;
};

/// The names of the factors in their order.
std::vector<std::string> factor_names(const Database& database);

/// The number of a run in the tables.
std::optional<std::int64_t> number_of(const Database& database, const std::string& id);

/// All runs in the order in which they were stored, or only the one of that number. One scan of
/// each table side by side, so that only the current run is in memory.
void select_runs(const Database& database, Detail detail, std::optional<std::int64_t> only,
                 const std::function<void(StoredRun&&)>& take);

void select_chunks(const Database& database, std::int64_t run, const TakeChunk& take);

}  // namespace prengdl
