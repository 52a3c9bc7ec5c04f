import { addressOf } from '../logic/address.ts';
import { headersIn, type Method, type TypedRequest } from '../logic/server-request.ts';
import { Refusal, renewing } from './api.ts';
import type { Ask } from './contract.ts';
import { PREFIX } from './place.ts';
import { credentials, forget } from './session.ts';

const ENDPOINT = 'POST /v2/deployments/{deployment_id}/server-requests';

export type ServerAnswer = { status: number; headers: Record<string, string> };

type Heard = {
  signal: AbortSignal;
  onAnswer: (answer: ServerAnswer) => void;
  /** Called for each piece as it comes. */
  onText: (text: string) => void;
};

/** Asks a deployment's server by way of the API, and hands over its answer as it comes. */
export async function askServer(
  deploymentId: string,
  { method, path, headers, body }: TypedRequest,
  { signal, onAnswer, onText }: Heard,
): Promise<void> {
  const asked: Ask<typeof ENDPOINT> = {
    params: { deployment_id: deploymentId },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- chosen from those of the field
    body: { method: method as Method, path, headers: headersIn(headers), body },
  };
  const response = await renewing(() =>
    fetch(PREFIX + addressOf(ENDPOINT, asked), {
      method: 'POST',
      cache: 'no-store',
      headers: { ...credentials(), 'Content-Type': 'application/json' },
      body: JSON.stringify(asked.body),
      signal,
    }),
  ).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Refusal(0, undefined, null);
  });
  if (response.status === 401) forget();
  if (!response.ok) {
    const said: unknown = await response.json().catch(() => undefined);
    throw new Refusal(response.status, said, response.headers.get('X-Request-Id'));
  }
  onAnswer({
    status: Number(response.headers.get('X-Server-Status')),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes it so
    headers: JSON.parse(response.headers.get('X-Server-Headers') ?? '{}') as Record<string, string>,
  });
  if (response.body === null) return;
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) onText(text);
}
