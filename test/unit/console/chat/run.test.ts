import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  begun,
  conversationOf,
  emptyConversation,
  errorText,
  MESSAGES_MAX,
  messagesOf,
  taken,
} from '../../../../console/logic/chat/run.ts';
import { eventsIn } from '../../../../lib/client/event-stream.ts';

/** What `langgraph dev` 0.16.7 has answered, but for what the metadata of its messages repeat. */
async function recorded(name: string) {
  const bytes = readFileSync(new URL(`${name}.txt`, import.meta.url));
  const events = [];
  for await (const { kind, data } of eventsIn(new Blob([bytes]).stream()))
    if (data !== '') events.push({ kind, data: JSON.parse(data) as unknown });
  return events;
}

const PERSON = { from: 'person', text: 'My lamp arrived broken.' };

it('a message and its calls grow while they arrive', async () => {
  const seen: string[] = [];
  let conversation = emptyConversation;
  for (const event of await recorded('asks')) {
    conversation = taken(conversation, event);
    const { messages } = messagesOf(conversation);
    const calls = messages.at(-1)?.calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
    seen.push([messages.at(-1)?.text, ...(calls ?? [])].join(' | '));
  }
  expect([...new Set(seen)].slice(2)).toEqual([
    'I look ',
    'I look it up.',
    'I look it up. | lookup_order ""',
    String.raw`I look it up. | lookup_order "{\"order\""`,
    'I look it up. | lookup_order {"order":20931}',
    'I look it up. | lookup_order {"order":20931} | rules {"topic":"damage"}',
  ]);
});

it('a run that asks leaves the question, with what each tool has answered', async () => {
  const end = (await recorded('asks')).reduce(taken, emptyConversation);
  expect(end.interrupts).toEqual([
    {
      id: expect.stringMatching(/^\w+$/) as string,
      value: { question: 'Refund the order?', amount: 48.2, reason: 'Damaged in transit' },
      schema: null,
    },
  ]);
  expect(end.runId).toMatch(/^[0-9a-f-]{36}$/);
  expect(end.values).not.toHaveProperty('__interrupt__');
  const { messages } = messagesOf(end);
  expect(messages).toMatchObject([
    PERSON,
    {
      from: 'agent',
      text: 'I look it up.',
      tokens: 312,
      calls: [
        { name: 'lookup_order', result: { isError: false, value: { item: 'Arc floor lamp', price: 48.2 } } },
        { name: 'rules', result: { isError: true, value: 'no such topic' } },
      ],
    },
  ]);
});

it('what answers the question goes on below, and nothing is asked any more', async () => {
  const asked = (await recorded('asks')).reduce(taken, emptyConversation);
  const begins = begun(asked);
  expect([begins.interrupts, messagesOf(begins).messages.length]).toEqual([[], 2]);
  const end = (await recorded('resumed')).reduce(taken, begins);
  expect(messagesOf(end).messages.map(({ text }) => text)).toEqual([
    PERSON.text,
    'I look it up.',
    'Done: 48.2 goes back to the card',
  ]);
  expect([end.interrupts, end.node]).toEqual([[], 'ask']);
});

it('a run that fails says so, and the state of its thread too', async () => {
  const end = (await recorded('failed')).reduce(taken, emptyConversation);
  expect(end.error).toBe('ValueError: no luck');
  const tasks = [{ name: 'fail', error: "ValueError('no luck')", interrupts: [] }];
  expect(conversationOf({ values: {}, tasks, interrupts: [] }).error).toBe("ValueError('no luck')");
  expect([errorText({ detail: 'gone' }), errorText({ error: 'X' }), errorText(undefined)]).toEqual([
    'gone',
    'X',
    'The run ended with an error.',
  ]);
});

it('events of graphs inside, unknown ones and ones of no use change nothing', () => {
  for (const event of [
    { kind: 'values|inner:1', data: { messages: [] } },
    { kind: 'custom', data: { note: 'hi' } },
    { kind: 'messages', data: ['text'] },
    { kind: 'messages', data: null },
    { kind: undefined, data: 1 },
  ])
    expect(taken(emptyConversation, event)).toEqual(emptyConversation);
});

it('questions of an older server are found in its tasks, and those without ids have some', () => {
  const tasks = [{ interrupts: [{ value: 'ok?' }] }, { interrupts: [{ interrupt_id: 'b', value: 1 }] }];
  const { interrupts } = conversationOf({ values: { n: 1 }, tasks });
  expect(interrupts.map(({ id, value }) => [id, value])).toEqual([
    ['question 0', 'ok?'],
    ['b', 1],
  ]);
});

it('the page holds the newest messages alone', () => {
  const messages = Array.from({ length: MESSAGES_MAX + 2 }, (_, id) => ({
    id: String(id),
    type: 'human',
    content: `${id}`,
  }));
  const shown = messagesOf({ ...emptyConversation, values: { messages } });
  expect([shown.messages.length, shown.messages[0]?.text, shown.isCut]).toEqual([MESSAGES_MAX, '2', true]);
});
