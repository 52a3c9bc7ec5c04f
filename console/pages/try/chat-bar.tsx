import { useState } from 'preact/hooks';
import type { AgentPlace } from '../../data/agent.ts';
import type { ChatSession, ChatState } from '../../data/chat-session.ts';
import type { Assistant } from '../../logic/chat/threads.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { bot, braces, circleX, gitFork, hand, loaderCircle } from '../../ui/icons.ts';
import { HistoryDialog, StateDialog } from './thread-dialogs.tsx';

type Props = {
  place: AgentPlace;
  session: ChatSession;
  state: ChatState;
  title: string | undefined;
  assistants: readonly Assistant[];
  assistant: Assistant;
  choose: (id: string) => void;
};

/** Above a thread: what it is about, how it stands, and who answers. */
export function ChatBar({ place, session, state, title, assistants, assistant, choose }: Props) {
  const [open, setOpen] = useState<'state' | 'history'>();
  const { threadId, activity } = state;
  const close = () => setOpen(undefined);
  const isAtRest = threadId !== undefined && (activity === 'idle' || activity === 'loading');
  return (
    <div class="chat-bar">
      <b class="cut" title={title}>
        {threadId === undefined ? 'New thread' : (title ?? 'Thread')}
      </b>
      <Standing state={state} />
      <span class="push" />
      {assistants.length > 1 && (
        <Choice
          label="Assistant"
          isSmall
          icon={bot}
          value={assistant.id}
          options={assistants.map(({ id, name, graph }) => ({
            value: id,
            title: name,
            hint: name === graph ? undefined : graph,
          }))}
          onChange={choose}
        />
      )}
      {threadId !== undefined && (
        <>
          <Button
            kind="quiet"
            isSmall
            icon={gitFork}
            label="Go on from an earlier step"
            disabled={!isAtRest}
            onClick={() => setOpen('history')}
          />
          <Button
            kind="quiet"
            isSmall
            icon={braces}
            label="State of the thread"
            onClick={() => setOpen('state')}
          />
        </>
      )}
      {open === 'state' && threadId !== undefined && (
        <StateDialog place={place} threadId={threadId} onClose={close} />
      )}
      {open === 'history' && threadId !== undefined && (
        <HistoryDialog
          place={place}
          threadId={threadId}
          onClose={close}
          onChoose={(from) => void session.goFrom(from)}
        />
      )}
    </div>
  );
}

/** How the thread stands, where there is something to say. */
function Standing({ state: { activity, conversation } }: { state: ChatState }) {
  if (activity === 'running' || activity === 'stopping')
    return (
      <Badge tone="busy" icon={loaderCircle} isTurning>
        Answering
      </Badge>
    );
  if (conversation.interrupts.length > 0)
    return (
      <Badge tone="warn" icon={hand}>
        Waits for you
      </Badge>
    );
  if (conversation.error !== undefined)
    return (
      <Badge tone="bad" icon={circleX}>
        Failed
      </Badge>
    );
  return null;
}
