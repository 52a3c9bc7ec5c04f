import { describe, expect, it } from 'vitest';
import { claim, listening, offered } from '../../support/world/listening.ts';

describe('a claim', () => {
  it('brings ten tasks at most, and what is left beside those in hand', async () => {
    const world = await listening();
    for (let n = 1; n <= 14; n++) await offered(world, `agent-${n}`);
    const hands: string[] = [];
    const take = async (max: number) => {
      const { tasks } = await claim(world, max, 'one', hands);
      hands.push(...tasks.map(({ task_id }) => task_id));
      return tasks.length;
    };
    expect(await take(100)).toBe(10);
    expect(await take(12)).toBe(2);
    expect(await take(12)).toBe(0);
    expect(await take(100)).toBe(2);
    expect(new Set(hands).size).toBe(14);
  });
});
