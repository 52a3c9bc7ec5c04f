#!/usr/bin/env bash
# The trusted part of a build: fetches the source, has the image or folder built, hands the result on. Nothing of the user's runs here:
# their code runs inside `docker build` alone, without credentials and without a way to the machine's metadata.
# What it leaves: the file `exports` beside the scripts, and the cause of a failure as the last line that is printed.
set -euo pipefail
export LC_ALL=C.UTF-8

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
# Readable by nobody else; the source in it keeps ordinary modes, which images take over.
work="$(mktemp -d)"
umask 022
source_folder="$work/source"
step='start'
mkdir "$source_folder" "$work/home"
: >"$here/exports"

. "$here/common.sh"
. "$here/source.sh"
. "$here/isolation.sh"
. "$here/image.sh"
. "$here/folder.sh"

trap 'finish "$?"' EXIT

take_job
remark="$(job_field .remark)"
[ -z "$remark" ] || say "$remark"
obtain_source
step='plan'
reason="$(python3 "$here/plan.py" choose "$work/wanted.json" "$source_folder" "$work")" || fail "$reason"
block_metadata
case "$(job_field .output)" in
  folder) build_folder ;;
  image) build_image ;;
  *) fail 'The build was asked for neither a folder nor an image' ;;
esac
