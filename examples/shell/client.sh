#!/bin/sh
# client.sh JAIL-ARGUMENTS… <stdin    such as: eval --profile python
#
# jail's exit status tells most things as well, but a program may end with any of
# them: the record's reason is the authority.
record=$(jail "$@")
reason=$(printf '%s' "$record" | jq -r '.reason // empty') || reason=
[ -n "$reason" ] || {
	echo 'jail left no record' >&2
	exit 1
}
# What a reason comes to: see the table in README.md.
case $reason in
ok)
	printf 'value %s\n' "$(printf '%s' "$record" | jq -c 'if has("value") then .value else .stdout.text end')"
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
