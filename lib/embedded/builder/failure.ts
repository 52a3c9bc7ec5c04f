/** Why a running build is ended from outside of its steps. */
export class BuildAborted extends Error {
  readonly why: 'stopped' | 'closing' | 'too_long' | 'too_large';

  constructor(why: BuildAborted['why']) {
    super(`The build was ended: ${why}`);
    this.name = 'BuildAborted';
    this.why = why;
  }
}

/** A status message is stored with the revision, so it stays small. */
const MESSAGE_LENGTH_MAX = 2_000;

/** The summary and as much of the end of the output as fits. */
export function failureMessage(summary: string, lastLines: readonly string[]): string {
  const head = summary.length > MESSAGE_LENGTH_MAX ? `${summary.slice(0, MESSAGE_LENGTH_MAX - 1)}…` : summary;
  const room = MESSAGE_LENGTH_MAX - head.length - 2;
  const output = lastLines.join('\n');
  if (output === '' || room < 1) return head;
  return `${head}:\n${output.length <= room ? output : `…${output.slice(output.length - room + 1)}`}`;
}
