import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import * as tar from 'tar';
import type { Deps } from '../../app/deps.ts';
import { bootstrap } from '../../app/identity/bootstrap.ts';
import { createListenerKey } from '../../app/identity/create-listener-key.ts';
import { Obstacle } from '../explain.ts';
import { Client } from './client.ts';

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

export type FirstAgent = { url: string | null; apiKey: string; tenantId: string; stop(): Promise<void> };

/** Installed packages and a repository's own data are no part of a source. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|\.venv|__pycache__)(?:\/|$)/;

/**
 * From an empty installation to something that answers: the first organization, tenant and key, a listener on
 * this machine, and a folder deployed to it. The listener runs until `stop`. Throws `Obstacle` with what went
 * wrong; what was made until then stays.
 */
export async function firstAgent(
  deps: Pick<Deps, 'table' | 'clock'>,
  { url, organization, tenant, project, name }: FirstAgentWish,
  listen: Listen,
  say: (line: string) => void,
): Promise<FirstAgent> {
  // Before anything is made: a wrong folder costs nobody a tenant.
  const content = await tarballOf(resolve(project));
  const { tenantId, apiKey } = await bootstrap(deps, { organization, tenant });
  say(`API key   ${apiKey}`);
  const client = new Client(url, apiKey);
  const listenerId = await client.registerMachine(hostname());
  const listenerKey = await createListenerKey(deps, { tenantId, listenerId });
  say(`Listener  ${listenerId} (this machine), key ${listenerKey}`);
  const listener = await listen({ url, listenerId, apiKey: listenerKey }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Obstacle(
      `The listener cannot run on this machine: ${why}. See --agents-port and --listener-dir.`,
    );
  });
  try {
    const id = await client.deployTarball(name, content);
    say(`Deploying ${project} as ${name}, ${id}`);
    return { url: await client.follow(id, say), apiKey, tenantId, stop: listener.stop };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}

async function tarballOf(folder: string): Promise<Uint8Array> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new Obstacle(`There is no folder ${folder}; give the project to deploy with --project.`);
  const filter = (path: string) => !LEFT_OUT.test(path);
  const chunks: Buffer[] = [];
  for await (const chunk of tar.create({ cwd: folder, gzip: true, portable: true, filter }, ['.'])) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
