import { describe, expect, it } from 'vitest';
import { resourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';

const problems = (spec: object): string[] =>
  (parsePart('body', resourceSpec, spec).items ?? []).map(
    ({ loc, type }) => `${loc.slice(1).join('.')} ${type}`,
  );

describe('fields of volumes, mounts and containers that are not known', () => {
  it('are refused by their names', () => {
    const proto: unknown = JSON.parse('{"__proto__": {}}');
    expect(
      problems({
        volumes: [
          { name: 'v', hostPath: { path: '/' }, constructor: 1 },
          { name: 'w', iscsi: false },
        ],
        volume_mounts: [{ name: 'v', recursiveReadOnly: false, subpath: 'x' }, proto],
        sidecars: [
          {
            ...{ name: 's', image: 'i', livenessProbe: {}, ports: [], stdin: null },
            volumeMounts: [{ mount: '' }],
            env: [{ name: 'A', val: 'b' }],
            resources: { requests: {}, claims: [] },
          },
        ],
        init_containers: [{ image: 7, lifecycle: {} }],
      }),
    ).toEqual([
      'volumes.0.hostPath extra_forbidden',
      'volumes.0.constructor extra_forbidden',
      'volumes.1.iscsi extra_forbidden',
      'volume_mounts.0.recursiveReadOnly extra_forbidden',
      'volume_mounts.0.subpath extra_forbidden',
      'volume_mounts.1.__proto__ extra_forbidden',
      'init_containers.0.name missing',
      'init_containers.0.image string_type',
      'init_containers.0.lifecycle extra_forbidden',
      'sidecars.0.env.0.val extra_forbidden',
      'sidecars.0.resources.claims extra_forbidden',
      'sidecars.0.volumeMounts.0.mount extra_forbidden',
      'sidecars.0.livenessProbe extra_forbidden',
      'sidecars.0.ports extra_forbidden',
    ]);
    expect(parsePart('body', resourceSpec, { volumes: [{ name: 'v', hostPath: '/' }] }).items).toEqual([
      {
        loc: ['body', 'volumes', 0, 'hostPath'],
        type: 'extra_forbidden',
        msg: 'Extra inputs are not permitted',
        input: '/',
      },
    ]);
  });

  it('are absent when they are null', () => {
    const mount = { name: 'v', mountPath: '/v' };
    const sidecar = { name: 's', image: 'i', volumeMounts: [mount], env: [{ name: 'A' }], resources: {} };
    const spec = {
      volumes: [{ name: 'v', emptyDir: { sizeLimit: null } }],
      volume_mounts: [mount],
      sidecars: [sidecar],
    };
    const nulls = { hostPath: null, ['__proto__']: null, subPath: null };
    const container = {
      ...{ ...sidecar, ports: null, livenessProbe: null },
      volumeMounts: [{ ...nulls, ...mount }],
      env: [{ name: 'A', value: null, val: null }],
      resources: { limits: null, claims: null },
    };
    const sent = {
      volumes: [{ ...nulls, ...spec.volumes[0] }],
      volume_mounts: [{ ...nulls, ...mount }],
      sidecars: [container],
    };
    expect(resourceSpec.parse(JSON.parse(JSON.stringify(sent)))).toEqual(spec);
  });
});

describe('an empty volume', () => {
  it.each([{}, { name: null }, { hostPath: null, emptyDir: null }])('%j is refused', (volume) => {
    expect(problems({ volumes: [{ name: 'v' }, volume] })).toEqual(['volumes.1 value_error']);
  });
});

describe('the texts of annotations', () => {
  const long = 'a'.repeat(60_000);

  it('are as long as the configuration may be', () => {
    expect(problems({ annotations: { policy: long } })).toEqual([]);
  });

  it('stay limited in keys, in what is nested, and in labels', () => {
    expect(problems({ annotations: { [long]: 'a' } })).toEqual(['annotations string_too_long']);
    expect(problems({ annotations: { nested: { policy: long } } })).toEqual(['annotations string_too_long']);
    expect(problems({ labels: { policy: long } })).toEqual(['labels string_too_long']);
  });
});
