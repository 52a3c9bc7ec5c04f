import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const folder = new URL('./', import.meta.url);

/** What a build reports. A build that could not be made reports why, and nothing else but its commit. */
const EXPORTED = [
  'ARTIFACT_DIGEST',
  'ARTIFACT_KEY',
  'ARTIFACT_SHA256',
  'ARTIFACT_SIZE_BYTES',
  'COMMIT_SHA',
  'FAILURE_REASON',
] as const;
/** No line of a script is this. */
const END_OF_FILE = '---- slipway: end of file ----';

/**
 * The buildspec of all builds, which are told apart by three ids in their environment. CodeBuild repeats each command in the log, so the
 * scripts beside this file come packed in one line; the log of a user's build would otherwise begin with their text.
 *
 * A source that cannot be built is no fault of the builder: such a build succeeds for CodeBuild and reports FAILURE_REASON, because only
 * then is it certain that what it exports is kept. It fails for CodeBuild when the builder itself was cut off.
 */
export function buildspec(): object {
  return {
    version: '0.2',
    env: { shell: 'bash', 'exported-variables': [...EXPORTED] },
    phases: {
      build: {
        commands: [
          'builder="$(mktemp -d)"',
          `base64 -d <<<'${packedScripts()}' | gunzip | bash -s "$builder"`,
          'bash "$builder/main.sh" || grep -q "^export FAILURE_REASON=" "$builder/exports"',
          '. "$builder/exports"',
        ],
      },
    },
  };
}

/** A script that writes all scripts into the folder it is given. The same files give the same text. */
function packedScripts(): string {
  const names = readdirSync(folder).filter((name) => /\.(sh|py)$/.test(name));
  const parts = names.sort().map((name) => {
    // A buildspec may have 25,600 characters. What the scripts say of themselves is for who reads them here.
    const text = readFileSync(new URL(name, folder), 'utf8').replaceAll(/^ *# .*\n/gm, '');
    return `cat >"$1/${name}" <<'${END_OF_FILE}'\n${text}${END_OF_FILE}\n`;
  });
  return gzipSync(`set -eu\n${parts.join('')}`, { level: 9 }).toString('base64');
}
