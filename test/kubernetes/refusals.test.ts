import {
  AdmissionregistrationV1Api,
  CoreV1Api,
  type V1LimitRangeSpec,
  type V1ResourceQuotaSpec,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { revisionOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

/** What is not found out within it passes for late: nothing here but `quota` and `away` has to wait. */
const PATIENT_SECONDS = 200;
const BANNED = 'banned.test/agent:1';
/** Where nothing listens. */
const NOBODY = 'https://127.0.0.1:1';

const namespaces = [
  'agents',
  'restricted',
  'small',
  'unsaid',
  'ranged',
  'policed',
  'unheard',
  'workers',
  'full',
  'away',
] as const;

let world: World;
let listener: RunningListener;
let core: CoreV1Api;
let admission: AdmissionregistrationV1Api;

beforeAll(async () => {
  world = await World.open(namespaces);
  core = world.config.makeApiClient(CoreV1Api);
  admission = world.config.makeApiClient(AdmissionregistrationV1Api);
  await enforce('restricted', 'restricted');
  await quota('small', { hard: { 'requests.cpu': '100m' } });
  await quota('unsaid', { hard: { 'limits.cpu': '4' } });
  await quota('full', { hard: { pods: '1' } });
  await limit('ranged', { limits: [{ type: 'Container', max: { cpu: '1' } }] });
  await demand(
    'policed',
    "object.spec.containers.all(each, !each.image.startsWith('banned.test/'))",
    'no images of banned.test/',
  );
  await works('policed', BANNED);
  await demand(
    'workers',
    "object.metadata.?labels[?'app.kubernetes.io/component'].orValue('queue') != 'queue'",
    'no workers',
  );
  await works('workers', 'example.test/agent:1');
  await askNobody('away');
  listener = world.listen(undefined, '--start-timeout-seconds', `${PATIENT_SECONDS}`);
});

afterAll(async () => {
  await listener?.stop();
  await world.close();
});

/** Lets Pod Security refuse what this level refuses. */
async function enforce(name: string, level: string): Promise<void> {
  const { metadata } = await core.readNamespace({ name });
  const labels = { ...metadata?.labels, 'pod-security.kubernetes.io/enforce': level };
  await core.replaceNamespace({ name, body: { metadata: { ...metadata, labels } } });
}

const quota = (namespace: string, spec: V1ResourceQuotaSpec) =>
  core.createNamespacedResourceQuota({ namespace, body: { metadata: { name: 'amounts' }, spec } });

const limit = (namespace: string, spec: V1LimitRangeSpec) =>
  core.createNamespacedLimitRange({ namespace, body: { metadata: { name: 'range' }, spec } });

const only = (namespace: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });
const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

/** Resolves when the API server refuses a pod in the namespace: policies need a moment. */
const works = (namespace: string, image: string) =>
  until(
    async () => {
      const body = { metadata: { generateName: 'try-' }, spec: { containers: [{ name: 'one', image }] } };
      const taken = core.createNamespacedPod({ namespace, body, dryRun: 'All' });
      return taken.then(
        () => false,
        () => true,
      );
    },
    { what: `pods to be refused in ${namespace}` },
  );

/** As an image policy does, or Kyverno: pods have to be so. */
async function demand(namespace: string, expression: string, message: string): Promise<void> {
  const metadata = { name: `in-${namespace}` };
  await admission.createValidatingAdmissionPolicy({
    body: {
      metadata,
      spec: { matchConstraints: { resourceRules: [pods] }, validations: [{ expression, message }] },
    },
  });
  await admission.createValidatingAdmissionPolicyBinding({
    body: {
      metadata,
      spec: {
        policyName: metadata.name,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: only(namespace) },
      },
    },
  });
}

/** A webhook that has to be asked, and does not answer. */
async function askNobody(namespace: string): Promise<void> {
  const webhook = {
    name: 'away.policies.test',
    clientConfig: { url: NOBODY },
    rules: [pods],
    namespaceSelector: only(namespace),
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await admission.createValidatingWebhookConfiguration({
    body: { metadata: { name: namespace }, webhooks: [webhook] },
  });
  await works(namespace, 'example.test/agent:1');
}

const refused: [namespace: string, reason: RegExp, spec?: object, image?: string][] = [
  ['restricted', /^The Pod Security level .*\(violates PodSecurity "restricted:latest": .*\)\. Change what/],
  ['small', /^A limit .*exceeded quota: amounts, requested: requests\.cpu=250m,.*\)/, { cpu: 0.25 }],
  ['unsaid', /^A limit .*failed quota: amounts: must specify limits\.cpu for: server/],
  ['ranged', /^A limit .*maximum cpu usage per Container is 1, but limit is 2/, { cpu: 1, cpu_limit: 2 }],
  ['policed', /^A policy .*ValidatingAdmissionPolicy 'in-policed' .*no images of banned\.test\//, {}, BANNED],
  [
    'workers',
    /^A policy .*ValidatingAdmissionPolicy 'in-workers' .*no workers/,
    { queue_cpu: 0.25, db_storage_gi: 1 },
  ],
  [
    'unheard',
    /^The cluster does not take it: .*\.emptyDir\.unheard: field not declared in schema/,
    { volumes: [{ name: 'data', emptyDir: { unheard: 1 } }] },
  ],
  [
    'agents',
    /^There is no ServiceAccount 'nobody' .*service_account_name/,
    { service_account_name: 'nobody' },
  ],
];

describe('servers that the cluster refuses', () => {
  it.concurrent.each(refused)(
    'are a revision that fails at once: %s',
    async (namespace, reason, spec, image) => {
      const made = await world.deploy(namespace, image ?? 'example.test/agent:1', {
        namespace,
        ...(spec !== undefined && { spec }),
      });
      const { status, status_message: message } = await world.ended(made);
      // With a deadline's reason it would begin otherwise.
      expect([status, message]).toEqual(['DEPLOY_FAILED', expect.stringMatching(reason)]);
    },
  );

  it('are said while they may still come: a quota that is used up', async () => {
    const first = await world.deploy('first', 'example.test/agent:1', { namespace: 'full' });
    await world.deployed(first);
    const second = await world.deploy('second', 'example.test/agent:1', { namespace: 'full' });
    await expectSaid(second, /^The quota 'amounts' is used up \(exceeded quota: amounts, requested: pods=1,/);
    await world.deleted(first);
    expect(await world.ended(second)).toMatchObject({ status: 'DEPLOYED', status_message: null });
  });

  it('are said while they may still come: a webhook that does not answer', async () => {
    const made = await world.deploy('agent', 'example.test/agent:1', { namespace: 'away' });
    await expectSaid(
      made,
      /^The cluster makes no server at the moment \(.* failed calling webhook "away\.policies/,
    );
    await admission.deleteValidatingWebhookConfiguration({ name: 'away' });
    expect(await world.ended(made)).toMatchObject({ status: 'DEPLOYED', status_message: null });
  });
});

/** Waits until a revision that is being deployed says this of itself. */
async function expectSaid(
  { id, latest_revision_id: revision }: ShownDeployment,
  reason: RegExp,
): Promise<void> {
  const isSaid = async () => {
    const { status, status_message: message } = await revisionOf(world.program, id, revision);
    if (isTerminal(status)) throw new Error(`${status}: ${message}`);
    return status === 'DEPLOYING' && reason.test(message ?? '');
  };
  await until(isSaid, { what: `revision ${revision} to say ${reason}` });
}
