// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/machine.h"
#include "model/meter_info.h"

namespace prengdl {

/// What has one and the same error in all runs: a physical sensor, or no more than equal workloads,
/// as with figures that are modelled inside a device.
enum class SharedError { sensor, workload };

std::string_view name_of(SharedError shared);

/// How far a kind of meter may be off: a row of data/sensor_accuracy.csv, or what the owner of an
/// instrument stated. Limits, not standard deviations.
struct Accuracy {
  std::string kind;                  // "NVIDIA energy counter"
  std::optional<double> gain;        // a share of the truth, either way; nothing: no claim is known
  std::optional<Watts> offset;       // and so much more, either way; nothing: none is reported
  std::optional<double> resolution;  // smallest change, in the meter's unit
  SharedError shared = SharedError::sensor;
  std::string source;  // of the claim, with its year; empty if there is none
  std::string note;    // what the claim rests on, or why there is none
};

/// The accuracy of a meter, also of one in an old result. `cpu`: of the machine that it belongs to,
/// which decides about RAPL; may be null.
Accuracy accuracy_of(const MeterInfo& meter, const CpuFacts* cpu);

/// For people: "within 5 % (Yang 2024; NVML)", or "not known: " and why.
std::string text_of(const Accuracy& accuracy);

/// A name that two meters share only if the same physical sensor is behind them: the GPU's UUID, or
/// the meter's id on its machine (a fingerprint).
std::string sensor_of(const MeterInfo& meter, const std::string& machine);

/// The standard uncertainty of a quantity that lies anywhere within `limit` of a value, either way
/// (GUM, JCGM 100:2008, 4.3.7).
double standard_uncertainty(double limit);

}  // namespace prengdl
