import { expect, it } from 'vitest';
import type { CountsRow } from '../../../lib/contract/deployments/counts.ts';
import { aListener, id, rode, SETTLED, said } from '../../support/listener/reporting-listener.ts';

const MINUTES = 60_000;

it('tells a change at once with a claim while a doorbell rings, and sends nothing else', async () => {
  const { claims, posts, change, claim, rung, advance } = aListener([1, 2]);
  await rung();
  await change(1, 2);
  expect(claims.map(rode)).toEqual([undefined, ['1@2']]);
  expect(claims[1]?.body).toMatchObject({ doorbell: true, wait_seconds: 0 });
  // What changes during it rides on the next, with the state of then.
  await change(1, 3);
  await change(2, 4);
  await change(1, 5);
  expect(claims).toHaveLength(2);
  (await claim(1)).answer();
  await advance(SETTLED);
  expect(claims.slice(2).map(rode)).toEqual([['1@5', '2@4']]);
  (await claim(2)).answer();
  await advance(4 * MINUTES);
  expect([claims.length, posts.length]).toEqual([3, 0]);
});

it('tells everything each five minutes with the one claim that is made then', async () => {
  const { claims, posts, advance, claim, rung } = aListener([1, 2]);
  await rung();
  for (let round = 1; round <= 3; round++) {
    await advance(5 * MINUTES);
    expect([claims.length, posts.length]).toEqual([round + 1, 0]);
    const made = await claim(round);
    expect(rode(made)).toEqual(['1@1', '2@1']);
    made.answer();
    await advance(0);
  }
});

it('tells everything a little earlier with a claim that is made anyway, and not long before', async () => {
  const { loop, claims, posts, advance, claim, rung } = aListener();
  await rung();
  await advance(4 * MINUTES);
  loop.wake();
  await advance(0);
  (await claim(1)).answer();
  await advance(45_000);
  loop.wake();
  await advance(0);
  (await claim(2)).answer();
  await advance(4 * MINUTES);
  expect(claims.map(rode)).toEqual([undefined, undefined, ['1@1']]);
  expect(posts).toEqual([]);
});

it('makes no claim for reports while there are none', async () => {
  const { claims, posts, advance, claim, rung } = aListener([]);
  await rung();
  await advance(5 * MINUTES);
  expect([claims.length, posts.length]).toEqual([2, 0]);
  expect(rode(await claim(1))).toBeUndefined();
});

it('sends a change by itself without a doorbell, and while a claim is under way', async () => {
  const { claims, posts, doorbell, change, claim, advance } = aListener();
  await change(1, 2);
  expect([claims.map(rode), posts.map(({ reports }) => said(reports))]).toEqual([[undefined], [['1@2']]]);
  posts[0]?.answer();
  doorbell.isNow = false;
  (await claim(0)).answer({ poll_after_seconds: 5, doorbell: { url: 'doorbell', rings: false } });
  await change(1, 3);
  expect(posts.map(({ reports }) => said(reports))).toEqual([['1@2'], ['1@3']]);
  // One at a time, and no claim takes along what is being sent.
  doorbell.isNow = true;
  await change(1, 4);
  await advance(5_000);
  expect([claims.map(rode), posts.length]).toEqual([[undefined, undefined], 2]);
  posts[1]?.answer();
  await advance(SETTLED);
  expect(posts.map(({ reports }) => said(reports)).at(-1)).toEqual(['1@4']);
});

it('sends by itself what an older control plane did not read, and tries again with another socket', async () => {
  const { claims, posts, change, claim, rung, advance, loop } = aListener();
  await rung();
  await change(1, 2);
  (await claim(1)).answer({ reported: undefined });
  await advance(0);
  expect(posts.map(({ reports }) => said(reports))).toEqual([['1@2']]);
  posts[0]?.answer();
  await change(1, 3);
  expect([claims.length, posts.length]).toEqual([2, 2]);
  posts[1]?.answer();
  for (const [n, rings] of [false, true].entries()) {
    loop.wake();
    await advance(0);
    (await claim(n + 2)).answer({ doorbell: { url: 'doorbell', rings } });
    await advance(0);
  }
  await change(1, 4);
  expect([rode(await claim(4)), posts.length]).toEqual([['1@4'], 2]);
});

it('sends by itself, as it is then, what a failed claim carried, and what changed meanwhile', async () => {
  const { claims, posts, change, claim, rung, advance } = aListener([1, 2]);
  await rung();
  await change(1, 2);
  await change(1, 3);
  await change(2, 4);
  (await claim(1)).refuse(403);
  await advance(0);
  expect(posts.map(({ reports }) => said(reports))).toEqual([['1@3', '2@4']]);
  posts[0]?.answer();
  await advance(SETTLED);
  expect([claims.length, posts.length]).toEqual([2, 1]);
});

it('claims at once without the reports when a claim is refused as malformed, and keeps its counts', async () => {
  const row: CountsRow = { deployment_id: id(1), revision_id: id(2), minute: 7, requests: { all: 3 } };
  const { claims, posts, change, claim, counts, rung, advance } = aListener();
  await rung();
  counts.push(row);
  await change(1, 2);
  (await claim(1)).refuse(422);
  await advance(0);
  expect([posts.length, claims.map(rode)]).toEqual([1, [undefined, ['1@2'], undefined]]);
  expect([claims[2]?.body.counts, counts]).toEqual([[row], [row]]);
});

it('does not give up a claim with reports for another, which has the newer ones', async () => {
  const { loop, claims, posts, change, claim, rung, advance } = aListener();
  await rung();
  await change(1, 2);
  let isDone = false;
  const again = loop.again().then(() => (isDone = true));
  await change(1, 3);
  expect([claims.length, claims[1]?.signal.aborted, isDone]).toEqual([2, false, false]);
  (await claim(1)).answer();
  await advance(0);
  expect([claims.length, isDone]).toEqual([3, false]);
  (await claim(2)).answer();
  await again;
  await advance(SETTLED);
  // Those of the third claim, or of the one after it: none is lost.
  expect([claims.map(rode), posts]).toEqual([[undefined, ['1@2'], undefined, ['1@3']], []]);
});

it('loses none when the socket closes before the claim is made, or during it', async () => {
  const { claims, posts, doorbell, change, claim, rung, advance, loop } = aListener();
  await rung();
  await change(1, 2);
  doorbell.isNow = false;
  loop.wake();
  (await claim(1)).answer({ doorbell: { url: 'doorbell', rings: false } });
  await advance(0);
  expect([claims.map(rode), posts.length]).toEqual([[undefined, ['1@2'], undefined], 0]);
  (await claim(2)).answer({ doorbell: { url: 'doorbell', rings: true } });
  doorbell.isNow = true;
  await advance(0);
  await change(1, 3);
  expect(posts.map(({ reports }) => said(reports))).toEqual([['1@3']]);
  posts[0]?.answer();
  loop.wake();
  await advance(0);
  (await claim(3)).answer();
  await advance(0);
  // It closes between the wish for a claim and the claim.
  let asked = 0;
  doorbell.isOpen = () => asked++ === 0;
  await change(1, 4);
  expect(rode(await claim(4))).toBeUndefined();
  expect(posts.map(({ reports }) => said(reports))).toEqual([['1@3'], ['1@4']]);
});

it('sends more than one request may hold by itself', async () => {
  const all = Array.from({ length: 501 }, (_, n) => n);
  const { claims, posts, advance, claim, rung } = aListener(all);
  await rung();
  await advance(5 * MINUTES + SETTLED);
  posts[0]?.answer();
  await advance(SETTLED);
  expect(posts.map(({ reports }) => reports.length)).toEqual([500, 1]);
  posts[1]?.answer();
  (await claim(1)).answer();
  await advance(1);
  expect(claims.map(rode)).toEqual([undefined, undefined]);
});

it('ends with its signal, whatever it waits for', async () => {
  const { change, claim, rung, stop, posts } = aListener();
  await rung();
  await change(1, 2);
  expect(rode(await claim(1))).toEqual(['1@2']);
  await stop();
  expect(posts).toEqual([]);
});
