# Notes a call: the tool, its arguments, its environment. What state it finds and leaves is in the folder
# beside its own.
state="$(dirname -- "$(dirname -- "$0")")/state"
record() {
  jq -nc --arg tool "$1" --rawfile env <(env -0) '{tool: $tool, args: $ARGS.positional,
    env: ($env | split("\u0000") | map(select(. != "") | capture("^(?<key>[^=]*)=(?<value>.*)$"; "m")) | from_entries)}' \
    --args -- "${@:2}" >>"$state/calls"
}
