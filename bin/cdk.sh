# Runs the CDK, and tells the app (bin/app.ts) what the CDK keeps to itself: which command this is, whether it
# is for one stack alone, and the profile whose credentials the CDK uses.
SLIPWAY_CDK_COMMAND=
SLIPWAY_CDK_EXCLUSIVELY=
before=
for argument in "$@"; do
  case $argument in
    --profile=*) export AWS_PROFILE="${argument#--profile=}" ;;
    -e | --exclusively | --exclusively=true) SLIPWAY_CDK_EXCLUSIVELY=yes ;;
    bootstrap | deploy | destroy | diff | import | list | ls | synth | synthesize | watch)
      : "${SLIPWAY_CDK_COMMAND:=$argument}"
      ;;
  esac
  if [ "$before" = --profile ]; then export AWS_PROFILE="$argument"; fi
  before=$argument
done
export SLIPWAY_CDK_COMMAND SLIPWAY_CDK_EXCLUSIVELY
exec "$(dirname "$0")/../node_modules/.bin/cdk" "$@"
