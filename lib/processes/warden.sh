# Waits for the death of the program that started it, as a shell: that takes a megabyte and no time, where
# Node takes forty and a tenth of a second. $3 says all that runs now, and so does each line that comes on
# standard input; when they end without a goodbye, the program has died: $1 (Node) runs $2, which ends what
# was said last.
trap '' INT TERM HUP # Whoever stops the program stops its children through it.
last=$3
while IFS= read -r line; do last=$line; done
[ "$last" = goodbye ] || printf '%s\n' "$last" | "$1" "$2"
