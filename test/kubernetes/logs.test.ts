import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectApi, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { LogNode } from './log-node.ts';
import { type RunningListener, World } from './world.ts';

type Line = { message: string; timestamp: string };

let world: World;
let node: LogNode;
let made: ShownDeployment;
let listener: RunningListener;

beforeAll(async () => {
  world = await World.open();
  node = await LogNode.open(world.cluster);
  listener = world.listen(node.kubeconfig);
  made = await world.deploy('talker', 'example.test/agent:1', {
    secrets: [{ name: 'GREETING', value: 'a secret greeting' }],
  });
  await world.deployed(made);
});

afterAll(async () => {
  await listener.stop();
  await node.close();
  await world.close();
});

/** The numbers of the lines that were shipped. */
async function ticks(): Promise<number[]> {
  const lines: Line[] = [];
  let offset: string | null = null;
  for (;;) {
    const path = `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/deploy_logs`;
    const page: { logs: Line[]; next_offset: string | null } = await expectApi(
      world.program,
      'POST',
      path,
      { order: 'asc', limit: 1000, ...(offset !== null && { offset }) },
      200,
    );
    lines.push(...page.logs);
    if (page.logs.length === 0) break;
    offset = page.next_offset;
  }
  const said = lines.map(({ message }) => message).filter((message) => message.startsWith('tick'));
  for (const message of said) expect(message).toMatch(/^tick \d+ of \*\*\*$/);
  return said.map((message) => Number(message.split(' ')[1]));
}

/** Waits until all that is written now is shipped. */
async function shipped(): Promise<number[]> {
  const written = node.written;
  return until(
    async () => {
      const found = await ticks();
      return Math.max(0, ...found) >= written && found;
    },
    { what: () => `line ${written}; ${listener.output()}` },
  );
}

const counted = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

describe('what a server in a cluster writes', () => {
  it('is shipped, each line once, also when connections break', async () => {
    await shipped();
    for (let n = 0; n < 3; n += 1) {
      node.drop();
      const found = await shipped();
      expect(found).toEqual(counted(found.length));
    }
    expect(node.requests.length).toBeLessThan(12);
  });

  it('has no gaps after a restart of the listener', async () => {
    for (const end of ['stop', 'kill'] as const) {
      await shipped();
      await listener[end]();
      listener = world.listen(node.kubeconfig);
      const found = await shipped();
      // What was written shortly before the end may come twice.
      expect([...new Set(found)].toSorted((a, b) => a - b)).toEqual(counted(Math.max(...found)));
    }
  });
});
