import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createTaskNotifier } from '../../../lib/embedded/task-notifier.ts';

type Image = Record<string, string>;

const image = (values: Image): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { S: value }]));

const called = (changes: string | undefined): Record<string, AttributeValue> => ({
  ...image({ entity: 'last_seen', pk: 'T#t#L#l', at: '1' }),
  ...(changes !== undefined && { changes: { N: changes } }),
});

const calls = (before: string | undefined, now: string | undefined): DynamoDBRecord => ({
  dynamodb: { OldImage: called(before), NewImage: called(now) },
});

const record = (now: Image | undefined, before?: Image): DynamoDBRecord => ({
  dynamodb: { ...(now && { NewImage: image(now) }), ...(before && { OldImage: image(before) }) },
});

const offered = { entity: 'task', listener_id: 'l', state: 'offered' };

/** Whether a wait of listener `l` ends because of the record, long before its time is over. */
async function wakes(changed: DynamoDBRecord): Promise<boolean> {
  const taskNotifier = createTaskNotifier();
  let ended = false;
  const wait = taskNotifier.wait('l', 60_000).then(() => {
    ended = true;
  });
  taskNotifier.notice(changed);
  await Promise.resolve();
  await Promise.resolve();
  const woken = ended;
  taskNotifier.close();
  await wait;
  return woken;
}

describe('a waiting claim', () => {
  it.each([
    ['a new offer', record(offered), true],
    ['an offer made again', record(offered, { ...offered, state: 'claimed' }), true],
    ['a cancelled task', record({ ...offered, state: 'cancelled' }, { ...offered, state: 'claimed' }), true],
    ['a claim', record({ ...offered, state: 'claimed' }, offered), false],
    ['a change of an offer', record({ ...offered, x: '1' }, offered), false],
    ['a task that ended', record(undefined, offered), false],
    ['a first change beside tasks', calls(undefined, '1'), true],
    ['another change beside tasks', calls('1', '2'), true],
    ['a sign of life', calls('2', '2'), false],
    ['a sign of life before any change', calls(undefined, undefined), false],
    ['another listener', record({ ...offered, listener_id: 'm' }), false],
    ['another kind of item', record({ ...offered, entity: 'revision' }), false],
  ])('%s', async (_, changed, expected) => {
    expect(await wakes(changed)).toBe(expected);
  });

  it('ends when its time is over, or at once without any', async () => {
    const taskNotifier = createTaskNotifier();
    await expect(taskNotifier.wait('l', 0)).resolves.toBeUndefined();
    await expect(taskNotifier.wait('l', 5)).resolves.toBeUndefined();
    taskNotifier.close();
    await expect(taskNotifier.wait('l', 60_000)).resolves.toBeUndefined();
  });
});
