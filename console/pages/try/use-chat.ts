import { useEffect, useState } from 'preact/hooks';
import type { AgentPlace } from '../../data/agent.ts';
import { ChatSession, type ChatState } from '../../data/chat-session.ts';
import type { Thread } from '../../logic/chat/threads.ts';

type Wish = {
  place: AgentPlace;
  threadId: string | undefined;
  onThread: (thread: Thread) => void;
  onEnd: () => void;
};

/** A hidden tab has no frames. */
const nextFrame = (draw: () => void): void => {
  if (document.visibilityState === 'hidden') setTimeout(draw, 0);
  else requestAnimationFrame(draw);
};

/** The chosen thread of an agent as it goes on. */
export function useChat({ place, threadId, onThread, onEnd }: Wish): {
  session: ChatSession;
  state: ChatState;
} {
  // What is told changes with each drawing; the session stays.
  const [told] = useState({ onThread, onEnd });
  Object.assign(told, { onThread, onEnd });
  const [session] = useState(
    () =>
      new ChatSession(place, {
        onState: (next) => setState(next),
        onThread: (thread) => told.onThread(thread),
        onEnd: () => told.onEnd(),
        nextFrame,
      }),
  );
  const [state, setState] = useState(session.state);
  useEffect(() => void session.open(threadId), [session, threadId]);
  useEffect(() => () => session.close(), [session]);
  return { session, state };
}
