import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import type { AgentPlace } from '../../data/agent.ts';
import { headersFor } from '../../data/agent-headers.ts';
import type { ChatState } from '../../data/chat-session.ts';
import { codeOf, KEY_VARIABLE, languages, sealOf } from '../../logic/chat/code.ts';
import { messagesIn } from '../../logic/chat/message.ts';
import { studioAddress } from '../../logic/chat/reach.ts';
import { messagesOf } from '../../logic/chat/run.ts';
import { type Assistant, type Thread, titleOf } from '../../logic/chat/threads.ts';
import { seconds } from '../../logic/chat/timing.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { externalLink } from '../../ui/icons.ts';
import { ChatBar } from './chat-bar.tsx';
import { ChatBody } from './chat-body.tsx';
import { CodePanel } from './code-panel.tsx';
import { Columns, type Panel } from './columns.tsx';
import type { SentBody } from './parts.ts';
import { ThreadList } from './thread-list.tsx';
import { type GraphInput, useInput, useThreads } from './use-agent.ts';
import { useChat } from './use-chat.ts';

type Props = {
  place: AgentPlace;
  name: string;
  /** The revision that serves, by its number. */
  revision: number | undefined;
  assistants: readonly Assistant[];
  panel: Panel;
  closePanel: () => void;
};

/** What was done on a thread while it was open. A new one has no id; a run gives it one. */
type Own = { of: string | undefined; assistant?: string; sent?: SentBody };

/** Threads, what is said on the chosen one, and the same as code. */
export function Chat({ place, name, revision, assistants, panel, closePanel }: Props) {
  const [path, navigate] = useLocation();
  const [search] = useSearchParams();
  const threadId = search.get('thread') ?? undefined;
  const pathOf = (id: string | undefined) =>
    id === undefined ? path : `${path}?thread=${encodeURIComponent(id)}`;
  const threads = useThreads(place);
  const [held, setHeld] = useState<Own>({ of: undefined });
  const own = held.of === threadId ? held : { of: threadId };
  const { session, state } = useChat({
    place,
    threadId,
    onThread: ({ id }) => {
      setHeld((before) => ({ ...before, of: id }));
      navigate(pathOf(id), { replace: true });
      threads.refresh();
    },
    onEnd: threads.refresh,
  });
  const thread = threads.threads?.find(({ id }) => id === threadId);
  const assistant = answering(assistants, own.assistant, thread);
  const input = useInput(place, assistant?.id);
  // The list of threads in a dialog closes once one is chosen.
  useEffect(closePanel, [threadId]);
  if (assistant === undefined) return null;
  const run = (title: string, body: SentBody) => {
    const at = state.from === undefined ? {} : { checkpoint: state.from.checkpoint };
    setHeld({ ...own, assistant: assistant.id, sent: { ...body, ...at } });
    void session.run(assistant.id, titleOf(title), body);
  };
  return (
    <Columns
      title="Chat"
      sideTitle="Threads"
      side={
        <ThreadList {...{ threads, pathOf }} chosen={threadId} onNew={() => navigate(pathOf(undefined))} />
      }
      code={<CodeOfChat {...{ place, state, assistant, input, revision }} sent={own.sent} />}
      {...{ panel, closePanel }}
    >
      <ChatBar
        {...{ place, session, state, assistants, assistant }}
        choose={(id) => setHeld({ ...own, assistant: id })}
        title={thread?.title}
      />
      <ChatBody {...{ name, state, session, input, run }} />
    </Columns>
  );
}

/** Who answers: the one that was chosen, else whoever did on this thread. */
const answering = (
  assistants: readonly Assistant[],
  chosen: string | undefined,
  thread: Thread | undefined,
): Assistant | undefined =>
  assistants.find(({ id }) => id === chosen) ??
  assistants.find(({ id }) => id === thread?.assistant) ??
  assistants.find(({ graph }) => graph === thread?.graph) ??
  assistants[0];

type CodeProps = {
  place: AgentPlace;
  state: ChatState;
  assistant: Assistant;
  input: GraphInput | undefined;
  revision: number | undefined;
  sent: SentBody | undefined;
};

/** The last run as code, or one as it would begin. */
function CodeOfChat({ place, state, assistant, input, revision, sent }: CodeProps) {
  const seal = sealOf(headersFor(place.deploymentId));
  const body = withoutIds(sent) ?? firstBody(input);
  const name = assistant.name === assistant.graph ? assistant.graph : assistant.id;
  const run = { url: place.url, threadId: state.threadId, assistant: name, body };
  const studio = studioAddress(place.url);
  return (
    <CodePanel
      languages={languages}
      codeOf={(language) => codeOf(language, run, seal)}
      note={
        seal !== undefined
          ? `The same answer from your code. Put the key of the agent in ${KEY_VARIABLE}.`
          : 'The same answer from your code.'
      }
    >
      <section>
        <RunFacts state={state} revision={revision} />
        {studio !== undefined && (
          <ButtonLink isSmall isOutside icon={externalLink} href={studio}>
            Open in LangSmith Studio
          </ButtonLink>
        )}
      </section>
    </CodePanel>
  );
}

/** Ids of messages are the page's own: a program needs none. */
function withoutIds(sent: SentBody | undefined): SentBody | undefined {
  const messages = messagesIn(sent?.input);
  if (messages === undefined) return sent;
  return { ...sent, input: { messages: messages.map(({ id: _, ...message }) => message) } };
}

const firstBody = (input: GraphInput | undefined): SentBody =>
  input?.isChat === false
    ? { input: Object.fromEntries(input.fields.map(({ name }) => [name, null])) }
    : { input: { messages: [{ role: 'user', content: 'Hello' }] } };

function RunFacts({ state, revision }: { state: ChatState; revision: number | undefined }) {
  const { conversation, tookMilliseconds } = state;
  const calls = messagesOf(conversation).messages.reduce((sum, message) => sum + message.calls.length, 0);
  const isKnown = conversation.runId !== undefined;
  return (
    <>
      <h2>{isKnown ? 'This run' : 'This agent'}</h2>
      <dl>
        {isKnown && conversation.node !== undefined && (
          <>
            <dt>Step</dt>
            <dd class="said">
              {conversation.node}
              {conversation.step !== undefined && `, ${conversation.step}`}
            </dd>
          </>
        )}
        {tookMilliseconds !== undefined && (
          <>
            <dt>Took</dt>
            <dd>
              {seconds(tookMilliseconds)}
              {calls > 0 && `, ${calls} ${calls === 1 ? 'call of a tool' : 'calls of tools'}`}
            </dd>
          </>
        )}
        {revision !== undefined && (
          <>
            <dt>Revision</dt>
            <dd>{revision}</dd>
          </>
        )}
      </dl>
    </>
  );
}
