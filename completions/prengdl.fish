# SPDX-License-Identifier: Apache-2.0
# fish completion for prengdl. Goes to /usr/share/fish/vendor_completions.d/prengdl.fish.

function __prengdl_no_command
    not __fish_seen_subcommand_from measure meters doctor setup plan run status serve exclude export merge compare audit profile report import gate
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
complete -c prengdl -n __prengdl_no_command -a setup -d 'create the environments and find the data that a study needs'
complete -c prengdl -n __prengdl_no_command -a plan -d 'what a study will do and what it can show'
complete -c prengdl -n __prengdl_no_command -a run -d 'run a study, or continue it'
complete -c prengdl -n __prengdl_no_command -a status -d 'show the progress of a study, and what failed'
complete -c prengdl -n __prengdl_no_command -a serve -d 'show a study on a local page while it runs'
complete -c prengdl -n __prengdl_no_command -a exclude -d 'exclude a run from every analysis, with a reason'
complete -c prengdl -n __prengdl_no_command -a export -d 'the tables of a result as CSV or JSON'
complete -c prengdl -n __prengdl_no_command -a merge -d 'join results of one study from several machines'
complete -c prengdl -n __prengdl_no_command -a compare -d 'show which level costs less, by how much and how sure that is'
complete -c prengdl -n __prengdl_no_command -a audit -d 'check the data of a study for threats to validity'
complete -c prengdl -n __prengdl_no_command -a profile -d 'what the functions and APIs in cProfile dumps cost'
complete -c prengdl -n __prengdl_no_command -a report -d 'the report: HTML, LaTeX, Markdown, CSV, JSON'
complete -c prengdl -n __prengdl_no_command -a import -d 'import measurements of other tools and studies'
complete -c prengdl -n __prengdl_no_command -a gate -d 'for CI: check whether a change raises the cost above a limit'
complete -c prengdl -n __prengdl_no_command -l version -d 'print the version'
complete -c prengdl -n __prengdl_no_command -l help -d 'list the commands'
complete -c prengdl -n __prengdl_after_dashes -a '(__prengdl_measured)'

# measure
set -l measure '__prengdl_in measure'
complete -c prengdl -n $measure -s c -l command -x -a '(__fish_complete_command)' -d 'a command to measure'
complete -c prengdl -n $measure -l name -x -d 'a name for the command in the same position'
complete -c prengdl -n $measure -s L -l parameter-list -x -d 'run every command once for each value'
complete -c prengdl -n $measure -l window -x -a 'epoch train infer' -d 'compare this span that the commands emit'
complete -c prengdl -n $measure -s n -l runs -x -d 'how often each command runs'
complete -c prengdl -n $measure -l warmup -x -d 'uncounted runs of each command before'
complete -c prengdl -n $measure -l settle -x -a '5s 1min 10min' -d 'wait for a quiet machine, at most'
complete -c prengdl -n $measure -l idle -x -a '1s 5s 10s' -d 'measure the idle machine before'
complete -c prengdl -n $measure -l rate -x -a '10Hz 100Hz 1kHz' -d 'samples per second'
complete -c prengdl -n $measure -l timeout -x -a '10s 1min 10min 1h' -d 'end a run after this time'
complete -c prengdl -n $measure -l seed -x -d 'of the random order'
complete -c prengdl -n $measure -l output -x -a 'show hide (__fish_complete_directories)' -d 'where the output goes'
complete -c prengdl -n $measure -s o -l result -x -a '(__fish_complete_directories)' -d 'also store everything there'
complete -c prengdl -n $measure -l directory -x -a '(__fish_complete_directories)' -d 'start the command there'
complete -c prengdl -n $measure -l shell -d 'give each -c to /bin/sh'
complete -c prengdl -n $measure -l as-root -d 'under sudo, run the command as root'
complete -c prengdl -n $measure -l ignore-failure -d 'continue when a command fails'
complete -c prengdl -n $measure -s q -l quiet -d 'print only the answer; no progress'
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
complete -c prengdl -n $doctor -l preset -x -d 'a preset of the study file'
complete -c prengdl -n $doctor -l json -d 'as JSON'
complete -c prengdl -n $doctor -l fix -d 'fix what can be fixed, after asking'
complete -c prengdl -n $doctor -l yes -d 'do not ask'
complete -c prengdl -n $doctor -l aa -x -d 'run one command under two labels, so many times each'
complete -c prengdl -n $doctor -l into -x -a '(__fish_complete_directories)' -d 'with --aa: store it in this result'
complete -c prengdl -n $doctor -l on -x -a 'slurm' -d 'check a cluster from its login node'
complete -c prengdl -n $doctor -l slurm -x -d 'with --on slurm: a value of [slurm] for the probe job'
complete -c prengdl -n $doctor -s c -l command -x -d 'with --aa: the command'

# setup
set -l setup '__prengdl_in setup'
complete -c prengdl -n $setup -l preset -x -d 'a preset of the study files'
complete -c prengdl -n $setup -l list -d 'list the environments'
complete -c prengdl -n $setup -l remove -x -d 'remove environments by name'
complete -c prengdl -n $setup -l json -d 'as JSON'

# plan
set -l plan '__prengdl_in plan'
complete -c prengdl -n $plan -l preset -x -d 'a preset of the study file'
complete -c prengdl -n $plan -l runs -x -d 'runs of each cell (default: as in the study)'
complete -c prengdl -n $plan -l pilot -x -a '(__fish_complete_directories)' -d 'plan with the spread, time and energy of this result'
complete -c prengdl -n $plan -l spread -x -d 'standard deviation of the log ratio of two runs, e.g. 0.02'
complete -c prengdl -n $plan -l true-ratio -x -d 'at which "equivalent" is to be shown, e.g. 1.01 (default 1)'
complete -c prengdl -n $plan -l aa -d 'plan with the spread that doctor --aa found on this machine'
complete -c prengdl -n $plan -l order -d 'list every run in its order'
complete -c prengdl -n $plan -l json -d 'as JSON'

# run
set -l run '__prengdl_in run'
complete -c prengdl -n $run -s o -l output -x -d 'the result directory (default: NAME.result)'
complete -c prengdl -n $run -l preset -x -d 'a preset of the study file'
complete -c prengdl -n $run -l runs -x -d 'runs of each cell (default: as in the study)'
complete -c prengdl -n $run -l blocks -x -d 'run at most this many blocks now'
complete -c prengdl -n $run -l only -x -d 'run only the cells of this level now'
complete -c prengdl -n $run -l retry-failed -d 'also repeat runs whose last attempt failed'
complete -c prengdl -n $run -s q -l quiet -d 'no progress; print only how the study ended'
complete -c prengdl -n $run -l profile -d 'after the measured runs, one run of each cell under cProfile, not counted'
complete -c prengdl -n $run -l dry-run -d 'list what would run, and end'
complete -c prengdl -n $run -l on -x -a 'local slurm' -d 'where runs are made'
complete -c prengdl -n $run -l slurm -x -d 'with --on slurm: a value of [slurm] for this start'
complete -c prengdl -n $run -l detach -d 'with --on slurm: look after the jobs in the background'
complete -c prengdl -n $run -l cancel -d 'with --on slurm: end all jobs of the study, and stop'
complete -c prengdl -n $run -l task -r -d 'for the scripts of --on slurm: make what this file says'
complete -c prengdl -n $run -l anyway -d 'also run a design that cannot show anything or has fewer than three runs per cell'
complete -c prengdl -n $run -l as-root -d 'under sudo: run the workloads as root'
complete -c prengdl -n $run -l cache -x -d 'directory of the environments (default: $PRENGDL_CACHE, else ~/.cache/prengdl)'
complete -c prengdl -n $run -l variant -x -d 'cpu or cuda, of environments that have both (default: by this machines GPUs)'
complete -c prengdl -n $run -l data -x -d 'directory of the data sets (default: $PRENGDL_DATA, else data in the cache)'

# status
set -l status '__prengdl_in status'
complete -c prengdl -n $status -l json -d 'as JSON'
complete -c prengdl -n $status -l watch -d 'repeat it until the study has ended'

# serve
set -l serve '__prengdl_in serve'
complete -c prengdl -n $serve -l port -x -d 'listen there'
complete -c prengdl -n $serve -l listen -x -a '127.0.0.1 0.0.0.0' -d 'listen at this address'
complete -c prengdl -n $serve -l token-file -r -F -d 'use the token in this file'
complete -c prengdl -n $serve -l open -d 'open the page in a browser'

# exclude
set -l exclude '__prengdl_in exclude'
complete -c prengdl -n $exclude -l why -x -d 'the reason; it is shown with the result'
complete -c prengdl -n $exclude -l undo -d 'take the runs back in'
complete -c prengdl -n $exclude -l list -d 'show what was excluded, by whom, when and why'

# export
set -l export '__prengdl_in export'
complete -c prengdl -n $export -l table -x -d 'runs, spans, samples, metrics or looks (default runs)'
complete -c prengdl -n $export -l format -x -d 'csv or json (default csv)'
complete -c prengdl -n $export -l with-excluded -d 'include excluded runs'
complete -c prengdl -n $export -l with-warmups -d 'also the uncounted runs'

# merge
set -l merge '__prengdl_in merge'
complete -c prengdl -n $merge -s o -l output -x -a '(__fish_complete_directories)' -d 'the result to add the runs to; it may be new'

# compare
set -l compare '__prengdl_in compare'
complete -c prengdl -n $compare -l per -x -d 'the unit of work that costs are divided by (samples, tokens), or run (default: as the study says)'
complete -c prengdl -n $compare -l window -x -d 'the part of each run that is compared: train, epoch>1, train|infer (default: as the study says)'
complete -c prengdl -n $compare -l analysis -r -F -d 'take [analysis] from this TOML file instead of the result\'s own'
complete -c prengdl -n $compare -l json -d 'as JSON'
complete -c prengdl -n $compare -l csv -d 'as CSV, a row per comparison'
complete -c prengdl -n $compare -l markdown -d 'as Markdown tables'
complete -c prengdl -n $compare -l as-published -d 'the tables of the published studies: means, p, A12'
complete -c prengdl -n $compare -l lifecycle -x -d 'whole-life costs and break-even: train=1,infer=N'
complete -c prengdl -n $compare -l carbon -x -d 'grams of CO2e: a place (DE), g/kWh (350) or FILE:PLACE'
complete -c prengdl -n $compare -l price -x -d 'money: a place (DE), 0.30EUR a kWh, or FILE:PLACE'
complete -c prengdl -n $compare -l pue -x -d 'the data centres overhead on energy, for carbon and money'
complete -c prengdl -n $compare -l embodied -x -d 'emissions of making the hardware: 1000kg,4y[,SHARE]'
complete -c prengdl -n $compare -l metric -x -d 'energy against this metric (default: of each unit what it is judged by)'
complete -c prengdl -n $compare -l lower-is-better -d 'of the metric: a loss'
complete -c prengdl -n $compare -l reach -x -d 'energy until the first epoch that reaches this'
complete -c prengdl -n $compare -l energy-time -d 'energy against time, within and across cells'
complete -c prengdl -n $compare -l robustness -d 'add how many reasonable analyses agree with each verdict'
complete -c prengdl -n $compare -s q -l quiet -d 'print only the answer, for CI'
complete -c prengdl -n $compare -l factorial -d 'level means, interactions and shares of variation'

# audit
set -l audit '__prengdl_in audit'
complete -c prengdl -n $audit -l gpu-memory -x -d 'memory of the card that the study names: 8GiB'
complete -c prengdl -n $audit -l gpu-power-limit -x -d 'of that card: 250W'
complete -c prengdl -n $audit -l analysis -r -F -d 'take [analysis] from this TOML file instead of the result\'s own'
complete -c prengdl -n $audit -l json -d 'as JSON'

# profile
set -l profile '__prengdl_in profile'
complete -c prengdl -n $profile -l only -x -d 'of a result: only the cells of this level'
complete -c prengdl -n $profile -l least -x -d 'leave out what takes less of the time (default 1%; --json and --csv contain everything unless it is given)'
complete -c prengdl -n $profile -l function -x -d 'only this function or API, with callers and callees'
complete -c prengdl -n $profile -l apis -x -d 'more names and classes of APIs, as in data/api_classes.csv'
complete -c prengdl -n $profile -l dot -x -d 'also write the call graph for Graphviz; - is standard output'
complete -c prengdl -n $profile -l collapsed -x -d 'also write stacks for flame graphs; - is standard output'
complete -c prengdl -n $profile -l json -d 'as JSON'
complete -c prengdl -n $profile -l csv -d 'as CSV, a line per function'

# report
set -l report '__prengdl_in report'
complete -c prengdl -n $report -s o -l output -r -F -d 'the file: FILE.html, .tex, .md, .csv or .json; may be given several times'
complete -c prengdl -n $report -l latex -d 'write the tables, figures and methods of a paper to the directory -o DIR/'
complete -c prengdl -n $report -l anonymous -d 'leave out host, user, paths and serial numbers'
complete -c prengdl -n $report -l compare-with -r -F -d 'show published values next to the computed ones: CSV with factors, measure, value'
complete -c prengdl -n $report -l window -x -d 'the part of each run that is compared: train, epoch>1, train|infer (default: as the study says)'
complete -c prengdl -n $report -l analysis -r -F -d 'take [analysis] from this TOML file instead of the result\'s own'
complete -c prengdl -n $report -l metric -x -d 'energy against this metric (default: of each unit what it is judged by)'
complete -c prengdl -n $report -l lower-is-better -d 'of the metric: a loss'
complete -c prengdl -n $report -l reach -x -d 'energy until the first epoch that reaches this (default: what the weaker level reaches)'
complete -c prengdl -n $report -l lifecycle -x -d 'break-even of phases (default train=1,infer=N, if the study has them)'
complete -c prengdl -n $report -l least -x -d 'list APIs from this share of the time on (default 1%)'

# import
set -l import '__prengdl_in import'
complete -c prengdl -n $import -s o -l output -x -d 'the result directory to make'
complete -c prengdl -n $import -l as-published -d 'icse22, itu23: joules by the studys own recipe'
complete -c prengdl -n $import -l names -x -d 'levels from file names: "{model}_{framework}_{run}.txt"'
complete -c prengdl -n $import -l interval -x -d 'nvidia-smi without time stamps: from line to line'
complete -c prengdl -n $import -l map -x -d 'csv: the meaning of its columns, seconds=Time,joules_package=Pkg,factor:framework=Fw,block=Rep'
complete -c prengdl -n $import -l quality -x -d 'csv: quality of its joules: wall, sensor, chip, virtual or model'
complete -c prengdl -n $import -l compare -x -d 'the factor to compare (default: framework, else the first that varies)'
complete -c prengdl -n $import -l analysis -r -F -d 'store the [analysis] of this TOML file with the result'

# gate
set -l gate '__prengdl_in gate'
complete -c prengdl -n $gate -l interleave -d 'measure both now, in turn: the best form for CI'
complete -c prengdl -n $gate -s q -l quiet -d 'print only the verdict; no progress'
complete -c prengdl -n $gate -s c -l command -x -d 'with --interleave: the base, then the change'
complete -c prengdl -n $gate -l max -x -d 'how much the cost may rise (default +3%)'
complete -c prengdl -n $gate -l measure -x -d 'what is tested (default metered)'
complete -c prengdl -n $gate -l alpha -x -d 'the share of wrong verdicts to allow (default 0.05)'
complete -c prengdl -n $gate -l between -x -d 'two results: standard deviation of costs between occasions, e.g. 2%'
complete -c prengdl -n $gate -s n -l runs -x -d 'with --interleave: runs of each (default 20)'
complete -c prengdl -n $gate -l warmup -x -d 'with --interleave: uncounted runs first (default 1)'
complete -c prengdl -n $gate -l settle -x -d 'before each run, wait until the machine is quiet, but no longer than this'
complete -c prengdl -n $gate -l timeout -x -d 'end a run after this time'
complete -c prengdl -n $gate -l shell -d 'run each -c with /bin/sh instead of splitting it into words'
complete -c prengdl -n $gate -l as-root -d 'under sudo: run the commands as root'
complete -c prengdl -n $gate -l json -d 'as JSON'
complete -c prengdl -n $gate -l markdown -d 'as Markdown, for a pull request'

# those that find meters
set -l environments '__prengdl_in doctor setup plan run'
complete -c prengdl -n $environments -l cache -x -a '(__fish_complete_directories)' -d 'where environments lie'
complete -c prengdl -n $environments -l variant -x -a 'cpu cuda' -d 'of environments that have both'
complete -c prengdl -n $environments -l data -x -a '(__fish_complete_directories)' -d 'where data sets lie'

set -l finding '__prengdl_in measure meters doctor plan run gate'
complete -c prengdl -n $finding -l root -x -a '(__fish_complete_directories)' -d 'read /sys, /proc and /dev below it'
complete -c prengdl -n $finding -l meter -x -a '(__fish_complete_command)' -d 'a command that prints watts or joules'
complete -c prengdl -n $finding -l rail -x -d 'count a hwmon rail: LABEL=DOMAIN'

# all
set -l all '__prengdl_in measure meters doctor setup plan run status serve exclude export merge compare audit profile report import gate'
complete -c prengdl -n $all -s h -l help -d 'print the options'
complete -c prengdl -n '__prengdl_in doctor setup plan run status serve exclude export merge compare audit profile report import gate' -F
