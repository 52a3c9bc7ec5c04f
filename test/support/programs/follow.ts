import { expect } from 'vitest';
import type { Program } from './program.ts';

export type Entry = { id: string; timestamp: number; level: string; message: string };

/** Reads events of a followed log until there are `count` of them, then leaves in the middle of it. */
export async function follow(
  program: Program,
  path: string,
  count: number,
  lastEventId?: string,
): Promise<Entry[]> {
  const leaving = new AbortController();
  const response = await fetch(program.baseUrl + path, {
    headers: {
      'x-api-key': program.apiKey,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  if (!response.ok) throw new Error(`following was answered by ${response.status} ${await response.text()}`);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const entries: Entry[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(event) ?? [];
      if (data === undefined) continue;
      const entry: Entry = JSON.parse(data);
      expect(entry.id).toBe(id);
      entries.push(entry);
      if (entries.length === count) break;
    }
    if (entries.length === count) break;
  }
  leaving.abort();
  return entries;
}
