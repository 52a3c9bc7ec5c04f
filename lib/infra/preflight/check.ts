/** What was found out about one thing that a deploy needs of the account. */
export type Check = {
  what: string;
  /** `lack`: a deploy would fail, or what it makes could do nothing. `unknown`: it may not be asked. */
  state: 'ok' | 'low' | 'lack' | 'unknown';
  /** What the account has. */
  there: string;
  needed: string;
  /** Where to get what is missing, or what comes of it. */
  advice?: string;
};

export type CheckAnswer = Omit<Check, 'what' | 'needed'>;

/** A question to the account; what is refused or does not answer is unknown, and stops nothing. */
export type Question = { what: string; needed: string; ask: () => Promise<CheckAnswer> };

/** Asks all at the same time. */
export const answers = (questions: readonly Question[]): Promise<Check[]> =>
  Promise.all(
    questions.map(async ({ what, needed, ask }) => ({
      what,
      needed,
      ...(await ask().catch((error: unknown) => unknown(error))),
    })),
  );

function unknown(error: unknown): CheckAnswer {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { state: 'unknown', there: 'not known', advice: `${name}: ${message.split('\n')[0]}` };
}

const WORDS = { ok: 'ok', low: 'LOW', lack: 'MISSING', unknown: '?' } as const;

/** The checks as lines of a table; what is missing says below where to get it. */
export function tableOf(checks: readonly Check[]): string[] {
  const rows = [
    ['', 'In the account', 'Needed', 'There'],
    ...checks.map(({ state, what, needed, there }) => [WORDS[state], what, needed, there]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const advice = checks.flatMap(({ what, advice: text }) =>
    text === undefined ? [] : [`- ${what}: ${text}`],
  );
  return [...table, ...advice];
}
