import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { injectFaults } from '../../../lib/embedded/faults.ts';
import type { Table } from '../../../lib/store/table.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { helloFiles } from '../../support/programs/hello-server.ts';
import * as http from '../../support/programs/program.ts';
import { freshTable } from '../../support/table/dynoxide.ts';
import { github, post, showRevision } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { deploy } from '../../support/world/steps.ts';

const item = (pk: string) => ({ pk, sk: 'item' });
const twoPuts = ({ name }: Table, number: number) =>
  new TransactWriteCommand({
    TransactItems: ['a', 'b'].map((pk) => ({ Put: { TableName: name, Item: item(`${pk}${number}`) } })),
  });

/**
 * How twenty transactions end, one after the other, on a new table: the code of each item's reason, or
 * nothing.
 */
async function twentyEnds(transactionConflict: number, seed: number) {
  const table = await freshTable();
  let faults = 0;
  injectFaults(table.client, { transactionConflict, seed }, () => {
    faults += 1;
  });
  const ends: (string[] | undefined)[] = [];
  for (let number = 0; number < 20; number += 1) {
    const error: unknown = await table.client.send(twoPuts(table, number)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
    ends.push(reasons?.map(({ Code }) => Code ?? ''));
    const command = new GetCommand({ TableName: table.name, Key: item(`a${number}`), ConsistentRead: true });
    expect((await table.client.send(command)).Item === undefined).toBe(error !== undefined);
  }
  return { ends, faults };
}

it('lets the same share of transactions meet another writer each time, and writes nothing then', async () => {
  const first = await twentyEnds(0.5, 7);
  const failed = first.ends.filter((codes) => codes !== undefined);
  expect(failed.length).toBe(first.faults);
  expect(failed.length).toBeGreaterThan(4);
  expect(failed.length).toBeLessThan(16);
  for (const codes of failed) expect(codes.toSorted()).toEqual(['None', 'TransactionConflict']);
  expect(await twentyEnds(0.5, 7)).toEqual(first);
  expect((await twentyEnds(0.5, 8)).ends).not.toEqual(first.ends);
  expect((await twentyEnds(0, 7)).faults).toBe(0);
});

it('lets single writes fail as well, and no read', async () => {
  const { client, name } = await freshTable();
  let faults = 0;
  injectFaults(client, { transactionConflict: 0.5, seed: 1 }, () => {
    faults += 1;
  });
  const thrown: unknown[] = [];
  for (let number = 0; number < 20; number += 1) {
    await client
      .send(new PutCommand({ TableName: name, Item: item(`a${number}`) }))
      .catch((error: unknown) => thrown.push(error));
    await client.send(new GetCommand({ TableName: name, Key: item(`a${number}`) }));
  }
  expect(thrown.length).toBe(faults);
  expect(faults).toBeGreaterThan(4);
  for (const error of thrown) expect(error).toBeInstanceOf(TransactionConflictException);
});

it('hinders no revision on its way: what fails is tried again', async () => {
  const world = await aRunningWorld();
  let faults = 0;
  injectFaults(world.deps.table.client, { transactionConflict: 0.7, seed: 1 }, () => {
    faults += 1;
  });
  const { id, latest_revision_id: revisionId } = await post(world, github('app'));
  expect(faults).toBeGreaterThan(0);
  await deploy(world, id, revisionId);
  expect(faults).toBeGreaterThan(8);
  const { status_history } = await showRevision(world, id, revisionId);
  expect(status_history.map(({ status }) => status)).toEqual([
    'CREATING',
    'QUEUED',
    'AWAITING_BUILD',
    'BUILDING',
    'AWAITING_DEPLOY',
    'DEPLOYING',
    'DEPLOYED',
  ]);
});

it('is switched on for the whole program by its variable', async () => {
  const environment = { SLIPWAY_FAULTS: 'transaction-conflict=0.5,seed=3', SLIPWAY_LOG_LEVEL: 'debug' };
  const program = await http.startProgram({ environment });
  onTestFinished(async () => expect(await http.endProgram(program)).toEqual([]));
  expect(program.output()).toContain('50 % of the writes fail on purpose (seed 3)');
  const { url } = await gitRepository(await helloFiles());
  const deployment = await http.deployed(program, await http.create(program, 'hello', url));
  expect(await http.helloFrom(deployment)).toMatchObject({ version: 'v1' });
  expect(program.output().split('SLIPWAY_FAULTS: transaction conflict').length).toBeGreaterThan(10);
});
