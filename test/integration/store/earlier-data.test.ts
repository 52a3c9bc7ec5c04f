import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tar from 'tar';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { findDynamoDb } from '../../../lib/embedded/dynoxide/binary.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { startDynoxide } from '../../../lib/embedded/dynoxide/server.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { exportedSchemas } from '../../support/table/stored-schemas.ts';
import { earlierData } from '../../support/world/earlier-data.ts';
import { allItems } from '../../support/world/world.ts';

const recordFile = new URL('stored-shapes.json', import.meta.url);

/** Entities that are written and never read. */
async function neverRead(): Promise<Set<string>> {
  const shapes = z
    .record(z.string(), z.looseObject({ attributes: z.array(z.string()).optional() }))
    .parse(JSON.parse(await readFile(recordFile, 'utf8')));
  const unread = Object.entries(shapes).filter(([, { attributes }]) => attributes !== undefined);
  return new Set(unread.map(([name]) => name.split('@')[0] ?? ''));
}

async function storedIn(archive: URL): Promise<Item[]> {
  const source = findDynamoDb({});
  if (source.kind !== 'binary') throw new Error('this test needs the binary');
  const folder = await temporaryFolder();
  await tar.x({ file: archive.pathname, cwd: folder, strip: 1 });
  const processes = new ProcessSupervisor();
  onTestFinished(() => processes.close());
  const server = await startDynoxide({ processes, binary: source.path, file: join(folder, 'table.db') });
  onTestFinished(() => server.stop());
  const { table } = z
    .object({ table: z.string() })
    .parse(JSON.parse(await readFile(join(folder, 'database.json'), 'utf8')));
  return allItems({ client: documentClient(server.endpoint), name: table });
}

/** Whether one of the schemas reads this item as one of its kind. */
const isRead = (item: Item, schemas: z.ZodType[]): boolean =>
  schemas.some((schema) => {
    const { data } = schema.safeParse(item);
    return typeof data === 'object' && data !== null && 'entity' in data && data.entity === item.entity;
  });

it.each(earlierData)('each item that $of has stored is read by a schema of the store', async (earlier) => {
  const [items, schemas, unread] = await Promise.all([
    storedIn(earlier.archive),
    exportedSchemas(),
    neverRead(),
  ]);
  const kinds = new Set(items.map(({ entity, v }) => `${String(entity)}@${String(v)}`));
  expect(kinds.size).toBe(earlier.kinds);
  const failed = items.filter((item) => !unread.has(String(item.entity)) && !isRead(item, schemas));
  expect(failed, 'upgrade them on read, by a schema that is exported (alsoEarlier)').toEqual([]);
});
