import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Refusal } from '../../lib/client/refusal.ts';
import { useCan } from '../data/permissions.ts';
import { useDeployment } from '../data/queries.ts';
import { askServer, type ServerAnswer } from '../data/server.ts';
import { methods, presets, serverCurl, type TypedRequest } from '../logic/server-request.ts';
import { Copy } from '../ui/copy.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';

/** What comes after is dropped from the page: a browser shows no more in reasonable time. */
const SHOWN_CHARACTERS_MAX = 500_000;
const FIRST: TypedRequest = { method: 'GET', path: '/ok', headers: '', body: '' };

/** Sends a request to a deployment's server, and shows the answer as it comes. */
export function TryPage({ id }: { id: string }) {
  const { data, error } = useDeployment(id);
  const canWrite = useCan('deployments:write');
  useTitle(`Try ${data?.name ?? 'a deployment'}`);
  return (
    <main id="main">
      <nav class="trail" aria-label="You are here">
        <Link href="/deployments">Deployments</Link>
        <Link href={`/deployments/${id}`}>{data?.display_name ?? data?.name ?? 'Deployment'}</Link>
      </nav>
      <h1>Try</h1>
      {error !== null && <Problem error={error} />}
      {data === undefined && error === null && <Skeleton />}
      {canWrite === false && <Empty title="Your role asks no servers." />}
      {data !== undefined && canWrite === true && <Try id={id} url={data.url} />}
    </main>
  );
}

/** A request at a time, how far its answer has come, and what was wrong with it. */
function useAsked(id: string) {
  const [answer, setAnswer] = useState<ServerAnswer>();
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
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
      await askServer(id, request, { signal: own.signal, onAnswer: setAnswer, onText });
    } catch (refused) {
      if (!own.signal.aborted)
        setError(refused instanceof Refusal ? refused : new Error('The answer broke off before its end.'));
    } finally {
      if (running.current === own) setBusy(false);
    }
  };
  return { answer, text, error, isBusy, send, stop };
}

function Try({ id, url }: { id: string; url: string | null }) {
  const [request, setRequest] = useState(FIRST);
  const asked = useAsked(id);
  return (
    <>
      <p class="actions">
        {presets.map((preset) => (
          <button key={preset.title} type="button" onClick={() => setRequest(preset.request)}>
            {preset.title}
          </button>
        ))}
      </p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void asked.send(request);
        }}
      >
        <Fields request={request} set={setRequest} />
        <div class="actions">
          {url !== null && <Copy text={serverCurl(url, request)} label="Copy as curl" />}
          {asked.isBusy && (
            <button type="button" onClick={asked.stop}>
              Stop
            </button>
          )}
          <button type="submit" class="primary" disabled={asked.isBusy}>
            {asked.isBusy ? 'Waiting…' : 'Send'}
          </button>
        </div>
      </form>
      {asked.error !== undefined && <Problem error={asked.error} />}
      {asked.error instanceof Refusal && asked.error.status === 409 && url !== null && (
        <pre class="answer" tabIndex={0} aria-label="The same for a terminal">
          {serverCurl(url, request)}
        </pre>
      )}
      {asked.answer !== undefined && <Answer answer={asked.answer} text={asked.text} />}
    </>
  );
}

type FieldsProps = { request: TypedRequest; set: (request: TypedRequest) => void };

const Fields = ({ request, set }: FieldsProps) => (
  <>
    <label class="field">
      <span>Method</span>
      <select
        value={request.method}
        onChange={({ currentTarget: { value } }) => set({ ...request, method: value })}
      >
        {methods.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </select>
    </label>
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
    <label class="field">
      <span>Headers</span>
      <textarea
        rows={2}
        spellcheck={false}
        placeholder="Name: value"
        value={request.headers}
        onInput={({ currentTarget: { value } }) => set({ ...request, headers: value })}
      />
      <span class="quiet small">
        One a line. Your key stays here; Authorization and cookies are left out.
      </span>
    </label>
    {request.method !== 'GET' && (
      <label class="field">
        <span>Body</span>
        <textarea
          rows={8}
          spellcheck={false}
          value={request.body}
          onInput={({ currentTarget: { value } }) => set({ ...request, body: value })}
        />
      </label>
    )}
  </>
);

const Answer = ({ answer: { status, headers }, text }: { answer: ServerAnswer; text: string }) => (
  <section aria-labelledby="answer">
    <h2 id="answer">Answer: {status}</h2>
    <details>
      <summary>Headers</summary>
      <dl class="facts">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
    <pre class="answer" tabIndex={0} aria-label="Body of the answer">
      {text}
    </pre>
  </section>
);
