import { afterEach, expect, it, vi } from 'vitest';
import { placeOfService, serviceName } from '../../../lib/compute/ecs/names.ts';
import { buildEvent, codeBuildEventOf } from '../../../lib/triggers/build-event.ts';
import { computeDriver } from '../../../lib/triggers/compute-event.ts';
import { customResource } from '../../../lib/triggers/custom-resource.ts';
import { executionEnded } from '../../../lib/triggers/execution-event.ts';

const ref = { tenantId: 't', deploymentId: 'd', revisionId: 'r' };

/** What a trigger made of an event. */
async function heard<T>(trigger: (record: (_: object, what: T) => Promise<void>) => Trigger, event: unknown) {
  const all: T[] = [];
  await trigger(async (_, what) => void all.push(what))(() => ({}))(event);
  return all;
}
type Trigger = (deps: () => object) => (event: unknown) => Promise<void>;

it('an event of CodeBuild names the build and its revision', async () => {
  const buildId = 'arn:aws:codebuild:eu-west-1:123456789012:build/project:1';
  const event = codeBuildEventOf({ buildId, ref });
  expect(await heard(buildEvent, event)).toEqual([{ buildId: 'project:1', ref }]);
  await expect(heard(buildEvent, { detail: {} })).rejects.toThrow('build-id');
  event.detail['additional-information'].environment['environment-variables'].pop();
  await expect(heard(buildEvent, event)).rejects.toThrow(
    'Build project:1 was started without the variable SLIPWAY_REVISION_ID',
  );
});

it('an event of Step Functions names the revision in the input of its execution', async () => {
  const ended = (input: unknown) => heard(executionEnded, { detail: { input: JSON.stringify(input) } });
  expect(await ended({ ...ref, attempt: 1 })).toEqual([ref]);
  await expect(ended({ something: 'else' })).rejects.toThrow('tenantId');
});

it('the driver hears of deployments from the engine, and from events of the services that run them', async () => {
  const place = { tenantId: 't', deploymentId: 'd' };
  const drives = (event: unknown) => heard<object>((record) => computeDriver(record, placeOfService), event);
  const own = serviceName(place, 'k1');
  const service = `arn:aws:ecs:eu-west-1:123456789012:service/slipway-prod-agents/${own}`;
  const task = 'arn:aws:ecs:eu-west-1:123456789012:task/slipway-prod-agents/0123456789abcdef';
  const ofEcs = (resources: string[], detail: object) => ({ source: 'aws.ecs', resources, detail });
  expect(await drives(place)).toEqual([place]);
  expect(await drives(ofEcs([task], { group: `service:${own}`, lastStatus: 'STOPPED' }))).toEqual([place]);
  expect(await drives(ofEcs([service], { eventName: 'SERVICE_TASK_PLACEMENT_FAILURE' }))).toEqual([place]);
  expect(await drives(ofEcs([task], { group: 'family:mine' }))).toEqual([]);
  expect(await drives(ofEcs([`${service}/more`, 'arn:aws:ecs:::service/web'], {}))).toEqual([]);
  await expect(drives({ tenantId: 't' })).rejects.toThrow('deploymentId');
});

afterEach(() => vi.unstubAllGlobals());

it('a question of a template is answered at the address that CloudFormation gives, whatever comes of it', async () => {
  const answers: [url: string, init: RequestInit][] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    answers.push([url, init]);
    return new Response();
  });
  const event = (RequestType: string, more: object = {}) => ({
    RequestType,
    RequestId: '1',
    StackId: 's',
    LogicalResourceId: 'Found',
    ResponseURL: 'https://answers.example/1?signed',
    ResourceProperties: { Find: 'it' },
    ...more,
  });
  const handler = customResource(async (_: object, { Find }: { Find?: string }) => {
    if (Find !== 'it') throw new Error(`There is no ${Find}.`);
    return { Id: '7' };
  })(() => ({}));
  await handler(event('Create'));
  await handler(event('Update', { PhysicalResourceId: 'kept', ResourceProperties: { Find: 'that' } }));
  await handler(event('Delete', { ResourceProperties: { Find: 'that' } }));
  const ids = { RequestId: '1', StackId: 's', LogicalResourceId: 'Found', PhysicalResourceId: 'Found' };
  expect(answers.map(([, { body }]) => JSON.parse(String(body)) as unknown)).toEqual([
    { Status: 'SUCCESS', Data: { Id: '7' }, ...ids },
    { Status: 'FAILED', Reason: 'There is no that.', ...ids, PhysicalResourceId: 'kept' },
    { Status: 'SUCCESS', Data: {}, ...ids },
  ]);
  // The address is signed for a PUT without a type.
  expect(answers[0]).toEqual([
    'https://answers.example/1?signed',
    expect.objectContaining({ method: 'PUT', headers: { 'content-type': '' } }),
  ]);
});
