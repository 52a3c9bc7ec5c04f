import { expect, it } from 'vitest';
import {
  joined,
  messagesIn,
  shownMessages,
  TEXT_CHARACTERS_MAX,
} from '../../../../console/logic/chat/message.ts';

it('content of parts is its texts; pictures are named, and thoughts stand apart', () => {
  const content = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'a' },
    'b',
    { type: 'image_url', image_url: { url: 'data:…' } },
    { type: 'unknown' },
  ];
  expect(shownMessages([{ type: 'ai', id: 'm', content }])).toMatchObject([
    { id: 'm', from: 'agent', text: 'ab[image]', thoughts: 'hm' },
  ]);
});

it('messages of OpenAI are read too', () => {
  const calls = [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a": 1}' } }];
  const shown = shownMessages([
    { role: 'system', content: 'be kind' },
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: 'c', content: '2' },
  ]);
  expect(shown.map(({ from, text }) => [from, text])).toEqual([
    ['system', 'be kind'],
    ['person', 'hello'],
    ['agent', ''],
  ]);
  expect(shown[2]?.calls).toEqual([
    { id: 'c', name: 'add', args: { a: 1 }, result: { value: 2, isError: false } },
  ]);
});

it('an answer whose call was left out stands alone, and a message that says nothing is not shown', () => {
  const shown = shownMessages([
    { type: 'ai', id: 'empty', content: '' },
    { type: 'tool', name: 'look', tool_call_id: 'gone', content: 'found' },
    'no message',
  ]);
  expect(shown).toMatchObject([{ calls: [{ name: 'look', result: { value: 'found' } }] }]);
});

it('pieces of parts are joined as well, and a long text is cut for the page', () => {
  const piece = (content: unknown) => ({ type: 'AIMessageChunk', id: 'm', content });
  const all = [piece('a'), piece([{ type: 'text', text: 'b' }])].reduce<Record<string, unknown> | undefined>(
    (before, each) => joined(before, each),
    undefined,
  );
  expect(shownMessages([all])).toMatchObject([{ text: 'ab' }]);
  const long = 'x'.repeat(TEXT_CHARACTERS_MAX + 1);
  const grown = joined(joined(undefined, piece(long)), piece('more'));
  expect(grown.content).toBe(long);
  expect(shownMessages([grown])[0]?.text).toHaveLength(TEXT_CHARACTERS_MAX);
});

it('a whole message takes the place of its pieces', () => {
  const before = joined(undefined, { type: 'AIMessageChunk', id: 'm', content: 'par' });
  expect(joined(before, { type: 'ai', id: 'm', content: 'whole' })).toMatchObject({ content: 'whole' });
});

it('values without a list of messages have none', () => {
  expect([messagesIn({ messages: 'hi' }), messagesIn(null), messagesIn({ messages: [1] })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(messagesIn({ messages: [] })).toEqual([]);
});
