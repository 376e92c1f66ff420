# SPDX-License-Identifier: Apache-2.0
# fish completion for prengdl. Goes to /usr/share/fish/vendor_completions.d/prengdl.fish.

function __prengdl_no_command
    not __fish_seen_subcommand_from measure meters doctor
end

# In the options of a command, not in the words of what is measured.
function __prengdl_in
    __fish_seen_subcommand_from $argv; and not contains -- -- (commandline -opc)
end

function __prengdl_after_dashes
    contains -- -- (commandline -opc)
end

function __prengdl_measured
    set -l words (commandline -opc) (commandline -ct)
    set -l place (contains --index -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $place + 1)..-2]) $words[-1])
end

complete -c prengdl -f
complete -c prengdl -n __prengdl_no_command -a measure -d 'measure the energy and time of any command'
complete -c prengdl -n __prengdl_no_command -a meters -d 'the meters of this machine, live watts'
complete -c prengdl -n __prengdl_no_command -a doctor -d 'is this machine fit to measure'
complete -c prengdl -n __prengdl_no_command -l version -d 'print the version'
complete -c prengdl -n __prengdl_no_command -l help -d 'list the commands'
complete -c prengdl -n __prengdl_after_dashes -a '(__prengdl_measured)'

# measure
set -l measure '__prengdl_in measure'
complete -c prengdl -n $measure -s c -l command -x -a '(__fish_complete_command)' -d 'a command to measure'
complete -c prengdl -n $measure -l name -x -d 'what to call the command of the same place'
complete -c prengdl -n $measure -s n -l runs -x -d 'how often each command runs'
complete -c prengdl -n $measure -l warmup -x -d 'uncounted runs of each command before'
complete -c prengdl -n $measure -l settle -x -a '5s 1min 10min' -d 'wait for a quiet machine, at most'
complete -c prengdl -n $measure -l idle -x -a '1s 5s 10s' -d 'measure the idle machine before'
complete -c prengdl -n $measure -l rate -x -a '10Hz 100Hz 1kHz' -d 'samples per second'
complete -c prengdl -n $measure -l timeout -x -a '10s 1min 10min 1h' -d 'end a run after this time'
complete -c prengdl -n $measure -l seed -x -d 'of the random order'
complete -c prengdl -n $measure -l output -x -a 'show hide (__fish_complete_directories)' -d 'where the output goes'
complete -c prengdl -n $measure -l directory -x -a '(__fish_complete_directories)' -d 'start the command there'
complete -c prengdl -n $measure -l shell -d 'give each -c to /bin/sh'
complete -c prengdl -n $measure -l as-root -d 'under sudo, run the command as root too'
complete -c prengdl -n $measure -l ignore-failure -d 'go on when a command fails'
complete -c prengdl -n $measure -l json -d 'results as JSON'
complete -c prengdl -n $measure -l csv -d 'results as CSV, a row per run'
complete -c prengdl -n $measure -l markdown -d 'results as a Markdown table'

# meters
set -l meters '__prengdl_in meters'
complete -c prengdl -n $meters -l json -d 'as JSON'
complete -c prengdl -n $meters -l watch -d 'show live watts until Ctrl-C'
complete -c prengdl -n $meters -l every -x -a '500ms 1s 5s' -d 'how often'
complete -c prengdl -n $meters -l times -x -d 'stop after so many'

# doctor
set -l doctor '__prengdl_in doctor'
complete -c prengdl -n $doctor -l json -d 'as JSON'
complete -c prengdl -n $doctor -l fix -d 'put right what can be, after asking'
complete -c prengdl -n $doctor -l yes -d 'do not ask'

# all
set -l all '__prengdl_in measure meters doctor'
complete -c prengdl -n $all -l root -x -a '(__fish_complete_directories)' -d 'read /sys, /proc and /dev below it'
complete -c prengdl -n $all -l meter -x -a '(__fish_complete_command)' -d 'a command that prints watts or joules'
complete -c prengdl -n $all -l rail -x -d 'count a hwmon rail: LABEL=DOMAIN'
complete -c prengdl -n $all -s h -l help -d 'print the options'
