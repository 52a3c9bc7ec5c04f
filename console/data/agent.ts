import { Refusal } from '../../lib/client/refusal.ts';
import { parsed, textAt } from '../logic/chat/json.ts';
import { agentUrl, isDirect, isWithin } from '../logic/chat/reach.ts';
import { isKeptBack, type ServerHeader } from '../logic/server-request.ts';
import { headersFor } from './agent-headers.ts';
import { client } from './api.ts';

/** A deployment whose server is asked. `url`: where it answers, as the API says. */
export type AgentPlace = { deploymentId: string; url: string };

export type AgentCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  path: string;
  headers?: readonly ServerHeader[];
  body?: string | undefined;
};

export type AgentAnswer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Response['body'];
};

/** `direct`: from this browser. `relay`: by way of the API, on the machine that the servers run on. */
export type Way = 'direct' | 'relay';

/** This browser cannot ask the server, and no other way leads there. */
export class Unreachable extends Error {}

/** The server answers, and not with what was asked for. */
export class AgentRefusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    const said = parsed(text);
    super(
      textAt(said, 'detail') ?? textAt(said, 'message') ?? (text.slice(0, 500) || `It answered ${status}.`),
    );
    this.status = status;
  }
}

const RELAY = 'POST /v2/deployments/{deployment_id}/server-requests';
/** An agent may think for long before it begins to answer. */
const ANSWER_MILLISECONDS = 3_600_000;
/** What an answer in one piece may hold: the page shows no more in reasonable time. */
const ANSWER_CHARACTERS_MAX = 16_000_000;

/** The origins that the policy of this page lets it ask. */
const allowed = (): string[] => {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="slipway-agents"]');
  return (meta?.content ?? '').split(' ').filter((origin) => origin !== '');
};

export const canAskDirectly = (url: string): boolean => isDirect(url, allowed(), location.hostname);

/** Sends a request to a server one way. Throws Unreachable where that way is closed. */
export async function askOneWay(
  way: Way,
  place: AgentPlace,
  call: AgentCall,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const headers = [...(call.headers ?? []), ...headersFor(place.deploymentId)];
  return way === 'direct'
    ? directly(place, { ...call, headers }, signal)
    : byRelay(place, { ...call, headers }, signal);
}

async function directly(
  { url }: AgentPlace,
  { method, path, headers = [], body }: AgentCall,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  if (!canAskDirectly(url)) throw new Unreachable("This page may not ask the server's address.");
  if (!isWithin(url, path)) throw new Unreachable('This path leads out of the server.');
  const sent = new Headers(headers.map(({ name, value }): [string, string] => [name, value]));
  const response = await fetch(agentUrl(url, path), {
    method,
    headers: sent,
    signal,
    ...(body !== undefined && { body }),
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    // What is meant for this server is sent to no other one.
    redirect: 'error',
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Unreachable('The browser was not let through to the server.', { cause: error });
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body,
  };
}

async function byRelay(
  { deploymentId }: AgentPlace,
  { method, path, headers = [], body }: AgentCall,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const passed = headers.filter(({ name }) => !isKeptBack(name));
  const asked = { params: { deployment_id: deploymentId }, body: { method, path, headers: passed, body } };
  const response = await client
    .open(RELAY, asked, { signal, timeoutMilliseconds: ANSWER_MILLISECONDS })
    .catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 409)
        throw new Unreachable(error.message, { cause: error });
      throw error;
    });
  return {
    status: Number(response.headers.get('X-Server-Status')),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes it so
    headers: JSON.parse(response.headers.get('X-Server-Headers') ?? '{}') as Record<string, string>,
    body: response.body,
  };
}

/** Which way each server was reached. */
const ways = new Map<string, Way>();

/**
 * Sends a request the way that is known; the first one to a server finds it, so it must be one that may be
 * sent twice. What a person gave for the agent cannot go by way of the API, which leaves credentials out.
 */
export async function askAgent(
  place: AgentPlace,
  call: AgentCall,
  { signal }: { signal: AbortSignal },
): Promise<AgentAnswer> {
  const isSecured = headersFor(place.deploymentId).some(({ name }) => isKeptBack(name));
  const known = ways.get(place.deploymentId);
  if (known !== undefined && !(isSecured && known === 'relay')) return askOneWay(known, place, call, signal);
  try {
    const answer = await askOneWay('direct', place, call, signal);
    ways.set(place.deploymentId, 'direct');
    return answer;
  } catch (error) {
    if (isSecured || !(error instanceof Unreachable)) throw error;
  }
  const answer = await askOneWay('relay', place, call, signal);
  ways.set(place.deploymentId, 'relay');
  return answer;
}

/** The text of an answer. Throws where it has no end in sight. */
export async function textOfAnswer({ body }: AgentAnswer): Promise<string> {
  if (body === null) return '';
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length > ANSWER_CHARACTERS_MAX) throw new Error('The answer is too long for this page.');
  }
  return text;
}

const JSON_BODY = [{ name: 'Content-Type', value: 'application/json' }];

/** Asks for JSON with JSON. Throws AgentRefusal where the server refuses. */
export async function askJson(
  place: AgentPlace,
  method: AgentCall['method'],
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
): Promise<unknown> {
  const answer = await openJson(place, method, path, { body, signal });
  const text = await textOfAnswer(answer);
  return text === '' ? undefined : parsed(text);
}

/** The same, with the answer as it comes. */
export async function openJson(
  place: AgentPlace,
  method: AgentCall['method'],
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
): Promise<AgentAnswer> {
  const sent = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  const answer = await askAgent(place, { method, path, ...sent }, { signal });
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new AgentRefusal(answer.status, await textOfAnswer(answer));
}
