import { addressOf, type Parts } from './address.ts';
import type {
  Answer,
  AnyEndpoint,
  Ask,
  Endpoint,
  ListEndpoint,
  Listed,
  Revision,
  StreamEndpoint,
  Streamed,
} from './endpoints.ts';
import { eventsIn } from './event-stream.ts';
import { Refusal } from './refusal.ts';
import {
  type ClientOptions,
  pause,
  pauseMillisecondsBefore,
  type RequestOptions,
  sender,
} from './request.ts';

type FollowOptions = RequestOptions & {
  /** The id of the last entry that is known; what comes after it is given. */
  after?: string | undefined;
  /**
   * Hears what keeps an answer from coming, and `undefined` once there is one. With it there is no end to
   * asking while that may pass; without it the first `Refusal` ends it.
   */
  onProblem?: (problem: Refusal | undefined) => void;
};

type WaitOptions = Pick<FollowOptions, 'signal' | 'onProblem'> & {
  /** Hears of each status and each other reason for it. */
  onChange?: (revision: Revision) => void;
};

const PAGE_LENGTH = 100;
const FOLLOW_AGAIN_MILLISECONDS = 500;
const POLL_MILLISECONDS = 1_000;
/** Where nothing changes for long. */
const POLL_MILLISECONDS_MAX = 5_000;
const REVISION = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}';
const ENDED = /^(?:DEPLOYED|SKIPPED|INTERRUPTED|[A-Z]+_FAILED)$/;

/** Whether nothing will happen to a revision of this status any more. */
export const isEnded = ({ status }: Pick<Revision, 'status'>): boolean => ENDED.test(status);

export type Client = {
  /** Rejects with a `Refusal` for whatever is no success. */
  ask: <E extends Endpoint>(endpoint: E, parts: Ask<E>, options?: RequestOptions) => Promise<Answer<E>>;
  /** With the answer's ETag, for `If-Match`. */
  askTagged: <E extends Endpoint>(
    endpoint: E,
    parts: Ask<E>,
    options?: RequestOptions,
  ) => Promise<{ answer: Answer<E>; tag: string | null }>;
  /** A success as it comes, of what may answer with something else than JSON too. */
  open: <E extends AnyEndpoint>(endpoint: E, parts: Ask<E>, options?: RequestOptions) => Promise<Response>;
  /** Every row of a list, from `offset` on, a page of `limit` at a time. */
  list: <E extends ListEndpoint>(
    endpoint: E,
    parts: Ask<E>,
    options?: RequestOptions,
  ) => AsyncGenerator<Listed<E>, void>;
  /**
   * Each entry as it comes, none twice, until the service says that no more will come: an answer that ends
   * before is asked for again from the last entry on.
   */
  follow: <E extends StreamEndpoint>(
    endpoint: E,
    parts: Ask<E>,
    options?: FollowOptions,
  ) => AsyncGenerator<Streamed<E>, void>;
  /** The revision once it has ended, however that was. */
  waitForRevision: (
    params: { deployment_id: string; revision_id: string },
    options?: WaitOptions,
  ) => Promise<Revision>;
};

/** The API by its route table: `ask('POST /v2/deployments', {body})`, with the types of that row. */
export function createClient(options: ClientOptions): Client {
  const base = options.url.replace(/\/+$/, '');
  const send = sender(options);
  const open: Client['open'] = (endpoint, parts: Parts, more) =>
    send({ endpoint, address: base + addressOf(endpoint, parts), body: parts.body, ...more });
  const askTagged: Client['askTagged'] = async <E extends Endpoint>(
    endpoint: E,
    parts: Ask<E>,
    more?: RequestOptions,
  ) => {
    const response = await open(endpoint, parts, more);
    const json: unknown =
      response.status === 204
        ? undefined
        : await response.json().catch((error: unknown) => {
            more?.signal?.throwIfAborted();
            throw new Refusal({ status: 0, detail: 'The answer of the API broke off.' }, undefined, error);
          });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers with the schema that this type is made from
    return { answer: json as Answer<E>, tag: response.headers.get('ETag') };
  };
  const ask: Client['ask'] = async (endpoint, parts, more) => (await askTagged(endpoint, parts, more)).answer;
  return {
    open,
    askTagged,
    ask,
    list: (endpoint, parts, more) => rowsOf(ask, endpoint, parts, more),
    follow: (endpoint, parts, more) => entriesOf(open, endpoint, parts, more),
    waitForRevision: (params, more) => endOf(ask, params, more),
  };
}

async function* rowsOf<E extends ListEndpoint>(
  ask: Client['ask'],
  endpoint: E,
  parts: Ask<E>,
  more: RequestOptions | undefined,
): AsyncGenerator<Listed<E>, void> {
  const { query }: Parts = parts;
  const limit = Number(query?.limit ?? PAGE_LENGTH);
  for (let offset = Number(query?.offset ?? 0); ; ) {
    const page = await ask(endpoint, { ...parts, query: { ...query, limit, offset } }, more);
    yield* page.resources;
    if (page.resources.length < limit) return;
    ({ offset } = page);
  }
}

async function* entriesOf<E extends StreamEndpoint>(
  open: Client['open'],
  endpoint: E,
  parts: Ask<E>,
  { after, onProblem, headers, signal }: FollowOptions = {},
): AsyncGenerator<Streamed<E>, void> {
  let [last, failures] = [after, 0];
  for (;;) {
    const from = last === undefined ? {} : { 'Last-Event-ID': last };
    const all = { ...headers, Accept: 'text/event-stream', ...from };
    const response = await orRefusal(open(endpoint, parts, { signal, headers: all }));
    if (response instanceof Refusal) {
      failures += 1;
      await pause(passingPause(response, failures, onProblem), signal);
      continue;
    }
    failures = 0;
    onProblem?.(undefined);
    let milliseconds = FOLLOW_AGAIN_MILLISECONDS;
    for await (const { id, kind, data, pauseMilliseconds } of untilBroken(response.body, signal)) {
      if (kind === 'end') return;
      last = id ?? last;
      milliseconds = pauseMilliseconds ?? milliseconds;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is an entry of the answer's schema
      if (data !== '' && kind === undefined) yield JSON.parse(data) as Streamed<E>;
    }
    await pause(milliseconds, signal);
  }
}

/** A stream that breaks off is asked for again as one that ends is, which says whether anybody is there. */
async function* untilBroken(body: Response['body'], signal: AbortSignal | undefined) {
  try {
    yield* eventsIn(body);
  } catch {
    signal?.throwIfAborted();
  }
}

const orRefusal = <T>(work: Promise<T>): Promise<T | Refusal> =>
  work.catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });

/** How long to wait until what keeps an answer from coming may have passed. Throws what does not. */
function passingPause(refusal: Refusal, failures: number, onProblem: FollowOptions['onProblem']): number {
  if (onProblem === undefined || !refusal.isPassing) throw refusal;
  onProblem(refusal);
  return pauseMillisecondsBefore(failures, refusal);
}

async function endOf(
  ask: Client['ask'],
  params: { deployment_id: string; revision_id: string },
  { signal, onChange, onProblem }: WaitOptions = {},
): Promise<Revision> {
  let [known, failures, milliseconds] = ['', 0, POLL_MILLISECONDS];
  for (;;) {
    const revision = await orRefusal(ask(REVISION, { params }, { signal }));
    if (revision instanceof Refusal) {
      failures += 1;
      await pause(passingPause(revision, failures, onProblem), signal);
      continue;
    }
    if (failures > 0) onProblem?.(undefined);
    failures = 0;
    const shown = `${revision.status} ${revision.status_message}`;
    milliseconds = shown === known ? Math.min(milliseconds * 1.1, POLL_MILLISECONDS_MAX) : POLL_MILLISECONDS;
    if (shown !== known) onChange?.(revision);
    known = shown;
    if (isEnded(revision)) return revision;
    await pause(milliseconds, signal);
  }
}
