import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../../../lib/client/refusal.ts';
import { type AgentPlace, Unreachable } from '../../data/agent.ts';
import { askServer, type ServerAnswer } from '../../data/server.ts';
import { parsed } from '../../logic/chat/json.ts';
import { methods, presets, serverCurl, type TypedRequest } from '../../logic/server-request.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { send as sendIcon, square } from '../../ui/icons.ts';
import { Problem } from '../../ui/states.tsx';
import { CodePanel } from './code-panel.tsx';
import { Columns, type Panel } from './columns.tsx';
import { Tree } from './tree.tsx';

/** What comes after is dropped from the page: a browser shows no more in reasonable time. */
const SHOWN_CHARACTERS_MAX = 500_000;
const FIRST: TypedRequest = { method: 'GET', path: '/ok', headers: '', body: '' };

/** A request at a time, how far its answer has come, and what was wrong with it. */
function useAsked(place: AgentPlace) {
  const [answer, setAnswer] = useState<ServerAnswer>();
  const [text, setText] = useState('');
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController>();
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  const send = async (request: TypedRequest) => {
    stop();
    const own = (running.current = new AbortController());
    setAnswer(undefined);
    setText('');
    setError(undefined);
    setBusy(true);
    const onText = (more: string) => setText((before) => (before + more).slice(0, SHOWN_CHARACTERS_MAX));
    try {
      await askServer(place, request, { signal: own.signal, onAnswer: setAnswer, onText });
    } catch (refused) {
      if (own.signal.aborted) return;
      const isSaid = refused instanceof Refusal || refused instanceof Unreachable;
      setError(isSaid ? refused : new Error('The answer broke off before its end.'));
    } finally {
      if (running.current === own) setBusy(false);
    }
  };
  return { answer, text, error, isBusy, send, stop };
}

type Props = { place: AgentPlace; panel: Panel; closePanel: () => void };

/** Sends a request to a server, and shows the answer as it comes. */
export function RequestForm({ place, panel, closePanel }: Props) {
  const [request, setRequest] = useState(FIRST);
  const asked = useAsked(place);
  const code = (
    <CodePanel
      languages={['curl']}
      codeOf={() => serverCurl(place.url, request)}
      note="The same request for a terminal, to the server itself."
    />
  );
  return (
    <Columns title="Request" code={code} panel={panel} closePanel={closePanel}>
      <div class="msgs tool">
        <div class="line presets">
          <span class="meta">Begin with</span>
          {presets.map((preset) => (
            <Button key={preset.title} isSmall onClick={() => setRequest(preset.request)}>
              {preset.title}
            </Button>
          ))}
        </div>
        <form
          class="input-form"
          aria-label="Request"
          onSubmit={(event) => {
            event.preventDefault();
            void asked.send(request);
          }}
        >
          <Fields request={request} set={setRequest} />
          <div class="line">
            <Button kind="primary" type="submit" icon={sendIcon} busy={asked.isBusy && 'Waiting'}>
              Send request
            </Button>
            {asked.isBusy && (
              <Button icon={square} onClick={asked.stop}>
                Stop
              </Button>
            )}
          </div>
        </form>
        {asked.error !== undefined && <Problem error={asked.error} />}
        {asked.error instanceof Unreachable && (
          <pre class="answer" tabIndex={0} aria-label="The same for a terminal">
            {serverCurl(place.url, request)}
          </pre>
        )}
        {asked.answer !== undefined && (
          <Answer answer={asked.answer} text={asked.text} isWhole={!asked.isBusy} />
        )}
      </div>
    </Columns>
  );
}

type FieldsProps = { request: TypedRequest; set: (request: TypedRequest) => void };

const Fields = ({ request, set }: FieldsProps) => (
  <>
    <div class="request-line">
      <div class="field">
        <span id="method">Method</span>
        <Choice
          label="Method"
          labelledBy="method"
          value={request.method}
          options={methods.map((method) => ({ value: method, title: method }))}
          onChange={(method) => set({ ...request, method })}
        />
      </div>
      <label class="field">
        <span>Path</span>
        <input
          required
          pattern="/[!-~]*"
          title="It begins with /"
          spellcheck={false}
          autocomplete="off"
          value={request.path}
          onInput={({ currentTarget: { value } }) => set({ ...request, path: value })}
        />
      </label>
    </div>
    <label class="field">
      <span>Headers</span>
      <textarea
        rows={2}
        class="mono"
        spellcheck={false}
        placeholder="Name: value"
        value={request.headers}
        onInput={({ currentTarget: { value } }) => set({ ...request, headers: value })}
      />
      <span class="small">One a line. Your own key is never sent to the server.</span>
    </label>
    {request.method !== 'GET' && (
      <label class="field">
        <span>Body</span>
        <textarea
          rows={8}
          class="mono"
          spellcheck={false}
          value={request.body}
          onInput={({ currentTarget: { value } }) => set({ ...request, body: value })}
        />
      </label>
    )}
  </>
);

type AnswerProps = { answer: ServerAnswer; text: string; isWhole: boolean };

function Answer({ answer: { status, headers }, text, isWhole }: AnswerProps) {
  const [isTree, setTree] = useState(false);
  const value = isWhole && headers['content-type']?.includes('json') === true ? parsed(text) : undefined;
  const hasTree = typeof value === 'object' && value !== null;
  return (
    <section class="tool-answer" aria-labelledby="answer">
      <div class="line">
        <h2 id="answer">Answer: {status}</h2>
        <span class="push" />
        {hasTree && (
          <button type="button" class="link meta" onClick={() => setTree(!isTree)}>
            {isTree ? 'Show as text' : 'Show as tree'}
          </button>
        )}
      </div>
      <details>
        <summary>Headers</summary>
        <dl class="facts">
          {Object.entries(headers).map(([name, given]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{given}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {isTree && hasTree ? (
        <div class="tree-box">
          <Tree value={value} depth={2} />
        </div>
      ) : (
        <pre class="answer" tabIndex={0} aria-label="Body of the answer">
          {text}
        </pre>
      )}
    </section>
  );
}
