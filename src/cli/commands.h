// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

// One file per subcommand; each parses, calls the library, prints, and gives the exit code:
// 0 done, 1 failed, 2 wrong usage, 3 a check said no.
int audit_command(const std::vector<std::string>& arguments);
int compare_command(const std::vector<std::string>& arguments);
int doctor_command(const std::vector<std::string>& arguments);
int exclude_command(const std::vector<std::string>& arguments);
int export_command(const std::vector<std::string>& arguments);
int gate_command(const std::vector<std::string>& arguments);
int import_command(const std::vector<std::string>& arguments);
int measure_command(const std::vector<std::string>& arguments);
int merge_command(const std::vector<std::string>& arguments);
int meters_command(const std::vector<std::string>& arguments);
int plan_command(const std::vector<std::string>& arguments);
int profile_command(const std::vector<std::string>& arguments);
int report_command(const std::vector<std::string>& arguments);
int run_command(const std::vector<std::string>& arguments);
int setup_command(const std::vector<std::string>& arguments);
int serve_command(const std::vector<std::string>& arguments);
int status_command(const std::vector<std::string>& arguments);

}  // namespace prengdl
