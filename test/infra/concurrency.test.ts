import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { answers } from '../../lib/infra/preflight/check.ts';
import { concurrencyQuestion } from '../../lib/infra/preflight/lambda.ts';
import { readSettings } from '../../lib/infra/settings.ts';

const lambda = mockClient(LambdaClient);
const settings = (engineConcurrency?: number) =>
  readSettings((name) => (name === 'engineConcurrency' ? engineConcurrency : undefined));
const check = async (engineConcurrency?: number) => {
  const client = new LambdaClient({ region: 'eu-west-1' });
  const [answer] = await answers([concurrencyQuestion(client, settings(engineConcurrency))]);
  return answer;
};

const account = (limit: number, unreserved = limit) =>
  lambda.on(GetAccountSettingsCommand).resolves({
    AccountLimit: { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved },
  });

beforeEach(() => {
  lambda.reset();
  const absent = new ResourceNotFoundException({ message: 'no function', $metadata: {} });
  lambda.on(GetFunctionConcurrencyCommand).rejects(absent);
});

describe('what the engine reserves', () => {
  it('is refused before the deploy in a new account, with what to do', async () => {
    account(10);
    expect(await check(5)).toMatchObject({
      state: 'lack',
      there: '10',
      advice: expect.stringMatching(
        /^engineConcurrency=5 reserves 27 concurrent executions .* this account has 10 in this region, Lambda keeps 100 unreserved\. .* raised in Service Quotas to 127 or more or deploy without engineConcurrency\.$/,
      ),
    });
  });

  it.each([
    [127, 127, 5],
    [1000, 1000, 179],
    [1000, 500, 79],
  ])('fits an account of %i, %i of them unreserved, up to %i', async (limit, unreserved, most) => {
    account(limit, unreserved);
    expect(await check(most)).toMatchObject({ state: 'ok' });
    expect(await check(most + 1)).toMatchObject({
      state: 'lack',
      advice: expect.stringMatching(
        new RegExp(`, set engineConcurrency to ${most} or less, or deploy without`),
      ),
    });
  });

  it('counts what this installation has reserved already as its own', async () => {
    account(1000, 100);
    const other = expect.stringContaining('other functions have reserved 900 of them');
    expect(await check(30)).toMatchObject({ state: 'lack', advice: other });
    lambda.on(GetFunctionConcurrencyCommand).resolves({ ReservedConcurrentExecutions: 30 });
    expect(await check(30)).toMatchObject({ state: 'ok' });
    const names = lambda.commandCalls(GetFunctionConcurrencyCommand).map(({ args }) => args[0].input);
    expect(names).toContainEqual({ FunctionName: 'slipway-prod-dispatch' });
    expect(names).toContainEqual({ FunctionName: 'slipway-prod-sweep' });
  });

  it('is not asked for without the setting: then a small limit is only said', async () => {
    account(10);
    expect(await check()).toMatchObject({ state: 'low', there: '10' });
    account(1000);
    expect(await check()).toEqual({
      what: 'Lambda, concurrent executions',
      needed: '100',
      state: 'ok',
      there: '1000',
    });
    expect(lambda.commandCalls(GetFunctionConcurrencyCommand)).toEqual([]);
  });

  it('is unknown where it may not be asked', async () => {
    lambda.on(GetAccountSettingsCommand).rejects(new Error('not authorized'));
    expect(await check(5)).toMatchObject({ state: 'unknown', advice: 'Error: not authorized' });
  });

  it.each([4, 0, 'many', 1001])('is not %s', (value) => {
    expect(() => readSettings((name) => (name === 'engineConcurrency' ? value : undefined))).toThrow(
      /engineConcurrency/,
    );
  });
});
