import { createClient } from '../../lib/client/client.ts';
import type { Answer, Ask, Endpoint } from '../../lib/client/endpoints.ts';
import { noteIgnored } from './ignored.ts';
import { fetchChanged } from './kept.ts';
import { PREFIX } from './place.ts';
import { credentials, forget, prove, renewed } from './session.ts';

/**
 * The API for who is signed in; a 401 ends the session. What is shown says what failed, and asks again by
 * itself.
 */
export const client = createClient({
  url: PREFIX,
  triesMax: 1,
  credentials: async (isRefused) => (isRefused && !(await renewed()) ? undefined : credentials()),
  fetch: fetchChanged,
  onAnswer: ({ status, headers }) => {
    if (status === 401) forget();
    else if (status < 400) prove();
    noteIgnored(headers.get('X-Slipway-Ignored'));
  },
});

/** The answer alone. */
export const ask = <E extends Endpoint>(
  endpoint: E,
  parts: Ask<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> => client.ask(endpoint, parts, { signal });
