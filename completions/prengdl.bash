# SPDX-License-Identifier: Apache-2.0
# bash completion for prengdl. Goes to /usr/share/bash-completion/completions/prengdl.

# The options of a command; those that want a value end in =.
_prengdl_options() {
  case $1 in
    measure)
      echo "-c= --command= --name= -L= --parameter-list= -n= --runs= --warmup= --window= --settle= --idle= --rate= --timeout= --seed=
        --output= -o= --result= --directory= --shell --as-root --ignore-failure -q --quiet --json --csv --markdown"
      ;;
    meters) echo "--json --watch --every= --times=" ;;
    doctor) echo "--preset= --json --fix --yes --aa= --into= -c= --command= --on= --slurm=" ;;
    setup) echo "--preset= --list --remove= --json" ;;
    plan) echo "--preset= --runs= --pilot= --spread= --true-ratio= --aa --order --json" ;;
    run) echo "-o= --output= --preset= --runs= --blocks= --only= --retry-failed --profile --dry-run -q --quiet --on= --slurm= --detach --cancel --task= --anyway --as-root --cache= --variant= --data=" ;;
    status) echo "--json --watch" ;;
    serve) echo "--port= --listen= --token-file= --open" ;;
    exclude) echo "--why= --undo --list" ;;
    export) echo "--table= --format= --with-excluded --with-warmups" ;;
    merge) echo "-o= --output=" ;;
    compare) echo "--per= --window= --analysis= -q --quiet --json --csv --markdown --as-published --lifecycle= --carbon= --price= --pue= --embodied= --metric= --lower-is-better --reach= --energy-time --robustness --factorial" ;;
    audit) echo "--gpu-memory= --gpu-power-limit= --analysis= --json" ;;
    profile) echo "--only= --least= --function= --apis= --dot= --collapsed= --json --csv" ;;
    report) echo "-o= --output= --latex --anonymous --compare-with= --window= --analysis= --metric= --lower-is-better --reach= --lifecycle= --least=" ;;
    import) echo "-o= --output= --as-published --names= --interval= --map= --quality= --compare= --analysis=" ;;
    gate) echo "--interleave -c= --command= --max= --measure= --alpha= --between= -n= --runs= --warmup= --settle= --timeout= --shell --as-root -q --quiet --json --markdown" ;;
    *) return ;;
  esac
  case $1 in
    doctor | setup | plan | run) echo "--cache= --variant= --data=" ;;
  esac
  case $1 in
    measure | meters | doctor | plan | run | gate) echo "--root= --meter= --rail=" ;;
  esac
  echo "-h --help"
}

_prengdl_from() { # candidates that the word begins
  local IFS=$' \t\n'
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_prengdl_files() { # compgen action, word
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -A "$1" -- "$2")
}

# The measured command and its arguments: completed as if prengdl were not there.
_prengdl_command() { # position of the first word after --
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif [ "$COMP_CWORD" -eq "$1" ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -A command -A file -- "${COMP_WORDS[COMP_CWORD]}")
  else
    _prengdl_files file "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_prengdl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _prengdl_from "measure meters doctor setup plan run status serve exclude export merge compare audit profile report import gate --help --version" "$word"
    return
  fi
  if [ "$command" = measure ]; then
    for ((i = 2; i < COMP_CWORD; i++)); do
      if [ "${COMP_WORDS[i]}" = -- ]; then
        _prengdl_command $((i + 1))
        return
      fi
    done
  fi
  case $before in
    --root | --directory | --result | --pilot | --cache | --data | -o)
      _prengdl_files directory "$word"
      return
      ;;
    --output)
      _prengdl_files directory "$word"
      _prengdl_more "show hide" "$word"
      return
      ;;
    --variant)
      _prengdl_from "cpu cuda" "$word"
      return
      ;;
    --table)
      _prengdl_from "runs spans samples metrics looks" "$word"
      return
      ;;
    --format)
      _prengdl_from "csv json" "$word"
      return
      ;;
    --max)
      _prengdl_from "+1% +3% +5%" "$word"
      return
      ;;
    --token-file)
      _prengdl_files file "$word"
      return
      ;;
    --listen)
      _prengdl_from "127.0.0.1 0.0.0.0" "$word"
      return
      ;;
    --rate)
      _prengdl_from "10Hz 100Hz 1kHz" "$word"
      return
      ;;
    --settle | --idle | --timeout | --every)
      _prengdl_from "1s 5s 1min 10min" "$word"
      return
      ;;
    -c | --command | --meter)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -A command -A file -- "$word")
      return
      ;;
    --name | -n | --runs | --warmup | --seed | --times | --rail | --preset | --remove | --spread | --blocks | --only | \
      --why | --measure | --alpha | --port)
      return
      ;;
  esac
  case $command in
    doctor | setup | plan | run | status | serve | exclude | export | merge | compare | gate)
      if [[ $word != -* ]]; then
        _prengdl_files file "$word"
        return
      fi
      ;;
  esac
  local options
  options=$(_prengdl_options "$command")
  [ "$command" = measure ] && options+=" --"
  _prengdl_from "${options//=/}" "$word"
}

_prengdl_more() { # adds candidates to those that are there
  local -a more
  mapfile -t more < <(compgen -W "$1" -- "$2")
  COMPREPLY+=("${more[@]}")
}

complete -F _prengdl prengdl
