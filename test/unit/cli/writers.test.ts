import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ListFunctionsCommand,
  ListTagsCommand,
  PutFunctionConcurrencyCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { pauseWriters, resumeWriters } from '../../../lib/cli/writers.ts';
import { commandLine } from '../../support/programs/command-line.ts';

type Stored = {
  table: string;
  timeout: number;
  reserved?: number | undefined;
  tags?: Record<string, string>;
};

/** An account's functions by name, in two pages; calls change what is stored. */
function anAccount<Name extends string>(functions: Record<Name, Stored>) {
  const lambda = mockClient(LambdaClient);
  const byName = new Map<string, Stored>(Object.entries(functions));
  const stored = (name = ''): Stored => byName.get(name.replace(/^arn:/, '')) ?? expect.unreachable(name);
  const names = Object.keys(functions);
  const page = (from: number, to: number) =>
    names.slice(from, to).map((name) => ({
      FunctionName: name,
      FunctionArn: `arn:${name}`,
      Timeout: stored(name).timeout,
      Environment: { Variables: { TABLE_NAME: stored(name).table } },
    }));
  lambda
    .on(ListFunctionsCommand)
    .callsFake(async ({ Marker }) =>
      Marker === undefined
        ? { Functions: page(0, 1), NextMarker: 'rest' }
        : { Functions: page(1, names.length) },
    );
  lambda.on(ListTagsCommand).callsFake(async ({ Resource }) => ({ Tags: stored(Resource).tags }));
  lambda.on(GetFunctionConcurrencyCommand).callsFake(async ({ FunctionName }) => ({
    ReservedConcurrentExecutions: stored(FunctionName).reserved,
  }));
  lambda
    .on(PutFunctionConcurrencyCommand)
    .callsFake(async ({ FunctionName, ReservedConcurrentExecutions }) => {
      stored(FunctionName).reserved = ReservedConcurrentExecutions;
    });
  lambda.on(DeleteFunctionConcurrencyCommand).callsFake(async ({ FunctionName }) => {
    delete stored(FunctionName).reserved;
  });
  lambda.on(TagResourceCommand).callsFake(async ({ Resource, Tags }) => {
    stored(Resource).tags = { ...stored(Resource).tags, ...Tags };
  });
  lambda.on(UntagResourceCommand).callsFake(async ({ Resource, TagKeys }) => {
    const { tags = {} } = stored(Resource);
    stored(Resource).tags = Object.fromEntries(
      Object.entries(tags).filter(([key]) => !TagKeys.includes(key)),
    );
  });
  return { functions, client: new LambdaClient({ region: 'eu-west-1' }) };
}

const three = () => ({
  api: { table: 'ours', timeout: 30, tags: { team: 'a' } },
  dispatch: { table: 'ours', timeout: 60, reserved: 7 },
  other: { table: 'theirs', timeout: 900, reserved: 3 },
});
const reservedOf = (functions: Record<string, Stored>) =>
  Object.fromEntries(Object.entries(functions).map(([name, { reserved }]) => [name, reserved]));

describe('what writes to a table', () => {
  it('is stopped, and starts again as it was, although a stop is repeated', async () => {
    const { client, functions } = anAccount(three());
    expect(await pauseWriters(client, 'ours')).toEqual({ functions: 2, secondsUntilQuiet: 60 });
    expect(reservedOf(functions)).toEqual({ api: 0, dispatch: 0, other: 3 });
    await pauseWriters(client, 'ours');
    expect(await resumeWriters(client, 'ours')).toBe(2);
    expect(reservedOf(functions)).toEqual({ dispatch: 7, other: 3 });
    expect(functions.api.tags).toEqual({ team: 'a' });
  });

  it('is started again where it works on a restored table by then', async () => {
    const { client, functions } = anAccount(three());
    await pauseWriters(client, 'ours');
    for (const one of [functions.api, functions.dispatch]) one.table = 'restored';
    expect(await resumeWriters(client, 'restored')).toBe(2);
    expect(reservedOf(functions)).toEqual({ dispatch: 7, other: 3 });
  });

  it('stays as it is when nothing was stopped', async () => {
    const { client, functions } = anAccount(three());
    expect(await resumeWriters(client, 'ours')).toBe(0);
    expect(reservedOf(functions)).toEqual({ dispatch: 7, other: 3 });
  });

  it('is not there for a table that nothing works on, which is said', async () => {
    const { client } = anAccount(three());
    await expect(pauseWriters(client, 'nothing')).rejects.toThrow(/works on the table 'nothing'.*TableName/);
  });

  it('is started again by the command that a stop prints', async () => {
    const { functions, client } = anAccount(three());
    const run = (words: string) => commandLine(words.split(' '), { functionsOf: () => client });
    const { err } = await run('admin pause --table ours --region eu-west-1');
    expect(reservedOf(functions)).toEqual({ api: 0, dispatch: 0, other: 3 });
    const command = /npm run slipway -- (.+)/.exec(err)?.[1] ?? '';
    expect(command).toBe('admin resume --table ours --region eu-west-1');
    expect(await run(command)).toMatchObject({ code: 0 });
    expect(reservedOf(functions)).toEqual({ dispatch: 7, other: 3 });
  });
});
