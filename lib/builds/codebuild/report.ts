import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { REPORTED } from './reported.ts';

type Reported = (typeof REPORTED)[number];

/** Longer reasons are cut: a status message is stored with its revision. */
const REASON_CHARACTERS_MAX = 1000;

/** Says something in the log of the build. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The file `exports` in a folder: lines of shell, which the buildspec reads. */
export function openReport(folder: string) {
  const file = join(folder, 'exports');
  let commitSha: string | undefined;
  let mask: Mask = (text) => text;
  const write = (name: Reported, value: string) => appendFileSync(file, line(name, value));
  writeFileSync(file, '');
  return {
    write,
    /** From now on no reason holds these values. */
    hide(values: readonly string[]): void {
      mask = createMask(values);
    },
    commit(sha: string): void {
      commitSha = sha;
      write('COMMIT_SHA', sha);
    },
    /** Says in the log what broke the builder itself. */
    broke(error: unknown): void {
      say(mask(error instanceof Error ? error.message : String(error)));
    },
    /**
     * A build that failed has made nothing: only the commit may be told. The reason is the last line of the
     * log, too.
     */
    failed(why: string): void {
      const reason = mask(why)
        .replaceAll(/\p{Cc}/gu, ' ')
        .slice(0, REASON_CHARACTERS_MAX);
      writeFileSync(file, commitSha === undefined ? '' : line('COMMIT_SHA', commitSha));
      write('FAILURE_REASON', reason);
      say(`ERROR: ${reason}`);
    },
  };
}

export type Report = ReturnType<typeof openReport>;

const line = (name: Reported, value: string): string =>
  `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
