import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { DeploymentEvent } from '../../lib/contract/events.ts';
import { putUnpublishedEvents } from '../../lib/core/items/events.ts';
import { transact } from '../../lib/store/dynamodb/transact.ts';
import { api, expectApi, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { clientConfig } from './aws-environment.ts';
import type { Emulator } from './emulator.ts';
import { ACCOUNT } from './installation.ts';
import { FOREIGN_ID, type Tour } from './tour.ts';

const BUS = 'slipway-test-events';
/** Functions start cold, and the emulator looks at streams once a second. */
const SOON_MS = 240_000;
/** Longer than the sweep's minute. */
const SWEEP_TIMEOUT_MS = 240_000;

/** A queue behind a rule on the bus: what a user makes to hear of deployments. */
class Follower {
  readonly #queues: SQSClient;
  readonly #events: EventBridgeClient;
  readonly #heard: DeploymentEvent[] = [];
  #url: string | undefined;

  constructor(emulator: Emulator) {
    this.#queues = new SQSClient(clientConfig(emulator));
    this.#events = new EventBridgeClient(clientConfig(emulator));
  }

  async follow(): Promise<void> {
    const made = await this.#queues.send(new CreateQueueCommand({ QueueName: 'followers' }));
    this.#url = made.QueueUrl;
    const rule = { Name: 'followers', EventBusName: BUS };
    const EventPattern = JSON.stringify({ source: ['slipway'] });
    await this.#events.send(new PutRuleCommand({ ...rule, EventPattern }));
    const target = { Id: 'queue', Arn: `arn:aws:sqs:us-east-1:${ACCOUNT}:followers` };
    await this.#events.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: BUS, Targets: [target] }));
  }

  /** Waits until as many events of a deployment have come as this is, and gives them by their numbers. */
  async hears(deploymentId: string, count: number, timeoutMs: number): Promise<DeploymentEvent[]> {
    return until(
      async () => {
        await this.#receive();
        const own = new Map(
          this.#heard
            .filter(({ deployment_id: id }) => id === deploymentId)
            .map((event) => [event.sequence, event] as const),
        );
        return own.size >= count && [...own.values()].toSorted((a, b) => a.sequence - b.sequence);
      },
      { timeoutMs, what: `${count} events of ${deploymentId}` },
    );
  }

  async #receive(): Promise<void> {
    const asked = new ReceiveMessageCommand({ QueueUrl: this.#url, MaxNumberOfMessages: 10 });
    const { Messages: messages = [] } = await this.#queues.send(asked);
    for (const { Body: body = '', ReceiptHandle } of messages) {
      const { detail } = JSON.parse(body) as { detail: DeploymentEvent }; // as EventBridge wraps it
      this.#heard.push(detail);
      await this.#queues.send(new DeleteMessageCommand({ QueueUrl: this.#url, ReceiptHandle }));
    }
  }
}

const nothingToBuild = (name: string) => ({
  name,
  source: 'internal_source',
  source_config: {},
  source_revision_config: {},
});

type Listed = { resources: { id: string; action: string; resource_id: string }[] };

/** Who follows deployments on the bus, who did what, and access to private repositories. */
export function followerTests(at: () => Tour): void {
  let follower: Follower | undefined;

  it('tells a rule on its bus what happens to a deployment, numbered, and keeps who asked for it', async () => {
    const { slipway, ground } = at();
    follower = new Follower(ground.emulator);
    await follower.follow();
    const { id } = await expectApi<ShownDeployment>(
      slipway,
      'POST',
      '/v2/deployments',
      nothingToBuild('followed'),
      201,
    );
    const events = await follower.hears(id, 3, SOON_MS);
    expect(events.map(({ sequence, type, status }) => [sequence, status ?? type])).toEqual([
      [1, 'deployment.created'],
      [2, 'CREATING'],
      [3, 'SKIPPED'],
    ]);
    const done = await until(
      async () => {
        const path = `/v2/audit-events?deployment_id=${id}`;
        const { resources } = await expectApi<Listed>(slipway, 'GET', path, undefined, 200);
        return resources.length > 0 && resources;
      },
      { what: 'the audit event' },
    );
    expect(done).toMatchObject([{ action: 'deployment.create', resource_id: id }]);
  });

  it('tells with the sweep what nobody could be told before', async () => {
    const { slipway, ground } = at();
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(ground.emulator)));
    const owner = { tenantId: slipway.tenantId, deploymentId: FOREIGN_ID };
    const event = {
      id: `${FOREIGN_ID}:created`,
      type: 'deployment.created',
      sequence: 1,
      at: new Date().toISOString(),
      tenant_id: slipway.tenantId,
      deployment_id: FOREIGN_ID,
    } as const;
    await transact({ client, name: slipway.tableName }, [putUnpublishedEvents(owner, [event], Date.now())]);
    client.destroy();
    expect(await follower?.hears(FOREIGN_ID, 1, SWEEP_TIMEOUT_MS)).toEqual([event]);
  });

  it('keeps the token of an integration, and forgets it', async () => {
    const { slipway } = at();
    const body = { type: 'github', token: 'never-shown', webhook_secret: 'never-shown' };
    const made = await expectApi<{ id: string }>(slipway, 'POST', '/v2/integrations', body, 201);
    const listed = await expectApi(slipway, 'GET', '/v2/integrations', undefined, 200);
    expect(listed).toEqual({ resources: [made], offset: 1 });
    expect(JSON.stringify(listed)).not.toContain('never-shown');
    const installed = await expectApi(slipway, 'GET', '/v1/integrations/github/install', undefined, 200);
    expect(installed).toEqual([
      { id: made.id, installation_id: made.id, name: 'github.com', host: 'github.com' },
    ]);
    // Nobody out there is reached from here.
    const repositories = `/v1/integrations/github/${made.id}/repos`;
    expect(await api(slipway, 'GET', repositories)).toMatchObject({ status: 503 });
    const named = { repo_url: 'https://github.com/a/b.git', integration_id: FOREIGN_ID };
    const deployment = { name: 'private', source_config: named, source_revision_config: {} };
    expect(await api(slipway, 'POST', '/v2/deployments', deployment)).toMatchObject({
      status: 404,
      body: { detail: `Integration ID ${FOREIGN_ID} not found.` },
    });
    await expectApi(slipway, 'DELETE', `/v2/integrations/${made.id}`, undefined, 204);
    const path = '/v2/audit-events?action=integration.delete';
    const { resources } = await expectApi<Listed>(slipway, 'GET', path, undefined, 200);
    expect(resources).toMatchObject([{ resource_id: made.id }]);
  });

  it('leads who follows a link to a deployment to its page in the console', async () => {
    const { slipway } = at();
    const link = `${slipway.baseUrl}/o/${slipway.tenantId}/host/deployments/${FOREIGN_ID}`;
    const { status, headers } = await fetch(link, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([
      302,
      expect.stringMatching(`/console/deployments/${FOREIGN_ID}\\?tenant=${slipway.tenantId}$`),
    ]);
  });
}
