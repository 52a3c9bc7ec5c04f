import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printTable } from '../bench/table.ts';
import { points } from './points.ts';
import { type Kill, type Recovery, Scene } from './scene.ts';

const KILLS: readonly Kill[] = [
  { when: 'before', afterMs: 0, all: false },
  { when: 'after', afterMs: 0, all: false },
  { when: 'before', afterMs: 0, all: true },
  { when: 'after', afterMs: 0, all: true },
  { when: 'after', afterMs: 100, all: true },
];

const seconds = (values: number[]): string => (Math.max(...values) / 1000).toFixed(1);

describe('kill -9 of the whole program', () => {
  const recoveries = new Map<string, Recovery[]>();
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open(['a', 'b', 'c']);
  });
  afterAll(async () => {
    await scene.close();
    const rows = [...recoveries].map(([point, all]) => [
      point,
      String(all.length),
      seconds(all.map(({ servesAgainMs }) => servesAgainMs)),
      seconds(all.map(({ deployedMs }) => deployedMs)),
    ]);
    const header = ['at', 'kills', 'serves again, s', 'all deployed, s'];
    printTable('Longest recovery, from the kill', header, rows);
  });

  it.each(points)(
    'at $name deploys everything all the same, in order',
    async ({ name }) => {
      const own: Recovery[] = [];
      recoveries.set(name, own);
      for (const kill of KILLS) {
        const recovery = await scene.kill(name, kill);
        expect({ kill, problems: recovery.problems }).toEqual({ kill, problems: [] });
        own.push(recovery);
      }
    },
    1_800_000,
  );
});
