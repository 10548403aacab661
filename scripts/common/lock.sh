# Sourced by scripts that change a folder of the tree, and used by folder_lock.py: one of them at a time works in a folder.

# take_lock FD FOLDER PROCESS WHO: waits for the lock of FOLDER. FD is open on its lock file, FOLDER/.lock. The lock is held
# until every process that has FD has closed it or ended, by whatever cause: a tool that outlives its script keeps it.
# After a moment one line on stderr says for whom WHO (script and arguments, of that process) waits.
take_lock() {
  local fd=$1 folder=$2 process=$3 who=$4 holder
  flock --nonblock "$fd" || (($? == 1)) || return
  if ! flock --timeout 1 "$fd"; then
    holder=$(head -n 1 "$folder/.lock")
    echo "${who%% *}: waiting for ${holder:-another script} in $folder ..." >&2
    # In turns of a second, so that no flock outlives a script that is killed.
    until flock --timeout 1 "$fd"; do :; done
  fi
  echo "scripts/$who (process $process)" >"$folder/.lock"
}

# lock_folder FOLDER ARGUMENT...: makes the folder if need be and takes its lock until the script ends. The lock's file
# descriptor is in lock_fd, for children that must not keep it. The arguments are those of the script.
lock_folder() {
  local folder=$1
  shift
  command -v flock >/dev/null || fail "flock is missing" "install util-linux"
  { mkdir -p "$folder" && : >>"$folder/.lock"; } 2>/dev/null || fail "$folder: cannot be written" "check its permissions"
  exec {lock_fd}>>"$folder/.lock"
  take_lock "$lock_fd" "$folder" "$$" "${0##*/}${*:+ $*}" || fail "$folder: cannot be locked" "is it on a file system without locks?"
}
