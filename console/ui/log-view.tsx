import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogEntry, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { type LogFilters, type LogType, wholeLog } from '../data/log-stream.ts';
import { LINES_MAX } from '../logic/log-buffer.ts';
import { spansOf } from '../logic/log-text.ts';
import { wordsOf } from '../logic/refusal.ts';
import { isMoving } from '../logic/status.ts';
import { focusSearch, useKeys } from './keys.ts';
import { oneOf, useParameters } from './parameters.ts';
import { SearchField } from './search-field.tsx';
import { Empty, Problem, Skeleton } from './states.tsx';
import { type Log, useLog } from './use-log.ts';

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;

/** Which log is looked at first: that of the stage that went wrong, or goes on. */
const typeFor = ({ status }: Revision): LogType =>
  /^(?:CREATING|QUEUED|AWAITING_BUILD|BUILDING|BUILD_FAILED)$/.test(status) ? 'build' : 'deploy';

/** The logs of a revision. What is looked at stands in the address. */
export function LogView({ revision }: { revision: Revision }) {
  const [search, change] = useParameters();
  const [first] = useState(() => typeFor(revision));
  const asked = search.get('log');
  const type: LogType = asked === 'build' || asked === 'deploy' ? asked : first;
  const line = search.get('line');
  const from = line === null ? undefined : Number(search.get('at'));
  const [isWrapped, setWrapped] = useState(true);
  const place = { deploymentId: revision.deployment_id, revisionId: revision.id };
  const filters = { type, level: oneOf(levels, search.get('level')), query: search.get('q') ?? '' };
  const isOver = type === 'build' && !isMoving(revision.status);
  // Its last lines may come after the status that they explain, so what is over is followed to its end too.
  const log = useLog({ place, filters, isFollowed: from === undefined, from });
  const link = ({ id, timestamp }: LogEntry) => change({ log: type, line: id, at: String(timestamp) });
  useKeys({ '/': focusSearch });
  return (
    <section class="log" aria-labelledby="log-heading">
      <h2 id="log-heading">Log</h2>
      <Tools {...{ filters, change, isWrapped, setWrapped }}>
        <Download place={place} type={type} name={`revision-${numberOf(revision.id)}-${type}.log`} />
      </Tools>
      <Lines {...{ log, isWrapped, line, link }} isLive={!isOver && !log.isEnded} />
      {line !== null && (
        <button type="button" onClick={() => change({ line: '', at: '' })}>
          Go to the newest lines
        </button>
      )}
    </section>
  );
}

type ToolsProps = {
  filters: LogFilters;
  change: (changes: Record<string, string>) => void;
  isWrapped: boolean;
  setWrapped: (isWrapped: boolean) => void;
  children: ComponentChildren;
};

function Tools({ filters, change, isWrapped, setWrapped, children }: ToolsProps) {
  return (
    <div class="log-tools">
      <fieldset class="choice" aria-label="Which log">
        {(['build', 'deploy'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={filters.type === each}
            onClick={() => change({ log: each, line: '', at: '' })}
          >
            {each === 'build' ? 'Build' : 'Deploy and server'}
          </button>
        ))}
      </fieldset>
      <SearchField
        label="Lines that contain"
        placeholder="Search"
        text={filters.query}
        set={(q) => change({ q, line: '', at: '' })}
      />
      <select
        aria-label="At least this level"
        value={filters.level}
        onChange={({ currentTarget }) => change({ level: currentTarget.value })}
      >
        <option value="">Every level</option>
        {levels.slice(1).map((level) => (
          <option key={level} value={level}>
            {level === 'ERROR' ? 'Errors' : `${level.charAt(0)}${level.slice(1).toLowerCase()} and above`}
          </option>
        ))}
      </select>
      <label class="check">
        <input type="checkbox" checked={isWrapped} onChange={() => setWrapped(!isWrapped)} /> Wrap
      </label>
      {children}
    </div>
  );
}

type LinesProps = {
  log: Log;
  isWrapped: boolean;
  isLive: boolean;
  line: string | null;
  link: (entry: LogEntry) => void;
};

function Lines({ log, isWrapped, isLive, line, link }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const wasAt = useRef<string | null>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    if (line !== null && wasAt.current !== line && log.lines.length > 0) {
      wasAt.current = line;
      current.querySelector('.line.chosen')?.scrollIntoView({ block: 'center' });
    } else if (line === null && sticks.current) current.scrollTop = current.scrollHeight;
  }, [log.lines, line]);
  if (log.isLoading) return <Skeleton />;
  if (log.problem !== undefined && log.lines.length === 0) return <Problem error={log.problem} />;
  if (log.lines.length === 0)
    return (
      <Empty title={isLive ? 'No line yet. New ones appear by themselves.' : 'There is no such line.'} />
    );
  return (
    <>
      {log.hasEarlier && (
        <button
          type="button"
          class="earlier"
          onClick={() => void log.loadEarlier()}
          disabled={log.lines.length >= LINES_MAX}
        >
          {log.lines.length >= LINES_MAX
            ? `The page shows ${LINES_MAX} lines at most; search, or download the log`
            : 'Load earlier lines'}
        </button>
      )}
      <div
        ref={box}
        class={isWrapped ? 'lines wrapped' : 'lines'}
        role="log"
        aria-live="off"
        aria-label="Lines of the log"
        tabIndex={0}
        onClick={({ target }) => {
          const id = target instanceof HTMLElement ? target.dataset.line : undefined;
          const entry = log.lines.find((each) => each.id === id);
          if (entry !== undefined) link(entry);
        }}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          sticks.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {log.lines.map((entry) =>
          entry.id === line ? <Line key={entry.id} entry={entry} isChosen /> : drawn(entry),
        )}
      </div>
      <p class="small quiet" role="status">
        {log.problem === undefined
          ? isLive && line === null
            ? 'Following'
            : `${log.lines.length} lines`
          : wordsOf(log.problem)}
      </p>
    </>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function Line({ entry, isChosen = false }: { entry: LogEntry; isChosen?: boolean }) {
  return (
    <div class={`line ${entry.level}${isChosen ? ' chosen' : ''}`}>
      <button type="button" class="stamp" tabIndex={-1} data-line={entry.id} title="Link to this line">
        {clock.format(entry.timestamp)}
      </button>
      <span class="text">
        {spansOf(entry.message).map(({ text, className }, index) =>
          className === '' ? (
            text
          ) : (
            <span key={index} class={className}>
              {text}
            </span>
          ),
        )}
      </span>
    </div>
  );
}

/** A line never changes: drawn once, it is passed over when others come. */
const known = new WeakMap<LogEntry, preact.JSX.Element>();
function drawn(entry: LogEntry): preact.JSX.Element {
  const before = known.get(entry);
  if (before !== undefined) return before;
  const line = <Line key={entry.id} entry={entry} />;
  known.set(entry, line);
  return line;
}

function Download({
  place,
  type,
  name,
}: {
  place: Parameters<typeof wholeLog>[0];
  type: LogType;
  name: string;
}) {
  const [count, setCount] = useState<number>();
  const [problem, setProblem] = useState(false);
  const download = async () => {
    setProblem(false);
    setCount(0);
    const url = URL.createObjectURL(await wholeLog(place, type, setCount));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button
      type="button"
      disabled={count !== undefined}
      onClick={() =>
        void download()
          .catch(() => setProblem(true))
          .finally(() => setCount(undefined))
      }
    >
      {problem ? 'Download failed; again?' : count === undefined ? 'Download' : `${count} lines…`}
    </button>
  );
}
