import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDynamoDb } from '../../lib/embedded/dynoxide/binary.ts';
import { documentClient } from '../../lib/embedded/dynoxide/client.ts';
import { startDynoxide } from '../../lib/embedded/dynoxide/server.ts';
import { openBeside } from '../../lib/embedded/dynoxide/table.ts';
import { openLogStore } from '../../lib/embedded/logs/store.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import type { Table } from '../../lib/store/table.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deploymentOf,
  expectApi,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { allItems } from '../support/table/all-items.ts';
import { type Copied, copiesOf, idOfCopy } from '../support/table/copies.ts';
import { putAll } from '../support/table/put-all.ts';
import { repositoryIn } from './neighbours.ts';

export const REVISIONS = 5;
export const LINES = 100;
/** Of other tenants; the first has the rest. */
const OTHER_TENANTS = 99;
const OF_EACH = 5;

export type Listener = { id: string; key: string };

/** A data folder with one deployment on a listener that only pretends, and what is asked of it. */
export type Template = Copied & { dataFolder: string; revisionId: string; listener: Listener };

/** Makes a deployment with its revisions as anybody would, and ends the program. */
export async function aTemplate(): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-scale-'));
  const dataFolder = join(folder, 'template');
  const program = await startProgram({ dataFolder });
  const { url } = await repositoryIn(join(folder, 'repository'), await helloFiles());
  const listener = await aListener(program);
  const source_config = { repo_url: url, listener_id: listener.id };
  let made = await create(program, 'copied', url, { source_config });
  for (let revision = 1; ; revision += 1) {
    await deploy(program, listener, made);
    if (revision === REVISIONS) break;
    made = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  }
  const { latest_revision_id: revisionId } = await deploymentOf(program, made.id);
  await program.stop();
  const { tenantId } = program;
  return {
    tenantId,
    listenerId: listener.id,
    deploymentId: made.id,
    name: 'copied',
    dataFolder,
    revisionId,
    listener,
  };
}

async function aListener(program: Program): Promise<Listener> {
  const wanted = { compute_type: 'process', compute_id: 'pretended', compute_config: {} };
  const { id } = await expectApi<{ id: string }>(program, 'POST', '/v2/listeners', wanted, 201);
  const asked = { name: 'pretended', role: 'listener', listener_id: id };
  const { key } = await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', asked, 201);
  return { id, key };
}

/** Says of the newest revision, once it is offered, that it runs. */
async function deploy(program: Program, listener: Listener, { id, latest_revision_id }: ShownDeployment) {
  await revisionUntil(program, id, latest_revision_id, (status) => status === 'AWAITING_DEPLOY');
  const { tasks } = await claim(program, listener, 20);
  const ended = { outcome: 'succeeded', url: 'http://localhost:1/d/copied' };
  for (const { task_id, lease_id } of tasks)
    await asListener(program, listener, `tasks/${task_id}/complete`, { lease_id, ...ended });
  await revisionUntil(program, id, latest_revision_id, (status) => status === 'DEPLOYED');
}

type Claimed = { tasks: { task_id: string; lease_id: string }[] };

/** What a listener asks for over and over. */
export const claim = (program: Program, listener: Listener, waitSeconds = 0): Promise<Claimed> =>
  asListener(program, listener, 'tasks/claim', {
    instance_id: 'pretended',
    max: 1,
    wait_seconds: waitSeconds,
  });

const asListener = <T>(program: Program, { id, key }: Listener, path: string, body: object): Promise<T> =>
  expectApi<T>({ ...program, apiKey: key }, 'POST', `/v2/listeners/${id}/${path}`, body, 200);

/** A copy of the data folder in which there are so many deployments, with their logs. Gives the folder. */
export async function filled(
  template: Template,
  count: number,
): Promise<{ dataFolder: string; items: number }> {
  // No folder's name begins another's: by it the processes of each are known.
  const dataFolder = join(template.dataFolder, '..', `${count}-deployments`);
  await cp(template.dataFolder, dataFolder, { recursive: true });
  const elsewhere = Math.min(OTHER_TENANTS * OF_EACH, Math.floor(count / 2));
  const own = count - 1 - elsewhere;
  const placeOf = (copy: number) => {
    const tenant = Math.ceil((copy - own) / OF_EACH);
    if (tenant <= 0) return template;
    return {
      tenantId: idOfCopy(template.tenantId, tenant),
      listenerId: idOfCopy(template.listenerId, tenant),
    };
  };
  const items = await withTable(dataFolder, async (table) => {
    const copies = copiesOf(await allItems(table), template, count - 1, placeOf);
    await putAll(table, copies);
    return copies.length;
  });
  const logs = openLogStore({ path: join(dataFolder, 'logs.db'), now: Date.now });
  for (let copy = 0; copy < count; copy += 1) {
    const { tenantId } = copy === 0 ? template : placeOf(copy);
    const [deploymentId = '', revisionId = ''] = [template.deploymentId, template.revisionId].map((id) =>
      copy === 0 ? id : idOfCopy(id, copy),
    );
    const lines = Array.from({ length: LINES }, (_, at) => ({
      timestamp: Date.now() - LINES + at,
      level: 'INFO' as const,
      message: `line ${at} of what an agent says in a day`,
    }));
    await logs.append({ tenantId, deploymentId, revisionId, type: 'deploy' }, lines);
  }
  logs.close();
  return { dataFolder, items };
}

/** Works on the table of a program that does not run. Nobody hears of what is written. */
async function withTable<T>(dataFolder: string, work: (table: Table) => Promise<T>): Promise<T> {
  const processes = new ProcessSupervisor();
  const source = findDynamoDb({});
  if (source.kind !== 'binary') throw new Error('there is no dynoxide for this platform');
  const file = join(dataFolder, 'table.db');
  const server = await startDynoxide({ processes, binary: source.path, file });
  const client = documentClient(server.endpoint);
  try {
    return await work({ client, name: 'slipway' });
  } finally {
    client.destroy();
    await server.stop();
    await processes.close();
    const database = openBeside(file);
    database.exec('DELETE FROM _stream_records WHERE id < (SELECT MAX(id) FROM _stream_records)');
    database.close();
  }
}

export const remove = ({ dataFolder }: Template): Promise<void> =>
  rm(join(dataFolder, '..'), { recursive: true, force: true });
