import { parseArgs } from 'node:util';
import type { Secret } from './langgraph.ts';
import type { StreamWish } from './switch.ts';

export const USAGE = `Usage: npm run verify:aws -- [options]

Deploys a new environment with a random name into the AWS account that your credentials are of, uses it as its users
would, prints what each step took and cost, and removes it again. Nothing of another environment is touched. It runs on
Linux, or anywhere with --compute fargate: else what is built is also run on this machine.

  --repo URL        also build a git repository (https, or ssh without a key): one with a start script or a langgraph.json,
                    best with a submodule
  --ref REF         its branch, or refs/tags/<tag>                       (default: main)
  --compute fargate run agents on Fargate in the account instead of on this machine, and look that nothing of them is left
  --secrets FILE    secrets of agent projects, NAME=value in each line: stores and a licence, which on Fargate they need
                    (POSTGRES_URI_CUSTOM, REDIS_URI_CUSTOM, LANGGRAPH_CLOUD_LICENSE_KEY)
  --stream-seconds N  how long a stream goes on while one revision replaces another; it is silent for a third of that
                    (default: 300)
  --clean NAME      only remove what an earlier run has left, by the name that it printed (verify-…)
  --help            print this

Credentials and region are found as the AWS CLI finds them (AWS_PROFILE, AWS_REGION, environment, sign-on). They must be
allowed to deploy: the CDK makes roles, functions, a table, a key and buckets.`;

/** The names of environments that are made here, and that may be removed without asking. */
const OWN_NAME = /^verify-[a-z0-9]{1,9}$/;

/** Where agents run: on Fargate; undefined: on this machine. */
export type Compute = 'fargate';

export type Wish =
  | { kind: 'help' }
  | { kind: 'clean'; environment: string }
  | {
      kind: 'verify';
      repository: { url: string; ref: string } | undefined;
      compute: Compute | undefined;
      /** A file of secrets for agent projects. */
      secretsFile: string | undefined;
      stream: StreamWish;
    };

/** The arguments are wrong; the message says which one and what it may be. */
export class OptionsError extends Error {}

/** Reads the arguments. Throws `OptionsError`. */
export function readWish(args: string[]): Wish {
  const { repo, ref, clean, compute, secrets, 'stream-seconds': seconds, help } = parseOrExplain(args);
  if (help === true) return { kind: 'help' };
  if (clean !== undefined) {
    if ([repo, ref, compute, secrets, seconds].some((each) => each !== undefined))
      throw new OptionsError('--clean goes alone.');
    if (!OWN_NAME.test(clean))
      throw new OptionsError(`--clean removes only what a run has made (verify-…), not '${clean}'.`);
    return { kind: 'clean', environment: clean };
  }
  if (repo === undefined && ref !== undefined) throw new OptionsError('--ref goes with --repo.');
  if (repo !== undefined && !/^(?:https|ssh):\/\/\S+$/.test(repo))
    throw new OptionsError(`--repo must be an https or ssh address, not '${repo}'.`);
  if (compute !== undefined && compute !== 'fargate')
    throw new OptionsError(`--compute must be fargate, not '${compute}'.`);
  const repository = repo === undefined ? undefined : { url: repo, ref: ref ?? 'main' };
  return { kind: 'verify', repository, compute, secretsFile: secrets, stream: streamOf(seconds ?? '300') };
}

const STREAM_SECONDS_MIN = 9;
const STREAM_SECONDS_MAX = 3000;

function streamOf(given: string): StreamWish {
  const seconds = Number(given);
  if (!Number.isInteger(seconds) || seconds < STREAM_SECONDS_MIN || seconds > STREAM_SECONDS_MAX)
    throw new OptionsError(
      `--stream-seconds must be a number from ${STREAM_SECONDS_MIN} to ${STREAM_SECONDS_MAX}, not '${given}'.`,
    );
  return { seconds, silentSeconds: Math.min(Math.floor(seconds / 3), SILENT_SECONDS_MAX) };
}
/** CloudFront cuts what is silent for 120 s. */
const SILENT_SECONDS_MAX = 100;

/** Reads a file of secrets: `NAME=value` in each line, beside comments and empty ones. Throws `OptionsError`. */
export function secretsIn(text: string): Secret[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.+)$/.exec(line) ?? [];
      // The line itself may be a secret.
      if (name === undefined || value === undefined)
        throw new OptionsError(`--secrets: each line is NAME=value, and number ${index + 1} is not.`);
      return { name, value };
    });
}

function parseOrExplain(args: string[]) {
  const text = { type: 'string' } as const;
  const options = {
    repo: text,
    ref: text,
    clean: text,
    compute: text,
    secrets: text,
    'stream-seconds': text,
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}
