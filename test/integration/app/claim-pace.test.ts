import { describe, expect, it } from 'vitest';
import { claim, listening, offered } from '../../support/world/listening.ts';

describe('claims', () => {
  it('are asked for less often after an hour without work, and soon again after work', async () => {
    const world = await listening();
    const pace = async () => (await claim(world)).poll_after_seconds;
    expect(await pace()).toBe(5);
    world.advance(3_500);
    expect(await pace()).toBe(5);
    world.advance(101);
    expect(await pace()).toBe(15);
    await offered(world, 'a');
    expect([await pace(), await pace()]).toEqual([1, 1]);
    // Its own lease gives a task back at each claim: as long as it has one, there is work.
    expect((await claim(world, 10, 'two')).poll_after_seconds).toBe(5);
  });
});
