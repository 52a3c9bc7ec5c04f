import { guessLevel, type LogLevel } from '../../contract/log-level.ts';
import { linesOf, withoutSequences } from '../../contract/terminal-text.ts';

/** Said in every line, or said by the entry itself: not worth a reader's time. */
const LEFT_OUT = new Set(
  `event message timestamp level severity levelname thread_name api_variant langgraph_api_version exception stack`.split(
    ' ',
  ),
);

export type AgentLine = { level: LogLevel; message: string };

/**
 * A line of an agent server as log lines: its JSON as `event key=value`, a traceback inside it as lines of
 * the same level; any other line as it is, without colours.
 */
export function agentLines(line: string): AgentLine[] {
  const entries = parsedLine(line);
  const level = guessLevel(withoutSequences(line));
  if (entries === undefined) return [{ level, message: withoutSequences(line) }];
  const said = entries.get('event') ?? entries.get('message');
  const rest = [...entries].filter(([key, value]) => !LEFT_OUT.has(key) && value !== null);
  const head = [textOf(said ?? ''), ...rest.map(([key, value]) => `${key}=${textOf(value)}`)]
    .join(' ')
    .trim();
  const trace = ['exception', 'stack'].flatMap((key) =>
    typeof entries.get(key) === 'string' ? [textOf(entries.get(key))] : [],
  );
  const lines = [head, ...trace].flatMap((text) => linesOf(withoutSequences(text)));
  return lines.filter((text) => text.trim() !== '').map((message) => ({ level, message }));
}

function parsedLine(line: string): Map<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const entries = new Map<string, unknown>(Object.entries(parsed));
    // Only what both servers write: an agent's own JSON output stays as it was.
    return entries.has('event') && entries.has('level') ? entries : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
