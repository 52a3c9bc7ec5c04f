import type { AgentPlace } from '../../data/agent.ts';
import { readHistory, readState } from '../../data/agent-run.ts';
import type { Checkpoint } from '../../logic/chat/threads.ts';
import { Button } from '../../ui/button.tsx';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { gitFork } from '../../ui/icons.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Tree } from './tree.tsx';
import { useAnswer } from './use-answer.ts';

type Props = { place: AgentPlace; threadId: string; onClose: () => void };

/** What a thread holds, as a tree. */
export function StateDialog({ place, threadId, onClose }: Props) {
  const { data, error, isPending } = useAnswer(threadId, (signal) => readState(place, threadId, signal));
  return (
    <Dialog title="State of the thread" onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      {isPending && <Skeleton rows={4} />}
      {data !== undefined && (
        <div class="tree-box" tabIndex={0} role="group" aria-label="State">
          <Tree value={data} />
        </div>
      )}
      <form method="dialog" class="actions">
        <Button type="submit">Close</Button>
      </form>
    </Dialog>
  );
}

/** The steps of a thread, to go on from one of them another way. */
export function HistoryDialog({
  place,
  threadId,
  onClose,
  onChoose,
}: Props & { onChoose: (from: Checkpoint) => void }) {
  const { data, error, isPending } = useAnswer(threadId, (signal) => readHistory(place, threadId, signal));
  return (
    <Dialog title="Where do you want to go on from?" onClose={onClose}>
      <p class="dim">
        The thread goes another way from that step on. What came after it stays in its history.
      </p>
      {error !== undefined && <Problem error={error} />}
      {isPending && <Skeleton rows={4} />}
      {data?.length === 0 && <Empty title="This thread has no steps yet" />}
      {data !== undefined && data.length > 0 && (
        <ul class="steps">
          {data.map((each) => (
            <li key={each.id}>
              <span>
                <b>{each.says}</b>
                <span class="meta">
                  {each.messages} {each.messages === 1 ? 'message' : 'messages'}
                  {each.at !== undefined && (
                    <span class="sep">
                      <Time at={each.at} />
                    </span>
                  )}
                </span>
              </span>
              <Button
                isSmall
                icon={gitFork}
                label={`Go on from here: ${each.says}, step ${each.step ?? ''}`}
                onClick={({ currentTarget }) => {
                  onChoose(each);
                  closeDialog(currentTarget);
                }}
              >
                Go on from here
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form method="dialog" class="actions">
        <Button type="submit">Close</Button>
      </form>
    </Dialog>
  );
}
