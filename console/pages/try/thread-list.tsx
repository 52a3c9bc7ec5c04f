import { Link } from 'wouter-preact';
import type { Thread } from '../../logic/chat/threads.ts';
import { Button } from '../../ui/button.tsx';
import { plus } from '../../ui/icons.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { Threads } from './use-agent.ts';

/** What the status of a thread means for who looks. */
const words: Record<Thread['status'], string> = {
  idle: 'Done',
  busy: 'Answering',
  interrupted: 'Waits for you',
  error: 'Failed',
};

type Props = {
  threads: Threads;
  chosen: string | undefined;
  /** The address of a thread; undefined: of a new one. */
  pathOf: (id: string | undefined) => string;
  onNew: () => void;
};

/** The threads of an agent, the newest first. */
export const ThreadList = ({
  threads: { threads, isLast, error, more, refresh },
  chosen,
  pathOf,
  onNew,
}: Props) => (
  <>
    <div class="line">
      <b>Threads</b>
      <span class="push" />
      <Button kind="quiet" isSmall icon={plus} label="New thread" onClick={onNew} />
    </div>
    {error !== undefined && <Problem error={error} retry={refresh} />}
    {threads === undefined && error === undefined && <Skeleton rows={3} />}
    {threads?.length === 0 && <p class="meta none-yet">Your first message begins a thread.</p>}
    {threads?.map(({ id, title, status, updatedAt }) => (
      <Link
        key={id}
        class="t"
        href={pathOf(id)}
        aria-current={id === chosen ? 'true' : undefined}
        title={title}
      >
        <b class="cut">{title}</b>
        <span class="meta cut">
          {words[status]}
          {updatedAt !== undefined && (
            <span class="sep">
              <Time at={updatedAt} />
            </span>
          )}
        </span>
      </Link>
    ))}
    {!isLast && (
      <Button kind="quiet" isSmall onClick={() => void more()}>
        Show older threads
      </Button>
    )}
  </>
);
