import type { Ask } from '../../lib/client/endpoints.ts';
import { headersIn, type Method, type TypedRequest } from '../logic/server-request.ts';
import { client } from './api.ts';

const ENDPOINT = 'POST /v2/deployments/{deployment_id}/server-requests';
/** An agent may think for long before it begins to answer. */
const ANSWER_MILLISECONDS = 3_600_000;

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
  const response = await client.open(ENDPOINT, asked, { signal, timeoutMilliseconds: ANSWER_MILLISECONDS });
  onAnswer({
    status: Number(response.headers.get('X-Server-Status')),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes it so
    headers: JSON.parse(response.headers.get('X-Server-Headers') ?? '{}') as Record<string, string>,
  });
  if (response.body === null) return;
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) onText(text);
}
