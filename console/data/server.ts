import { isWithin } from '../logic/chat/reach.ts';
import { headersIn, isKeptBack, type Method, type TypedRequest } from '../logic/server-request.ts';
import { type AgentPlace, askOneWay, canAskDirectly, Unreachable } from './agent.ts';
import { headersFor } from './agent-headers.ts';

export type ServerAnswer = { status: number; headers: Record<string, string> };

/** Deployments that the API passes no requests on to. */
const withoutRelay = new Set<string>();

type Heard = {
  signal: AbortSignal;
  onAnswer: (answer: ServerAnswer) => void;
  /** Called for each piece as it comes. */
  onText: (text: string) => void;
};

/**
 * Asks a deployment's server, and hands over its answer as it comes: by way of the API where the server
 * runs on its machine, which shows redirects and all headers; else from this browser. Credentials for the
 * server go from the browser alone.
 */
export async function askServer(
  place: AgentPlace,
  { method, path, headers: typed, body }: TypedRequest,
  { signal, onAnswer, onText }: Heard,
): Promise<void> {
  const headers = headersIn(typed);
  const call = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- chosen from those of the field
    method: method as Method,
    path,
    headers,
    body: method === 'GET' ? undefined : body,
  };
  const isOpen = canAskDirectly(place.url);
  const isSecured = [...headers, ...headersFor(place.deploymentId)].some(({ name }) => isKeptBack(name));
  const isFirst = isOpen && (isSecured || withoutRelay.has(place.deploymentId));
  const direct = () => askOneWay('direct', place, call, signal);
  const answer = isFirst
    ? await direct()
    : await askOneWay('relay', place, call, signal).catch((error: unknown) => {
        if (!isOpen || !(error instanceof Unreachable) || !isWithin(place.url, path)) throw error;
        withoutRelay.add(place.deploymentId);
        return direct();
      });
  onAnswer({ status: answer.status, headers: { ...answer.headers } });
  if (answer.body === null) return;
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) onText(text);
}
