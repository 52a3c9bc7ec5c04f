# Puts the source into "$source_folder": one commit of a repository, or an uploaded tarball.

# A client uploads 200 MiB at most; whatever is larger is not what was recorded.
TARBALL_BYTES_MAX=209715200
DOWNLOAD_SECONDS_MAX=600

obtain_source() {
  case "$(job_field .source.kind)" in
    git) fetch_commit ;;
    tarball) unpack_tarball ;;
    *) fail 'The build has neither a repository nor a tarball' ;;
  esac
}

unpack_tarball() {
  local file="$work/source.tgz" reason
  step='unpack'
  say 'Unpacking the uploaded source'
  curl --fail --silent --show-error --retry 3 --max-time "$DOWNLOAD_SECONDS_MAX" --max-filesize "$TARBALL_BYTES_MAX" \
    --output "$file" --url "$(job_field .source.url)" ||
    fail 'The source tarball cannot be read: it is not stored any more, or too large'
  [ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "$(job_field .source.sha256)" ] ||
    fail 'The source tarball is not the one that was uploaded'
  reason="$(python3 "$here/unpack.py" "$file" "$source_folder")" ||
    fail "The source tarball cannot be unpacked: $reason"
  rm -- "$file"
}

# Nothing of this machine's configuration or credentials reaches git, and no protocol but https.
run_git() {
  env -i PATH="$PATH" HOME="$work/home" LANG=C.UTF-8 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
    GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=https "${git_configuration[@]}" git -C "$source_folder" "$@"
}

# An allowed address must not lead to another one, and nothing that a repository brings is run.
no_credentials=(GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=http.followRedirects GIT_CONFIG_VALUE_0=false
  GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null)
git_configuration=("${no_credentials[@]}")

# use_credentials ADDRESS...: the token of the deployment's integration, if it has one, for requests to these addresses alone.
use_credentials() {
  local host basic address count=2
  git_configuration=("${no_credentials[@]}")
  host="$(job_field .source.credentials.host)"
  basic="$(printf 'x-access-token:%s' "$(job_field .source.credentials.token)" | base64 --wrap=0)"
  for address in "$@"; do
    [[ -n "$host" && "${address,,}" == "https://$host/"* ]] || continue
    git_configuration+=("GIT_CONFIG_KEY_$count=http.$address.extraHeader"
      "GIT_CONFIG_VALUE_$count=Authorization: Basic $basic" "GIT_CONFIG_COUNT=$((count + 1))")
    count=$((count + 1))
  done
}

# Git LFS asks below the address with .git, however the repository was named.
use_repository_credentials() {
  local plain="${1%"${1##*[!/]}"}"
  if [[ "$plain" == *[!/].git ]]; then plain="${plain%.git}"; fi
  use_credentials "$plain" "$plain.git"
}

# read_repository ARGUMENTS: like run_git, and its output is kept for a reason to be found in.
read_repository() {
  run_git "$@" 2>&1 | tee "$work/git.log"
}

unreadable() {
  local said
  said="$(grep -E '^(fatal|error|remote): ' "$work/git.log" | tail -n 1 | sed -E 's/^[a-z]+: //' || true)"
  fail "Repository $url cannot be read${said:+: $said}"
}

fetch_commit() {
  local url ref commit
  url="$(job_field .source.repoUrl)"
  ref="$(job_field .source.ref)"
  commit="$(job_field .source.commitSha)"
  step='clone'
  [[ "$url" == https://* ]] || fail "Repository $url cannot be read: builds read repositories over https only"
  say "Cloning $url at ${ref}${commit:+ (commit $commit)}"
  use_repository_credentials "$url"
  run_git init --quiet
  run_git remote add origin "$url"
  if [ -n "$commit" ]; then
    fetch_exactly "$commit"
  else
    commit="$(fetch_ref "$ref")"
  fi
  read_repository checkout --quiet --detach "$commit" -- || fail "Commit $commit cannot be checked out of $url"
  export_variable COMMIT_SHA "$commit"
  fetch_submodules
}

# Servers that hand out only heads refuse a single commit: then all branches and tags are fetched.
fetch_exactly() {
  [[ "$1" =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || fail "'$1' is no commit"
  if read_repository fetch --quiet --depth=1 --no-tags origin "$1"; then return; fi
  grep -qiE "not our ref|unadvertised object|does not allow request|couldn't find remote ref" "$work/git.log" || unreadable
  say 'The server hands out no single commits; fetching all branches and tags'
  read_repository fetch --quiet --no-tags origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' || unreadable
}

# fetch_ref REF: prints the commit that a branch, or a full name such as refs/tags/v1, stands for.
fetch_ref() {
  local full="$1"
  [[ "$full" == refs/* ]] || full="refs/heads/$full"
  if ! read_repository fetch --quiet --depth=1 --no-tags origin "+$full:refs/slipway/source" >&2; then
    grep -qi "couldn't find remote ref" "$work/git.log" || unreadable
    fail "Ref '$1' of $url cannot be resolved to a commit"
  fi
  run_git rev-parse --verify --quiet 'refs/slipway/source^{commit}' || fail "Ref '$1' of $url is no commit"
}

fetch_submodules() {
  [ -f "$source_folder/.gitmodules" ] || return 0
  say 'Fetching submodules'
  # Whoever writes to the repository chooses them: they get the token only when the integration says so.
  git_configuration=("${no_credentials[@]}")
  if [ "$(job_field .source.credentials.submodules)" = true ]; then
    use_credentials "https://$(job_field .source.credentials.host)/"
  fi
  read_repository submodule --quiet update --init --recursive --depth=1 ||
    say 'WARNING: the submodules are incomplete, the build goes on without'
}
