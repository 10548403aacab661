# Sourced by the shell scripts: one help format, and one-line errors, NAME: error: LOCATION: WHAT; REMEDY.

# The comment at the top of the script that sources this one.
print_help() {
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0"
}

# fail MESSAGE [REMEDY]: the operation failed (exit code 1).
fail() {
  echo "${0##*/}: error: $1${2:+; $2}" >&2
  exit 1
}

# refuse MESSAGE [REMEDY]: the arguments are invalid (exit code 2).
refuse() {
  echo "${0##*/}: error: $1${2:+; $2}" >&2
  exit 2
}

refuse_option() { refuse "$1: unknown option" "scripts/${0##*/} --help lists the options"; }

# help_if_asked ARGUMENT...: --help or -h as the first argument.
help_if_asked() {
  case "${1:-}" in
    -h | --help)
      print_help
      exit 0
      ;;
  esac
}

# takes_no_arguments ARGUMENT...: for scripts whose only option is --help.
takes_no_arguments() {
  help_if_asked "$@"
  (($# == 0)) && return
  [[ "$1" == -* ]] && refuse_option "$1"
  refuse "$1: takes no arguments" "scripts/${0##*/} --help says what it does"
}
