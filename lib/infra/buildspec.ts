import { REPORTED } from '../builds/codebuild/reported.ts';
import { NODE_MAJOR } from '../builds/versions.ts';

/**
 * The buildspec of all builds, which are told apart by three ids in their environment. The builder is the
 * asset that two variables of the project name; it runs on a Node.js of CodeBuild's image.
 *
 * A source that cannot be built is no fault of the builder: such a build succeeds for CodeBuild and reports
 * FAILURE_REASON, because only then is it certain that what it exports is kept. It fails for CodeBuild when
 * the builder itself was cut off.
 */
export function buildspec(): object {
  return {
    version: '0.2',
    env: { shell: 'bash', 'exported-variables': [...REPORTED] },
    phases: {
      install: { 'runtime-versions': { nodejs: Number(NODE_MAJOR) } },
      build: {
        commands: [
          'builder="$(mktemp -d)"',
          'aws s3api get-object --bucket "$BUILDER_BUCKET_NAME" --key "$BUILDER_KEY" "$builder/builder.zip" >/dev/null',
          'unzip -q "$builder/builder.zip" -d "$builder"',
          'node "$builder/builder.mjs" prologue || grep -q "^export FAILURE_REASON=" "$builder/exports"',
          '. "$builder/exports"',
        ],
      },
    },
  };
}
