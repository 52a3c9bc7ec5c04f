import { useState } from 'preact/hooks';
import type { ChatSession, ChatState } from '../../data/chat-session.ts';
import { resumeOf } from '../../logic/chat/ask.ts';
import { type FormField, filled, initialOf } from '../../logic/chat/fields.ts';
import { type ChatMessage, messagesIn } from '../../logic/chat/message.ts';
import { type Interrupt, messagesOf } from '../../logic/chat/run.ts';
import { seconds } from '../../logic/chat/timing.ts';
import { Button } from '../../ui/button.tsx';
import { play, rotateCcw, square } from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { Messages, useFollowedEnd } from './messages.tsx';
import type { RunIt } from './parts.ts';
import { QuestionForm } from './question.tsx';
import { SchemaForm } from './schema-form.tsx';
import { Tree } from './tree.tsx';
import type { GraphInput } from './use-agent.ts';

type Props = {
  session: ChatSession;
  state: ChatState;
  /** Undefined while that is asked. */
  input: GraphInput | undefined;
  name: string;
  run: RunIt;
};

/** What was said on a thread, what the agent asks, and where the next message is written. */
export function ChatBody({ name, state, session, input, run }: Props) {
  const { conversation, activity, from, threadId } = state;
  const isRunning = activity === 'running' || activity === 'stopping';
  const { list, onScroll, toEnd } = useFollowedEnd(conversation);
  const start: RunIt = (title, body) => {
    toEnd();
    run(title, body);
  };
  const asks = !isRunning && from === undefined ? conversation.interrupts : [];
  const foot = { isRunning, isStopping: activity === 'stopping', onStop: () => void session.stop() };
  return (
    <>
      <div
        ref={list}
        class="msgs"
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-busy={isRunning}
      >
        <Said name={name} state={state} isRunning={isRunning} />
        {asks.length > 0 && (
          <Questions
            key={asks.map(({ id }) => id).join()}
            asks={asks}
            onAnswers={(command) => start('', { command })}
          />
        )}
      </div>
      <div class="composer">
        {from !== undefined && <GoingOnFrom session={session} runAgain={() => start('', { input: null })} />}
        {input === undefined && activity !== 'loading' && <Skeleton rows={1} />}
        {input?.isChat === true && (
          <Composer
            key={threadId === undefined ? 'new' : 'thread'}
            label={`Message ${name}`}
            closed={asks.length > 0 ? 'Answer the question above to go on' : undefined}
            onSend={(text) => start(text, { input: messageInput(text) })}
            {...foot}
          />
        )}
        {input?.isChat === false && (
          <InputForm
            fields={input.fields}
            onRun={(value) => start(titleOfInput(value), { input: value })}
            {...foot}
          />
        )}
      </div>
    </>
  );
}

type SaidProps = { name: string; state: ChatState; isRunning: boolean };

/** Everything on a thread but what is asked now. */
function Said({ name, state, isRunning }: SaidProps) {
  const { conversation, timings, activity, error, tookMilliseconds, wasStopped } = state;
  const shown = messagesOf(conversation);
  const isEmpty = shown.messages.length === 0 && conversation.values === undefined;
  return (
    <>
      {activity === 'loading' && <Skeleton rows={3} />}
      {activity === 'idle' && isEmpty && error === undefined && <First name={name} />}
      {shown.isCut && <p class="meta">Earlier messages are left out of this page.</p>}
      <Messages
        messages={shown.messages}
        timings={timings}
        isArriving={isRunning}
        took={tookMilliseconds === undefined ? undefined : seconds(tookMilliseconds)}
      />
      <Result state={state} hasMessages={messagesIn(conversation.values) !== undefined} />
      {isRunning && !isSeenToArrive(shown.messages.at(-1)) && (
        <p class="meta" role="status">
          {conversation.node === undefined ? 'Waiting for the agent' : `Working on ${conversation.node}`}
          <span class="caret" />
        </p>
      )}
      {wasStopped && <p class="meta">Stopped. What was not finished is not on the thread.</p>}
      {!isRunning && conversation.error !== undefined && (
        <div class="problem" role="alert">
          <p class="said">{conversation.error}</p>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

/** Words that grow are sign of life enough. */
const isSeenToArrive = (last: ChatMessage | undefined): boolean =>
  last?.from === 'agent' && last.text !== '' && last.calls.length === 0;

/** An earlier step is chosen: what comes next, and the way back. */
const GoingOnFrom = ({ session, runAgain }: { session: ChatSession; runAgain: () => void }) => (
  <Notice
    action={
      <Button isSmall onClick={() => void session.goFrom(undefined)}>
        Back to the end
      </Button>
    }
  >
    You go on from an earlier step: write a message, or{' '}
    <button type="button" class="link" onClick={runAgain}>
      run it again from here
    </button>
    .
  </Notice>
);

const messageInput = (content: string) => ({
  messages: [{ type: 'human', content, id: crypto.randomUUID() }],
});

const titleOfInput = (value: object): string =>
  Object.values(value)
    .filter((each) => typeof each === 'string' || typeof each === 'number')
    .join(' ') || 'Run';

const First = ({ name }: { name: string }) => (
  <Empty title={`Talk with ${name}`} picture="talk">
    <p>Your messages go from this browser to the agent itself, as its users' do.</p>
  </Empty>
);

/** What a graph without messages has come to. */
function Result({ state, hasMessages }: { state: ChatState; hasMessages: boolean }) {
  const { values } = state.conversation;
  if (hasMessages || values === undefined || values === null) return null;
  return (
    <div class="ans">
      <b>Values</b>
      <div class="tree-box">
        <Tree value={values} />
      </div>
    </div>
  );
}

/** The questions of a run, one after the other; all answers go back at once. */
function Questions({
  asks,
  onAnswers,
}: {
  asks: readonly Interrupt[];
  onAnswers: (command: unknown) => void;
}) {
  const [answers, setAnswers] = useState<{ id: string; value: unknown }[]>([]);
  const interrupt = asks[answers.length];
  if (interrupt === undefined) return null;
  return (
    <QuestionForm
      key={interrupt.id}
      interrupt={interrupt}
      count={asks.length > 1 ? `${answers.length + 1} of ${asks.length}` : undefined}
      onAnswer={(value) => {
        const all = [...answers, { id: interrupt.id, value }];
        setAnswers(all);
        if (all.length === asks.length) onAnswers({ resume: resumeOf(all) });
      }}
    />
  );
}

type InputProps = {
  fields: readonly FormField[];
  isRunning: boolean;
  isStopping: boolean;
  onRun: (value: object) => void;
  onStop: () => void;
};

/** What a graph takes that takes no messages. */
function InputForm({ fields, isRunning, isStopping, onRun, onStop }: InputProps) {
  const [typed, setTyped] = useState(() => initialOf(fields));
  const [problems, setProblems] = useState<Record<string, string>>({});
  return (
    <form
      class="input-form"
      aria-label="Input"
      onSubmit={(event) => {
        event.preventDefault();
        const form = filled(fields, typed);
        setProblems(form.problems);
        if (Object.keys(form.problems).length === 0) onRun(form.value);
      }}
    >
      <SchemaForm fields={fields} typed={typed} set={setTyped} problems={problems} />
      <div class="line">
        {isRunning ? (
          <Button icon={square} busy={isStopping && 'Stopping'} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button kind="primary" type="submit" icon={play}>
            Run
          </Button>
        )}
        {!isRunning && (
          <Button kind="quiet" icon={rotateCcw} onClick={() => setTyped(initialOf(fields))}>
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}
