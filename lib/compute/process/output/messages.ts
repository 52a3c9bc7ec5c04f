import type { LogLevel } from '../../../contract/log-level.ts';
import type { WaitingLine } from '../../../listener/waiting-lines.ts';
import type { OutputStream } from '../../../processes/output.ts';
import type { Tail } from '../output-tail.ts';
import type { Masking } from './masking.ts';

/** How lines of output are read: those of an agent server as it writes them, any other as they are. */
export type OutputFormat = 'plain' | 'agent';

/** Whose output is read, and what of it may be read by others. */
export type OutputSource = {
  deploymentId: string;
  revisionId: string;
  masking: Masking;
  format: OutputFormat;
  /** Lines of an access log about these paths are requests of ours, and no reason of a failure. */
  ownPaths: readonly string[];
  /** A line of this level means that a server never will be ready, although it lives on. */
  fatalLevel?: LogLevel | undefined;
};

/** What the thread that reads output is told. A source is opened before anything of it comes. */
export type ToReader =
  /** `torn`: streams of which the beginning of a line is lost, so that no line may begin with its rest. */
  | { kind: 'open'; id: number; source: OutputSource; torn: readonly OutputStream[] }
  | { kind: 'bytes'; id: number; stream: OutputStream; bytes: Uint8Array }
  /** Nothing more comes of it. */
  | { kind: 'end'; id: number }
  /** Lines that were handed over have been taken; more may come. */
  | { kind: 'taken' }
  /** All lines that wait shall come now, whether those before have been taken or not. */
  | { kind: 'close' };

/** What it tells. Everything in it is masked. */
export type FromReader =
  | { kind: 'read'; id: number; bytes: number }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'ended'; id: number; tail: Tail }
  | { kind: 'lines'; lines: WaitingLine[] }
  | { kind: 'closed' };
