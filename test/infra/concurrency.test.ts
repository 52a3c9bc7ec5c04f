import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkAccount } from '../../lib/infra/account.ts';
import { readSettings } from '../../lib/infra/settings.ts';

const lambda = mockClient(LambdaClient);
const settings = (engineConcurrency?: number) =>
  readSettings((name) => (name === 'engineConcurrency' ? engineConcurrency : undefined));
const environment = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'eu-west-1' };
const check = (engineConcurrency?: number, given: NodeJS.ProcessEnv = environment) =>
  checkAccount(settings(engineConcurrency), given);

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
    await expect(check(5)).rejects.toThrow(
      /^engineConcurrency=5 reserves 27 concurrent executions .* this account has 10 in this region, Lambda keeps 100 unreserved\. .* raised in Service Quotas to 127 or more or deploy without engineConcurrency\.$/,
    );
  });

  it.each([
    [127, 127, 5],
    [1000, 1000, 179],
    [1000, 500, 79],
  ])('fits an account of %i, %i of them unreserved, up to %i', async (limit, unreserved, most) => {
    account(limit, unreserved);
    await check(most);
    await expect(check(most + 1)).rejects.toThrow(
      new RegExp(`, set engineConcurrency to ${most} or less, or deploy without`),
    );
  });

  it('counts what this installation has reserved already as its own', async () => {
    account(1000, 100);
    await expect(check(30)).rejects.toThrow(/other functions have reserved 900 of them/);
    lambda.on(GetFunctionConcurrencyCommand).resolves({ ReservedConcurrentExecutions: 30 });
    await check(30);
    const names = lambda.commandCalls(GetFunctionConcurrencyCommand).map(({ args }) => args[0].input);
    expect(names).toContainEqual({ FunctionName: 'slipway-prod-dispatch' });
    expect(names).toContainEqual({ FunctionName: 'slipway-prod-sweep' });
  });

  it('is not asked for without the setting, nor where there is no account', async () => {
    await check();
    await check(5, {});
    expect(lambda.calls()).toEqual([]);
  });

  it('says so when it cannot be found out', async () => {
    lambda.on(GetAccountSettingsCommand).rejects(new Error('Could not load credentials'));
    await expect(check(5)).rejects.toThrow(
      /could not be found out; name the profile in AWS_PROFILE.*credentials$/,
    );
  });

  it.each([4, 0, 'many', 1001])('is not %s', (value) => {
    expect(() => readSettings((name) => (name === 'engineConcurrency' ? value : undefined))).toThrow(
      /engineConcurrency/,
    );
  });
});
