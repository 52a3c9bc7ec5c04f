import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import * as tar from 'tar';
import type { Client } from '../../client/client.ts';
import type { Deps } from '../../core/deps.ts';
import { createListenerKey } from '../../features/api-keys/create-as-operator.ts';
import { bootstrap } from '../../features/tenants/bootstrap.ts';
import { isWanted } from '../../tar.ts';
import { Obstacle } from '../explain.ts';
import { deployTarball, followNewest, makeDeployment, warningClient } from './client.ts';

export type FirstAgentWish = {
  /** The API's address. */
  url: string;
  organization: string;
  tenant: string;
  /** The folder that is deployed. */
  project: string;
  name: string;
};

/** Runs the listener of this machine until `stop`. */
export type Listen = (as: {
  url: string;
  listenerId: string;
  apiKey: string;
}) => Promise<{ stop(): Promise<void> }>;

type FirstAgent = { url: string | null; apiKey: string; tenantId: string; stop(): Promise<void> };

type FirstDeps = Pick<Deps, 'table' | 'clock'>;
type Entered = { content: Uint8Array; client: Client; tenantId: string; apiKey: string };

/** Makes the first organization, tenant and key, and says the key. Throws `Obstacle` before that for a wrong folder. */
export async function enter(
  deps: FirstDeps,
  { url, organization, tenant, project }: FirstAgentWish,
  say: (line: string) => void,
): Promise<Entered> {
  // Before anything is made: a wrong folder costs nobody a tenant.
  const content = await tarballOfFolder(resolve(project));
  const { tenantId, apiKey } = await bootstrap(deps, { organization, tenant });
  say(`API key   ${apiKey}`);
  return { content, client: warningClient(url, apiKey, say), tenantId, apiKey };
}

/**
 * From an empty installation to something that answers: the first organization, tenant and key, a listener on
 * this machine, and a folder deployed to it. The listener runs until `stop`. Throws `Obstacle` with what went
 * wrong; what was made until then stays.
 */
export async function firstAgent(
  deps: FirstDeps,
  wish: FirstAgentWish,
  listen: Listen,
  say: (line: string) => void,
): Promise<FirstAgent> {
  const { url, project, name } = wish;
  const { content, client, tenantId, apiKey } = await enter(deps, wish, say);
  const machine = { compute_type: 'process', compute_id: hostname(), compute_config: {} } as const;
  const { id: listenerId } = await client.ask('POST /v2/listeners', { body: machine });
  const listenerKey = await createListenerKey(deps, { tenantId, listenerId });
  say(`Listener  ${listenerId} (this machine), key ${listenerKey}`);
  const listener = await listen({ url, listenerId, apiKey: listenerKey }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Obstacle(
      `The listener cannot run on this machine: ${why}. See --agents-port and --listener-dir.`,
    );
  });
  try {
    const id = await makeDeployment(client, name);
    await deployTarball(client, id, content);
    say(`Deploying ${project} as ${name}, ${id}`);
    return { url: await followNewest(client, id, say), apiKey, tenantId, stop: listener.stop };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}

/** The folder's source as a gzipped tar file. Throws `Obstacle` when there is no such folder. */
export async function tarballOfFolder(folder: string): Promise<Uint8Array> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new Obstacle(`There is no folder ${folder}; give the project to deploy with --project.`);
  const chunks: Buffer[] = [];
  for await (const chunk of tar.create({ cwd: folder, gzip: true, portable: true, filter: isWanted }, [
    '.',
  ])) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
