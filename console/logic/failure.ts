/** A reason as it is told: what went wrong, and the last lines of output that say why. */
export type Failure = { title: string; lines: { text: string; isHit: boolean }[] };

const LINES_MAX = 12;
const AROUND = /(?::| Its last lines of output:)$/;
/** What npm and shells print before they run a command. */
const ECHO = /^(?:[>$+#] |> *$)/;
const HIT = /\b(?:error|fatal|exception|cannot|can't|not found|failed|denied|missing|no such|unable)\b/i;

const isHit = (line: string): boolean => HIT.test(line) && !ECHO.test(line);

/** The last lines; where they name no failure, those that begin with the last one that does: above a stack. */
function aroundHit(lines: string[]): string[] {
  const last = lines.slice(-LINES_MAX);
  if (last.some(isHit)) return last;
  const hit = lines.findLastIndex(isHit);
  return hit < 0 ? last : lines.slice(hit, hit + LINES_MAX);
}

/** What a revision's status_message tells. The lines that name a failure are hits; without one, the last is. */
export function failureOf(message: string): Failure {
  const [first = '', ...rest] = message.split('\n');
  const shown = aroundHit(rest.filter((line) => line.trim() !== ''));
  const hits = shown.map(isHit);
  const isAny = hits.includes(true);
  return {
    title: first.replace(AROUND, '').replace(/\.$/, ''),
    lines: shown.map((text, index) => ({
      text,
      isHit: isAny ? hits[index] === true : index === shown.length - 1,
    })),
  };
}

/** What a revision that failed means for who uses the deployment; `active`: the number of what serves. */
export const effectOf = (active: number | null): string =>
  active === null
    ? 'Nothing serves yet: whoever calls the address gets no answer.'
    : `Your users saw nothing: revision ${active} still serves.`;
