# Shared by the parts of the builder: what is said, exported and refused.

# Longer reasons are cut: a status message is stored with its revision.
REASON_CHARACTERS_MAX=1000

say() {
  printf '%s\n' "$*"
}

# Ends the build for a reason that a person can act on. Works in a subshell too: the reason is kept in a file, and printed last.
fail() {
  local text="${*//[[:cntrl:]]/ }"
  printf '%s' "${text:0:REASON_CHARACTERS_MAX}" >"$work/reason"
  exit 1
}

# export_variable NAME VALUE: reported to whoever started the build.
export_variable() {
  printf 'export %s=%q\n' "$1" "$2" >>"$here/exports"
}

# Runs however the build ends. What nobody expected has a reason too.
finish() {
  local status="$1"
  trap - EXIT
  allow_metadata
  if [ "$status" -ne 0 ]; then
    [ -s "$work/reason" ] || printf "The build broke in step '%s'" "$step" >"$work/reason"
    # A build that failed has made nothing: only the commit may be told.
    { grep '^export COMMIT_SHA=' "$here/exports" || true; } >"$work/kept"
    cat "$work/kept" >"$here/exports"
    export_variable FAILURE_REASON "$(cat "$work/reason")"
    printf 'ERROR: %s\n' "$(cat "$work/reason")"
  fi
  rm -rf -- "$work"
  exit "$status"
}

# What is to be done, with addresses and credentials. It is nowhere but in this variable of this shell: a file could get into an image build.
job=''

# job_field FILTER: a value of the job as text, empty when it has none.
job_field() {
  printf '%s' "$job" | jq -r "$1 // empty"
}

# Reads what is to be done and removes it where it lay, before anything else. The file $work/wanted.json has what is no secret of it.
take_job() {
  local id key
  for id in "$SLIPWAY_TENANT_ID" "$SLIPWAY_DEPLOYMENT_ID" "$SLIPWAY_BUILD_NAME"; do
    [[ "$id" =~ ^[0-9A-Za-z-]{1,64}$ ]] || fail 'The build was started with a malformed id'
  done
  key="builds/$SLIPWAY_TENANT_ID/$SLIPWAY_DEPLOYMENT_ID/$SLIPWAY_BUILD_NAME.json"
  aws s3api get-object --bucket "$JOBS_BUCKET_NAME" --key "$key" "$work/job.json" >/dev/null ||
    fail 'What this build has to do is not stored (any more); redeploy to build again'
  job="$(cat "$work/job.json")"
  rm -- "$work/job.json"
  aws s3api delete-object --bucket "$JOBS_BUCKET_NAME" --key "$key" >/dev/null ||
    fail 'What this build has to do could not be removed from where it lay, so nothing was built'
  printf '%s' "$job" | jq '{configPath, installCommand, buildCommand, output}' >"$work/wanted.json"
}
