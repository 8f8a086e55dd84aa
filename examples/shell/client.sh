#!/bin/sh
# client.sh JAIL-ARGUMENTS… <stdin    such as: eval --profile python
#
# jail's exit status tells most things as well, but a program may end with any of
# them: the record's reason is the authority. jq before 1.7 makes doubles of numbers: an
# integer beyond 2^53 is rounded, and better returned as a string.
record=$(
	jail "$@"
	echo .
)
reason=
case $record in
*'}
.') # whole: the newline is its end
	record=${record%.}
	reason=$(printf '%s' "$record" | jq -rs 'select(length == 1)[0] | select(.schema == "jail/1").reason // empty' 2>/dev/null) || reason=
	;;
esac
[ -n "$reason" ] || {
	echo 'jail left no record' >&2
	exit 1
}
# What a reason comes to: see the table in README.md.
case $reason in
ok)
	printf 'value %s\n' "$(printf '%s' "$record" | jq -r 'if has("value") then .value | tojson
		else .stdout | (if .encoding then .encoding + " " else "" end) + (.text | tojson) end')"
	exit
	;;
execution_failed | signaled | invalid_output | exec_failed | syscall_denied) answer=mistake ;;
timeout | cpu_time | output_too_large | out_of_memory | pids_limit | disk_full) answer=limit ;;
canceled) answer=canceled ;;
setup_refused) answer=host ;;
internal_error) answer=broken ;;
*) answer=broken ;; # of a version that this script does not know
esac
printf '%s %s: %s\n' "$answer" "$reason" "$(printf '%s' "$record" | jq -r .message)"
