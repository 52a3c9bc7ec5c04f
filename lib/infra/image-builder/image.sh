# Builds an image, pushes it when all of the user's code has ended, and reports its digest.

# It runs privileged on the build machine, so it is this one and no other.
BINFMT_IMAGE=docker.io/tonistiigi/binfmt:qemu-v10.2.3@sha256:400a4873b838d1b89194d982c45e5fb3cda4593fbfd7e08a02e76b03b21166f0

build_image() {
  local repository image platform
  local -a platforms arguments
  repository="$(job_field .push.repository)"
  [ -n "$repository" ] || fail 'This installation has no image registry'
  image="$repository:rev-$SLIPWAY_BUILD_NAME"
  mapfile -t platforms < <(job_field '.platforms // ["linux/amd64"] | .[]')
  prepare_dockerfile
  step='build'
  emulate "${platforms[@]}"
  for platform in "${platforms[@]}"; do
    [[ "$platform" =~ ^linux/[a-z0-9]+(/v[0-9])?$ ]] || fail "Platform '$platform' cannot be built for"
    say "Building the image for $platform"
    docker_build --platform "$platform" --load --tag "$(tag_for "$platform")" "${arguments[@]}" || build_failure
  done
  push_image "${platforms[@]}"
}

# With one platform the image itself has the revision's tag, else the list of images.
tag_for() {
  if [ "${#platforms[@]}" -eq 1 ]; then
    printf '%s' "$image"
  else
    printf '%s-%s' "$image" "${1//\//-}"
  fi
}

# Sets `arguments`: which Dockerfile, which context. The agent's own tool writes the Dockerfile of an agent project, in a container
# without network that has the source to read and nothing else.
prepare_dockerfile() {
  local context name_and_path reason
  if [ "$(plan_field .kind)" = langgraph ]; then
    say 'Writing the Dockerfile of the agent project'
    docker_build --file "$work/describe/Dockerfile" --output "type=local,dest=$work/described" \
      --build-context "agent=$source_folder" "$work/describe" || build_failure
    reason="$(python3 "$here/plan.py" described "$source_folder" "$work")" || fail "$reason"
  fi
  [ "$(plan_field .keepHistory)" = true ] || rm -rf -- "$source_folder/.git"
  arguments=(--file "$(plan_field .dockerfile)")
  while IFS= read -r -d '' name_and_path; do
    arguments+=(--build-context "$name_and_path")
  done < <(jq -j '.contexts | to_entries[] | "\(.key)=\(.value)\u0000"' "$work/plan.json")
  arguments+=("$(plan_field .context)")
}

plan_field() {
  jq -r "$1 // empty" "$work/plan.json"
}

# Images for another kind of processor are built by emulation.
emulate() {
  local platform own=linux/amd64
  [ "$(uname -m)" != aarch64 ] || own=linux/arm64
  for platform in "$@"; do
    [ "$platform" != "$own" ] || continue
    run_docker run --rm --privileged "$BINFMT_IMAGE" --install all >/dev/null ||
      fail "This installation cannot build for $platform"
    return
  done
}

# The session can push to this one repository. It is used by no process of the image build, and forgotten with the folder it lies in.
log_in() {
  (
    unset AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CONTAINER_CREDENTIALS_FULL_URI
    AWS_ACCESS_KEY_ID="$(job_field .push.accessKeyId)"
    AWS_SECRET_ACCESS_KEY="$(job_field .push.secretAccessKey)"
    AWS_SESSION_TOKEN="$(job_field .push.sessionToken)"
    export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
    aws ecr get-login-password --region "$(job_field .push.region)"
  ) | run_docker --config "$work/push" login --username AWS --password-stdin "${repository%%/*}" >/dev/null 2>&1 ||
    fail 'The image registry does not let the build in'
}

push_image() {
  local platform digest
  local -a tags=()
  step='push'
  say 'Pushing the image'
  log_in
  for platform in "$@"; do
    tags+=("$(tag_for "$platform")")
    run_docker --config "$work/push" push "${tags[-1]}" || fail 'The image could not be pushed to the registry'
  done
  if [ "$#" -eq 1 ]; then
    digest="$(run_docker image inspect --format '{{json .RepoDigests}}' "$image" |
      jq -r --arg name "$repository@" 'first(.[] | select(startswith($name)) | ltrimstr($name))')"
  else
    run_docker --config "$work/push" manifest create "$image" "${tags[@]}"
    digest="$(run_docker --config "$work/push" manifest push "$image" | tail -n 1)"
  fi
  [[ "$digest" =~ ^sha256:[0-9a-f]{64}$ ]] || fail 'The registry gave no digest of the image that was pushed'
  export_variable ARTIFACT_DIGEST "$digest"
  say "Pushed the image $digest"
}
