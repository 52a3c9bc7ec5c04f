# Runs the CDK, and tells the app (bin/app.ts) what the CDK keeps to itself: which command it was called
# with, and the profile whose credentials it uses.
before=
for argument in "$@"; do
  case $argument in
    --profile=*) export AWS_PROFILE="${argument#--profile=}" ;;
    bootstrap | deploy | destroy | diff | import | list | ls | synth | synthesize | watch)
      : "${SLIPWAY_CDK_COMMAND:=$argument}"
      ;;
  esac
  if [ "$before" = --profile ]; then export AWS_PROFILE="$argument"; fi
  before=$argument
done
export SLIPWAY_CDK_COMMAND
exec "$(dirname "$0")/../node_modules/.bin/cdk" "$@"
