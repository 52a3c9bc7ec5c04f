import { fileURLToPath } from 'node:url';
import { childEnvironment, ownVariables } from '../processes/environment.ts';
import type { GroupExit } from '../processes/group.ts';
import type { OutputLine } from '../processes/output.ts';
import { describeExit, type Processes, runCommand } from '../processes/run-command.ts';

export type UnpackRequest = {
  /** A tar file on this machine. Both paths are absolute. */
  file: string;
  /** An empty folder. */
  folder: string;
  /**
   * Of the bytes of `file`, in hex; looked at before anything is unpacked. Absent: it was checked already.
   */
  sha256?: string | undefined;
  /** `gzip`: nothing else is taken. `any`: gzip, Zstandard or none, by the first bytes. */
  compression: 'gzip' | 'any';
  /** Whether symbolic links may lead out of the folder. Nothing is ever written through one. */
  links: 'inside' | 'any';
  /** What all files together may have. */
  bytesMax: number;
  entriesMax: number;
};

/** What was read until the end of the archive, or until it was refused. */
export type ReadCounts = { entries: number; bytesInflated: number };

/** What the child process answers, in one line of JSON. */
export type UnpackAnswer = ReadCounts &
  ({ outcome: 'unpacked' } | { outcome: 'changed' } | { outcome: 'refused'; reason: string });

/** `counts` is absent when the child ended without an answer. */
export type Unpacked =
  | { outcome: 'unpacked' | 'changed'; counts: ReadCounts }
  | { outcome: 'refused'; reason: string; counts: ReadCounts | undefined };

/** A gigabyte in a hundred thousand files takes some ten seconds. What takes longer than this was made to. */
const PROCESSOR_SECONDS_MAX = 120;
/** Archives are read in pieces; only the names of links are kept. */
const HEAP_MEBIBYTES_MAX = 512;
const ANSWER_BYTES_MAX = 1024 * 1024;

const LIMITED = 'ulimit -c 0; ulimit -S -t "$1" || exit 1; shift; exec "$@"';

/**
 * Unpacks a tar file in a child process, so that this one neither inflates nor reads a byte of it, whatever
 * it holds. The child's processor time is limited. Throws the signal's reason when that aborts; then nothing
 * of the child is alive.
 */
export async function unpackArchive(
  processes: Processes,
  request: UnpackRequest,
  signal: AbortSignal,
  processorSecondsMax = PROCESSOR_SECONDS_MAX,
): Promise<Unpacked> {
  const main = fileURLToPath(new URL('./unpack-main.ts', import.meta.url));
  const [command, ...args] = unpackCommand(request, [main], processorSecondsMax);
  const lines: string[] = [];
  const exit = await runCommand(
    processes,
    {
      command,
      args,
      cwd: '/',
      environment: childEnvironment(ownVariables()),
      onLine: ({ stream, line }: OutputLine) => void (stream === 'stdout' && lines.push(line)),
      lineBytesMax: ANSWER_BYTES_MAX,
    },
    signal,
    { known: true },
  );
  return unpackedBy(exit, lines.join(''), processorSecondsMax);
}

/** The command that unpacks: `program` is what Node runs, with `answerFor` behind it. */
export function unpackCommand(
  request: UnpackRequest,
  program: readonly string[],
  processorSecondsMax = PROCESSOR_SECONDS_MAX,
): [command: string, ...args: string[]] {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MEBIBYTES_MAX}`, ...program];
  const limited = ['-c', LIMITED, 'sh', String(processorSecondsMax)];
  return ['/bin/sh', ...limited, ...node, JSON.stringify(request)];
}

/** What a child that has ended has unpacked, from how it ended and what it wrote to its standard output. */
export function unpackedBy(
  exit: GroupExit,
  stdout: string,
  processorSecondsMax = PROCESSOR_SECONDS_MAX,
): Unpacked {
  if (exit.code === 0) return parseAnswer(stdout);
  const reason =
    exit.signal === 'SIGXCPU'
      ? `unpacking it takes more than ${processorSecondsMax} s of processor time`
      : `the process that unpacks it ${describeExit(exit)}`;
  return { outcome: 'refused', reason, counts: undefined };
}

function parseAnswer(text: string): Unpacked {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by answer.ts
  const answer = JSON.parse(text) as UnpackAnswer;
  const counts = { entries: answer.entries, bytesInflated: answer.bytesInflated };
  return answer.outcome === 'refused'
    ? { outcome: 'refused', reason: answer.reason, counts }
    : { outcome: answer.outcome, counts };
}
