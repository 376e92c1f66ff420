# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/test and scripts/check: runs named stages and prints how long each took against its budget.

stages_passed=()
stages_failed=()

# stage NAME BUDGET_MINUTES COMMAND...: runs the command and fails if it fails.
stage() {
  local name=$1 budget=$2 begin=$SECONDS outcome=passed
  shift 2
  printf '\n== %s (budget %d min)\n' "$name" "$budget"
  "$@" || outcome=FAILED
  local took=$((SECONDS - begin))
  [ "$took" -le $((budget * 60)) ] || outcome+=", over budget"
  local line
  line=$(printf '%-14s %4d s of %2d min   %s' "$name" "$took" "$budget" "$outcome")
  if [[ $outcome = FAILED* ]]; then
    stages_failed+=("$line")
    echo "== $name FAILED after $took s" >&2
    return 1
  fi
  stages_passed+=("$line")
}

# Prints the table of stages; its status is 1 if one failed.
stages_summary() {
  printf '\n'
  [ $((${#stages_passed[@]} + ${#stages_failed[@]})) -eq 0 ] || printf '%s\n' "${stages_passed[@]}" "${stages_failed[@]}" | sed '/^$/d'
  if [ ${#stages_failed[@]} -gt 0 ]; then
    echo "$(basename "$0"): stages that failed: ${#stages_failed[@]}, after $((SECONDS / 60)) min $((SECONDS % 60)) s" >&2
    return 1
  fi
  echo "$(basename "$0"): all ${#stages_passed[@]} stages passed in $((SECONDS / 60)) min $((SECONDS % 60)) s"
}

build_preset() {  # PRESET
  cmake --preset "$1" >/dev/null && cmake --build --preset "$1"
}

test_preset() {  # PRESET
  ctest --preset "$1" -j "$(nproc)"
}
