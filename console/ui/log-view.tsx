import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogEntry, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import type { LogType } from '../data/log-stream.ts';
import { LINES_MAX } from '../logic/log-buffer.ts';
import { spansOf } from '../logic/log-text.ts';
import { wordsOf } from '../logic/refusal.ts';
import { isMoving } from '../logic/status.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { arrowDownToLine } from './icons.ts';
import { focusSearch, useKeys } from './keys.ts';
import { LogTools, levels } from './log-tools.tsx';
import { oneOf, useParameters } from './parameters.ts';
import { Empty, Problem, Skeleton } from './states.tsx';
import { type Log, useLog } from './use-log.ts';

/** Which log is looked at first: that of the stage that went wrong, or goes on. */
const typeFor = ({ status }: Revision): LogType =>
  /^(?:CREATING|QUEUED|AWAITING_BUILD|BUILDING|BUILD_FAILED)$/.test(status) ? 'build' : 'deploy';

type Props = {
  revision: Revision;
  /** A choice of whose log it is. */
  which?: ComponentChildren;
};

/** The logs of a revision. What is looked at stands in the address. */
export function LogView({ revision, which }: Props) {
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
  const name = `revision-${numberOf(revision.id)}-${type}.log`;
  useKeys({ '/': focusSearch });
  return (
    <section class="card log" aria-labelledby="log-heading">
      <h2 id="log-heading" class="sr">
        Log
      </h2>
      <LogTools {...{ filters, change, isWrapped, setWrapped, which, place, name }} />
      <Lines {...{ log, isWrapped, line, link }} isLive={!isOver && !log.isEnded}>
        {line !== null && (
          <Button kind="quiet" isSmall onClick={() => change({ line: '', at: '' })}>
            Go to the newest lines
          </Button>
        )}
      </Lines>
    </section>
  );
}

type LinesProps = {
  log: Log;
  isWrapped: boolean;
  isLive: boolean;
  line: string | null;
  link: (entry: LogEntry) => void;
  /** What stands at the foot, beside how many lines there are. */
  children: ComponentChildren;
};

function Lines({ log, isWrapped, isLive, line, link, children }: LinesProps) {
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
      <Empty title={isLive ? 'No line yet. New ones appear by themselves.' : 'There is no such line'}>
        {children}
      </Empty>
    );
  return (
    <>
      {log.hasEarlier && <Earlier log={log} />}
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
      <Foot log={log} isFollowing={isLive && line === null}>
        {children}
      </Foot>
    </>
  );
}

function Earlier({ log: { lines, loadEarlier } }: { log: Log }) {
  const isFull = lines.length >= LINES_MAX;
  return (
    <button type="button" class="earlier" onClick={() => void loadEarlier()} disabled={isFull}>
      {isFull
        ? `The page shows ${LINES_MAX} lines at most; search, or download the log`
        : 'Load earlier lines'}
    </button>
  );
}

type FootProps = { log: Log; isFollowing: boolean; children: ComponentChildren };

const Foot = ({ log: { problem, lines }, isFollowing, children }: FootProps) => (
  <footer class="meta">
    <span class={isFollowing ? 'state busy' : 'state'} role="status">
      {problem !== undefined && wordsOf(problem)}
      {problem === undefined && isFollowing && (
        <>
          <Icon of={arrowDownToLine} /> Following
        </>
      )}
    </span>
    <span>{lines.length === 1 ? '1 line' : `${lines.length} lines`}</span>
    {children}
  </footer>
);

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
