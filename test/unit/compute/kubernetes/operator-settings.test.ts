import type { KubernetesObject, V1PodTemplateSpec } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import type { RenderContext } from '../../../../lib/compute/kubernetes/render/context.ts';
import { renderNetworkPolicy } from '../../../../lib/compute/kubernetes/render/deployment-objects.ts';
import { limitProblemsOf } from '../../../../lib/compute/kubernetes/render/problems.ts';
import { setKey } from '../../../../lib/compute/kubernetes/render/set.ts';
import { sharedObjects } from '../../../../lib/compute/kubernetes/shared.ts';
import type { ResourceSpec } from '../../../../lib/contract/deployments/resource-spec.ts';
import { DEFAULT_STORE_IMAGES, EARLIER_STORE_IMAGES } from '../../../../lib/listener/store-images.ts';
import { allObjects } from '../../../support/kubernetes/all-objects.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const langgraph = serverSpec({ server: 'langgraph', queue: true });
const restricted = renderContext({ computeConfig: { pod_security: 'restricted' } });

const templateOf = (object: KubernetesObject | undefined) =>
  (object as { spec?: { template?: V1PodTemplateSpec } } | undefined)?.spec?.template?.spec;
const podOf = (resource_spec: ResourceSpec, context: RenderContext) =>
  templateOf(allObjects(serverSpec({ resource_spec: { ...resource_spec } }), context).get('Deployment'));

describe('pod_security restricted', () => {
  const helper = { name: 'helper', image: 'i' };

  it('has nobody be root, and no container keep a capability', () => {
    const pod = podOf({ init_containers: [helper], sidecars: [{ ...helper, name: 'beside' }] }, restricted);
    expect(pod?.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const contexts = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].map(
      ({ securityContext }) => securityContext,
    );
    expect(contexts).toHaveLength(3);
    for (const context of contexts)
      expect(context).toEqual({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
  });

  it('keeps what a container says, and fills in what it does not', () => {
    const securityContext = {
      runAsUser: 1000,
      runAsNonRoot: null,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: null },
    };
    const sidecars = [{ ...helper, securityContext }];
    expect(podOf({ sidecars }, restricted)?.containers[1]?.securityContext).toEqual({
      runAsUser: 1000,
      allowPrivilegeEscalation: false,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
    });
    expect(podOf({ sidecars }, renderContext())?.containers[1]?.securityContext).toEqual(securityContext);
  });

  it('makes another set, while baseline leaves the ones that are there', () => {
    const side = { name: 'side', image: 'i' };
    const resource_spec = {
      cpu: 1,
      volumes: [{ name: 'data', nfs: { server: 'a', path: '/' } }],
      init_containers: [side],
      sidecars: [
        { ...side, name: 'root', securityContext: { privileged: true } },
        { ...side, name: 'native', restartPolicy: 'Always', securityContext: { runAsUser: 0 } },
      ],
    };
    const large = serverSpec({ server: 'langgraph', queue: true, resource_spec });
    const keys = (context: RenderContext) => [setKey(serverSpec(), context), setKey(large, context)];
    // As releases before pod_security have named them: what runs must be found again.
    const before = ['203b5448', '2566590a'];
    expect(keys(renderContext())).toEqual(before);
    for (const pod_security of ['privileged', 'baseline'] as const)
      expect(keys(renderContext({ computeConfig: { pod_security } }))).toEqual(before);
    for (const key of keys(restricted)) expect(before).not.toContain(key);
  });

  it('is said by field where a revision is started that was made before', () => {
    const spec = serverSpec({
      resource_spec: { sidecars: [{ ...helper, securityContext: { runAsUser: 0 } }] },
      custom_url: 'https://a.example.com',
    });
    expect(limitProblemsOf(spec, renderContext())).toEqual([]);
    const computeConfig = { pod_security: 'restricted', allowed_hosts: [] } as const;
    expect(
      limitProblemsOf(spec, renderContext({ computeConfig: { ...computeConfig, allowed_hosts: [] } })),
    ).toEqual([
      expect.stringMatching(/^resource_spec\.sidecars\[0\]\.securityContext\.runAsUser: 0 is refused/),
      expect.stringMatching(/^custom_url: host a\.example\.com is refused/),
    ]);
  });
});

describe('egress', () => {
  const policyOf = (own: Partial<RenderContext>) =>
    renderNetworkPolicy(serverSpec(), renderContext(own)).spec;

  it('is not limited unless the operator says so', () => {
    expect(policyOf({})).not.toHaveProperty('egress');
    expect(policyOf({})?.policyTypes).toEqual(['Ingress']);
  });

  it('is DNS, the own pods and the internet, but no private network', () => {
    const spec = policyOf({ computeConfig: { egress: [] } });
    expect(spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    const [dns, own, internet, ...more] = spec?.egress ?? [];
    expect(dns).toEqual({
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    });
    expect(own).toEqual({ to: [{ podSelector: spec?.podSelector }] });
    const blocks = internet?.to?.map(({ ipBlock }) => ipBlock);
    expect(blocks?.map((block) => block?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'])
      expect(blocks?.[0]?.except).toContain(range);
    expect(blocks?.[1]?.except).toContain('fc00::/7');
    expect(more).toEqual([]);
  });

  it('is what is listed, too', () => {
    const egress = [
      '10.20.0.0/16',
      '10.30.0.7/32:5432',
      'namespace/data',
      'namespace/cache:6379',
      'fd00::/8:443',
    ];
    const port = (number: number) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port: number }));
    const named = (name: string) => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
    });
    expect(policyOf({ computeConfig: { egress } })?.egress?.slice(3)).toEqual([
      { to: [{ ipBlock: { cidr: '10.20.0.0/16' } }] },
      { to: [{ ipBlock: { cidr: '10.30.0.7/32' } }], ports: port(5432) },
      { to: [named('data')] },
      { to: [named('cache')], ports: port(6379) },
      { to: [{ ipBlock: { cidr: 'fd00::/8' } }], ports: port(443) },
    ]);
  });

  it('reaches the DNS of OpenShift at its own port', () => {
    const [dns] = policyOf({ computeConfig: { egress: [] }, openshift: true })?.egress ?? [];
    expect(dns?.ports?.map(({ port }) => port)).toEqual([53, 53, 5353, 5353]);
  });
});

describe('the stores of a server', () => {
  type There = Map<string, KubernetesObject>;
  /** What is made where this is there already. */
  const storesOf = (own: Partial<RenderContext>, there: There = new Map()) => {
    const objects = sharedObjects(langgraph, renderContext(own), {
      secret: () => undefined,
      keptStore: (_, name) => there.get(name),
    });
    const made = objects.filter((object) => templateOf(object) !== undefined);
    return new Map(made.map((object) => [object.metadata?.name ?? '', object]));
  };
  const podsIn = (stores: There) => [...stores.values()].map(templateOf);
  const imagesIn = (stores: There) => podsIn(stores).map((pod) => pod?.containers[0]?.image);

  it('are of images by digest, unless the operator has others', () => {
    const defaults = [DEFAULT_STORE_IMAGES.redis, DEFAULT_STORE_IMAGES.postgres];
    expect(imagesIn(storesOf({}))).toEqual(defaults);
    for (const image of defaults) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
    const mirrored = storesOf({
      storeImages: {
        postgres: 'mirror.example.com/pgvector@sha256:1',
        redis: 'mirror.example.com/redis@sha256:2',
      },
      storePullSecrets: ['mirror'],
    });
    expect(imagesIn(mirrored)).toEqual([
      'mirror.example.com/redis@sha256:2',
      'mirror.example.com/pgvector@sha256:1',
    ]);
    for (const pod of podsIn(mirrored)) expect(pod?.imagePullSecrets).toEqual([{ name: 'mirror' }]);
  });

  it('run as the user of their image, and in OpenShift as the one that the cluster gives', () => {
    for (const pod of podsIn(storesOf({})))
      expect(pod?.securityContext).toMatchObject({ runAsUser: 999, fsGroup: 999 });
    for (const pod of podsIn(storesOf({ openshift: true })))
      expect(pod?.securityContext).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });

  it('stay as they were made, however the operator has changed that since', () => {
    const made = storesOf({});
    const later = { storeImages: { postgres: 'other/postgres', redis: 'other/redis' }, openshift: true };
    expect(podsIn(storesOf(later, made))).toEqual(podsIn(made));
  });

  it('stay as an earlier release made them, which has noted nothing', () => {
    const earlier = new Map(
      [...storesOf({})].map(([name, object]) => [name, { ...object, metadata: { name } }] as const),
    );
    expect(imagesIn(storesOf({}, earlier))).toEqual([
      EARLIER_STORE_IMAGES.redis,
      EARLIER_STORE_IMAGES.postgres,
    ]);
    const odd = { metadata: { annotations: { 'slipway.dev/store': '{' } } };
    const edited = new Map([...earlier.keys()].map((name) => [name, odd] as const));
    expect(imagesIn(storesOf({}, edited))).toEqual(imagesIn(storesOf({}, earlier)));
  });
});
