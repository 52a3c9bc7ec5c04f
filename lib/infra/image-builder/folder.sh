# Builds the folder that a machine of the user's runs, and stores it as one tar file.

# A machine unpacks it for every revision: as much as a build on such a machine may make.
FOLDER_BYTES_MAX=2147483648
UPLOAD_SECONDS_MAX=900

build_folder() {
  local file="$work/artifact.tar" size
  step='build'
  say 'Building the folder'
  docker_build --file "$work/folder/Dockerfile" --output "type=tar,dest=$file" \
    --build-context "slipway=$work/folder" "$source_folder" || build_failure
  step='pack'
  size="$(stat -c %s "$file")"
  [ "$size" -le "$FOLDER_BYTES_MAX" ] || fail "The built folder has $size bytes; at most $FOLDER_BYTES_MAX are allowed"
  gzip -- "$file"
  file="$file.gz"
  size="$(stat -c %s "$file")"
  curl --fail --silent --show-error --retry 3 --max-time "$UPLOAD_SECONDS_MAX" --header 'Expect:' \
    --upload-file "$file" --url "$(job_field .artifactUploadUrl)" >/dev/null || fail 'The built folder could not be stored'
  export_variable ARTIFACT_KEY "$(job_field .artifactKey)"
  export_variable ARTIFACT_SHA256 "$(sha256sum <"$file" | cut -d ' ' -f 1)"
  export_variable ARTIFACT_SIZE_BYTES "$size"
  say "Stored the artifact: $size bytes"
}
