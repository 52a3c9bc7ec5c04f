# Keeps what runs inside image builds from the machine's metadata and from the credentials that its role has.

# Container builds need the resolver of the network, which has an address in the same range.
RESOLVER=169.254.169.253
# Instance metadata and container credentials. Docker itself fetches what `ADD <url>` names, from this machine.
METADATA_ADDRESSES=(169.254.169.254 169.254.170.2)
# The same by IPv6.
METADATA_ADDRESSES_6=(fd00:ec2::254 fd00:ec2::23)
DOCKER_SECONDS_MAX=60
blocked=()

await_docker() {
  local deadline=$((SECONDS + DOCKER_SECONDS_MAX))
  until run_docker info >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || fail 'Docker does not run on the build machine'
    sleep 1
  done
}

block_metadata() {
  local protocol
  step='isolation'
  await_docker
  block_by iptables DOCKER-USER 169.254.0.0/16 "${METADATA_ADDRESSES[@]}"
  for protocol in udp tcp; do
    insert_rule iptables DOCKER-USER -d "$RESOLVER" -p "$protocol" --dport 53 -j RETURN
  done
  # Docker makes no chain of its own for IPv6 unless it is told to.
  if has_ipv6; then block_by ip6tables FORWARD fd00:ec2::/32 "${METADATA_ADDRESSES_6[@]}"; fi
}

# Whether this machine has an address by which IPv6 leaves it: one that is neither its own loopback nor for one link.
has_ipv6() {
  awk '$4 != "10" && $4 != "20" { found = 1 } END { exit !found }' /proc/net/if_inet6 2>/dev/null
}

# block_by TOOL CHAIN NETWORK ADDRESSES: containers reach nothing of the network, this machine none of the addresses.
block_by() {
  local tool="$1" address
  insert_rule "$tool" "$2" -d "$3" -j DROP
  for address in "${@:4}"; do
    insert_rule "$tool" OUTPUT -d "$address" -j REJECT
    blocked+=("$tool $address")
  done
}

insert_rule() {
  "$1" -w 10 -I "${@:2}" && "$1" -w 10 -C "${@:2}" ||
    fail 'The build machine could not be closed off from its own credentials, so nothing was built'
}

# Only for this machine's own processes, after all builds: containers stay blocked.
allow_metadata() {
  local tool address rule
  for rule in ${blocked[@]+"${blocked[@]}"}; do
    read -r tool address <<<"$rule"
    "$tool" -w 10 -D OUTPUT -d "$address" -j REJECT || true
  done
}

# run_docker ARGUMENTS: with an environment and a configuration that hold no credentials.
run_docker() {
  env -i PATH="$PATH" HOME="$work/home" LANG=C.UTF-8 DOCKER_CONFIG="$work/home/.docker" docker "$@"
}

# docker_build ARGUMENTS: no cache, so nothing of another build; what it prints is kept to tell why it failed.
docker_build() {
  run_docker buildx build --no-cache --pull --progress=plain --provenance=false --sbom=false "$@" 2>&1 |
    tee "$work/build.log"
}

# Tells what a failed image build ran into without repeating what it printed, which may hold anything.
build_failure() {
  local code line
  line="$(grep -E '^ERROR: ' "$work/build.log" | tail -n 1 || true)"
  code="$(sed -nE 's/.*did not complete successfully: exit code: ([0-9]+).*/\1/p' <<<"$line")"
  if [ -z "$code" ]; then
    fail 'The image could not be built; the lines before this one in the build log say why'
  fi
  case "$line" in
    *'/slipway/run.sh install'*) fail "The install step ended with exit code $code; the lines before this one in the build log say why" ;;
    *'/slipway/run.sh build'*) fail "The build step ended with exit code $code; the lines before this one in the build log say why" ;;
    *) fail "A command of the image build ended with exit code $code; the lines before this one in the build log say which and why" ;;
  esac
}
