import { AdmissionregistrationV1Api, CoreV1Api, StorageV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { revisionOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

/** A server that ends until it is told otherwise, as one does that finds no Postgres. */
const IMAGE = 'pretend.test/crash-loop:1';
/** It is a server of a `langgraph.json` that brings no stores. */
const spec = { db_storage_gi: 1 };

let world: World;
let listener: RunningListener;

beforeAll(async () => {
  world = await World.open(['agents']);
  listener = world.listen();
});

afterAll(async () => {
  await listener?.stop();
  await world.close();
});

/** Waits until the revision says this while it is being deployed. */
async function expectSaid(
  { id, latest_revision_id: revision }: ShownDeployment,
  reason: RegExp,
): Promise<void> {
  const isSaid = async () => {
    const { status, status_message: message } = await revisionOf(world.program, id, revision);
    if (isTerminal(status)) throw new Error(`${status}: ${message}`);
    return reason.test(message ?? '');
  };
  await until(isSaid, { what: `revision ${revision} to say ${reason}` });
}

describe('servers whose own Postgres is not there', () => {
  it('wait for it with the limit of its registry, and not longer', async () => {
    const core = world.config.makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'pretend' }, data: { rules: 'pgvector: pull-limit' } };
    await core.createNamespacedConfigMap({ namespace: 'kube-system', body });
    const made = await world.deploy('limited', IMAGE, { spec });
    await expectSaid(made, /^The servers wait for the Postgres that is brought for them: .*toomanyrequests/);
    await core.deleteNamespacedConfigMap({ namespace: 'kube-system', name: 'pretend' });
    expect(await world.ended(made)).toMatchObject({
      status: 'DEPLOY_FAILED',
      status_message: expect.stringMatching(/^The server exits in a loop: /),
    });
  });

  it('wait for it with what a policy says of it', async () => {
    const admitAgain = await forbidPostgres();
    const made = await world.deploy('policed', IMAGE, { spec });
    await expectSaid(
      made,
      /^The servers wait for the Postgres .*: .*ValidatingAdmissionPolicy 'no-postgres'/,
    );
    await world.deleted(made);
    await admitAgain();
  });

  it('wait for it with what keeps its volume', async () => {
    const storage = world.config.makeApiClient(StorageV1Api);
    await storage.deleteStorageClass({ name: 'pretend' });
    const made = await world.deploy('pending', IMAGE, { spec });
    await expectSaid(
      made,
      /^The servers wait for the Postgres .*: its volume's claim 'data-pending-.*' is pending: no persistent volumes available for this claim and no storage class is set\./,
    );
    await world.deleted(made);
  });
});

/** Lets a policy refuse each Postgres; gives what takes it back. */
async function forbidPostgres(): Promise<() => Promise<void>> {
  const admission = world.config.makeApiClient(AdmissionregistrationV1Api);
  const metadata = { name: 'no-postgres' };
  const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const expression = "object.spec.containers.all(each, !each.image.contains('pgvector'))";
  await admission.createValidatingAdmissionPolicy({
    body: {
      metadata,
      spec: { matchConstraints: { resourceRules: [pods] }, validations: [{ expression }] },
    },
  });
  await admission.createValidatingAdmissionPolicyBinding({
    body: { metadata, spec: { policyName: metadata.name, validationActions: ['Deny'] } },
  });
  const core = world.config.makeApiClient(CoreV1Api);
  const body = {
    metadata: { name: 'try' },
    spec: { containers: [{ name: 'one', image: 'pgvector/pgvector:pg16' }] },
  };
  const isRefused = () =>
    core.createNamespacedPod({ namespace: 'agents', body, dryRun: 'All' }).then(
      () => false,
      () => true,
    );
  await until(isRefused, { what: 'a Postgres to be refused' });
  return async () => {
    await admission.deleteValidatingAdmissionPolicyBinding(metadata);
    await until(async () => !(await isRefused()), { what: 'a Postgres to be admitted' });
  };
}
