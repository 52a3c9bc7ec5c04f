/** Answers that have a tag, by address: what did not change is not sent again. */
const kept = new Map<string, { tag: string; text: string }>();
const KEPT_MAX = 50;

/** What was seen in another person's name is not shown in this one's. */
export const forgetAnswers = (): void => kept.clear();

function keep(address: string, tag: string, text: string): void {
  kept.delete(address);
  kept.set(address, { tag, text });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

/** As `fetch`; where nothing has changed, with the answer of before. */
export async function fetchChanged(address: string, init: RequestInit): Promise<Response> {
  const before = init.method === 'GET' ? kept.get(address) : undefined;
  const headers = new Headers(init.headers);
  if (before !== undefined) headers.set('If-None-Match', before.tag);
  const response = await fetch(address, { ...init, headers });
  if (response.status === 304 && before !== undefined)
    return new Response(before.text, { headers: response.headers });
  const tag = response.headers.get('ETag');
  if (!response.ok || init.method !== 'GET' || tag === null) return response;
  const text = await response.text();
  keep(address, tag, text);
  return new Response(text, { headers: response.headers });
}
