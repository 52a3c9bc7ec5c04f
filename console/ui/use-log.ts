import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogEntry } from '../../lib/client/endpoints.ts';
import { followLog, type LogFilters, type LogPlace, readLog } from '../data/log-stream.ts';
import { appended, emptyLog, type LogBuffer, prepended } from '../logic/log-buffer.ts';

const FIRST_LINES = 1_000;
/** Around a line that a link leads to. */
const BEFORE_LINES = 200;

export type Log = LogBuffer & {
  isLoading: boolean;
  /** Nothing follows any more. */
  isEnded: boolean;
  problem: Error | undefined;
  loadEarlier: () => Promise<void>;
};

type Wish = {
  place: LogPlace;
  filters: LogFilters;
  /** Goes on with new lines as they come. */
  isFollowed: boolean;
  /** Epoch milliseconds of the line that a link leads to. */
  from: number | undefined;
};

/** The lines of a log: the newest ones or those around a link's, and what comes after them. */
export function useLog({ place, filters, isFollowed, from }: Wish): Log {
  const [buffer, setBuffer] = useState<LogBuffer>(emptyLog);
  const [isLoading, setLoading] = useState(true);
  const [isEnded, setEnded] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const earlier = useRef<string>();
  const name = JSON.stringify([place, filters, from]);
  const append = useFrames((lines: LogEntry[]) => setBuffer((before) => appended(before, lines)));

  useEffect(() => {
    const gone = new AbortController();
    setBuffer(emptyLog);
    setLoading(true);
    setEnded(false);
    setProblem(undefined);
    const begin = async () => {
      const first = await firstLines(place, filters, from, gone.signal);
      earlier.current = first.earlier;
      setBuffer({ lines: first.lines, hasEarlier: first.earlier !== undefined, isBehind: false });
      setLoading(false);
      if (!isFollowed) return;
      const after = first.lines.at(-1)?.id;
      const options = { after, signal: gone.signal, onProblem: setProblem };
      for await (const line of followLog(place, filters, options)) append(line);
      setEnded(true);
    };
    begin().catch((error: unknown) => {
      if (gone.signal.aborted) return;
      setLoading(false);
      setProblem(error instanceof Error ? error : new Error(String(error)));
    });
    return () => gone.abort();
  }, [name, isFollowed]);

  const loadEarlier = async () => {
    const page = await readLog(place, filters, { order: 'desc', offset: earlier.current });
    earlier.current = page.next ?? undefined;
    setBuffer((before) => prepended(before, page.lines, page.next !== null));
  };
  return { ...buffer, isLoading, isEnded, problem, loadEarlier };
}

async function firstLines(
  place: LogPlace,
  filters: LogFilters,
  from: number | undefined,
  signal: AbortSignal,
) {
  if (from === undefined) {
    const { lines, next } = await readLog(place, filters, { order: 'desc', limit: FIRST_LINES }, signal);
    return { lines, earlier: next ?? undefined };
  }
  const before = await readLog(
    place,
    filters,
    { order: 'desc', from: from - 1, limit: BEFORE_LINES },
    signal,
  );
  const after = await readLog(place, filters, { order: 'asc', from, limit: FIRST_LINES }, signal);
  return { lines: [...before.lines, ...after.lines], earlier: before.next ?? undefined };
}

/** Hands over what has gathered once a frame: a log may come in thousands of pieces. */
function useFrames<T>(take: (items: T[]) => void): (item: T) => void {
  const waiting = useRef<T[]>([]);
  const isAsked = useRef(false);
  return (item) => {
    waiting.current.push(item);
    if (isAsked.current) return;
    isAsked.current = true;
    requestAnimationFrame(() => {
      isAsked.current = false;
      take(waiting.current.splice(0));
    });
  };
}
