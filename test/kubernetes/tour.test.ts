import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labels, MANAGED_BY } from '../../lib/compute/kubernetes/render/names.ts';
import { withGeneratedPart } from '../support/files/generated-part.ts';
import { until } from '../support/until.ts';
import { getTables, printed } from './kubectl-get.ts';
import { type RunningListener, World } from './world.ts';

const file = fileURLToPath(new URL('../../docs/kubernetes.md', import.meta.url));

let world: World;
let listener: RunningListener;

beforeAll(async () => {
  world = await World.open();
  listener = world.listen();
});

afterAll(async () => {
  await listener.stop();
  await world.close();
});

/** Every controller has counted both servers. */
const isSettled = (text: string): boolean =>
  [/ 2\/2 +2 +2 /, / cpu: \d+%\/80% +2 +4 +2 /, / N\/A +1 +1 /].every((row) => row.test(text));

/** Ids, addresses and ages are others each time. */
function withoutChance(tables: string[][][]): string[][][] {
  const known = { '-0000000': new Map<string, string>(), '10.96.0.1': new Map<string, string>() };
  const stable = (begin: keyof typeof known, value: string) => {
    const names = known[begin];
    const name = names.get(value) ?? `${begin}${names.size + 1}`;
    names.set(value, name);
    return name;
  };
  return tables.map((table) => {
    const [header = []] = table;
    return [
      header,
      ...table.slice(1).map((row) =>
        row.map((cell, index) => {
          if (header[index] === 'AGE') return '2m';
          if (header[index] === 'CLUSTER-IP') return stable('10.96.0.1', cell);
          return cell.replaceAll(/-[0-9a-f]{8}\b/g, (part) => stable('-0000000', part));
        }),
      ),
    ];
  });
}

it('docs/kubernetes.md shows what a deployment is; UPDATE_DOCS=1 writes it', async () => {
  const spec = { min_scale: 2, max_scale: 4, cpu: 0.25, memory_mb: 512 };
  await world.deployed(await world.deploy('hello', 'example.test/agent:1', { spec }));
  const tables = () => getTables(world.config, 'agents', `${labels.managedBy}=${MANAGED_BY}`);
  const found = await until(
    async () => {
      const now = await tables();
      return isSettled(printed(now)) && now;
    },
    { what: 'the autoscaler to know how busy the servers are' },
  );
  const content = `\`\`\`\n${printed(withoutChance(found))}\n\`\`\``;
  const text = await readFile(file, 'utf8');
  const written = withGeneratedPart(text, 'what a deployment is in a cluster', content);
  if (process.env.UPDATE_DOCS !== undefined) await writeFile(file, written);
  expect(await readFile(file, 'utf8')).toBe(written);
});
