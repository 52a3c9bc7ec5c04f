import { describe, expect, it } from 'vitest';
import type { ServerSpec } from '../../../../lib/compute/kubernetes/render/context.ts';
import { needsStore } from '../../../../lib/compute/kubernetes/render/deployment-objects.ts';
import { toldIn } from '../../../../lib/compute/kubernetes/render/environment.ts';
import { renderSet } from '../../../../lib/compute/kubernetes/render/set.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const context = renderContext();
const atLast = [
  { name: 'NODE_ENV', value: 'production' },
  { name: 'SLIPWAY_REVISION_ID', value: '0190a000-0000-7000-8000-000000000003' },
  { name: 'PORT', value: '8000' },
  { name: 'HOST', value: '0.0.0.0' },
];
const fromSecret = (name: string, secret: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});

function environmentOf(own: Partial<ServerSpec>) {
  const { key, deployment, secret, notes } = renderSet(serverSpec(own), context, 1);
  const data = Object.entries(secret.data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString(),
  ]);
  const env = deployment.spec?.template.spec?.containers[0]?.env;
  return { secretName: `my-agent-deadbeef-${key}`, env, data: Object.fromEntries(data), secret, notes };
}

describe('the environment of a server', () => {
  it('is in the set’s Secret, under keys that any name fits', () => {
    const { secretName, env, data, secret } = environmentOf({
      environment: [
        { name: 'MODEL_KEY', value: 'sk-1' },
        { name: 'odd name: 1/2', value: 'ü\n"' },
        { name: 'EMPTY', value: '' },
      ],
      secret_references: [{ name: 'TOKEN', secret_name: 'theirs', secret_key: 'token' }],
    });
    expect(env).toEqual([
      fromSecret('MODEL_KEY', secretName, 'v0'),
      fromSecret('odd name: 1/2', secretName, 'v1'),
      fromSecret('EMPTY', secretName, 'v2'),
      fromSecret('TOKEN', 'theirs', 'token'),
      ...atLast,
    ]);
    expect(data).toEqual({ v0: 'sk-1', v1: 'ü\n"', v2: '' });
    expect(secret).toMatchObject({ immutable: true, metadata: { name: secretName } });
  });

  it('has our PORT and HOST, and says so where it has its own', () => {
    const { env, data, notes } = environmentOf({
      environment: [{ name: 'PORT', value: '1234' }],
      secret_references: [{ name: 'HOST', secret_name: 'theirs', secret_key: 'host' }],
    });
    expect(env).toEqual([...atLast]);
    expect(data).toEqual({});
    expect(notes).toEqual([
      'The secret PORT is not used: the server is told to listen with PORT=8000.',
      'The secret HOST is not used: the server is told to listen with HOST=0.0.0.0.',
    ]);
  });

  it('says what runs, in variables that make no other set; its own NODE_ENV wins', () => {
    const spec = { environment: [{ name: 'NODE_ENV', value: 'staging' }], commit_sha: 'c0ffee' };
    const { env, secretName } = environmentOf(spec);
    expect(env).toContainEqual(fromSecret('NODE_ENV', secretName, 'v0'));
    expect(env).toContainEqual({ name: 'SLIPWAY_COMMIT', value: 'c0ffee' });
    expect(env?.filter(({ name }) => name === 'NODE_ENV')).toHaveLength(1);
    expect(environmentOf({ ...spec, commit_sha: 'another', revision_id: 'another' }).secretName).toBe(
      secretName,
    );
  });

  it('stays what it was told in a set that is there, also one of an earlier release', () => {
    const [first, earlier] = [renderSet(serverSpec({ commit_sha: 'c0ffee' }), context, 1).deployment, {}];
    const envOf = (told: ReturnType<typeof toldIn>) =>
      renderSet(serverSpec({ revision_id: 'next' }), { ...context, told }, 1).deployment.spec?.template.spec
        ?.containers[0]?.env;
    expect(envOf(toldIn(first))).toEqual(first.spec?.template.spec?.containers[0]?.env);
    expect(envOf(toldIn(earlier))).toEqual(atLast.slice(2));
  });

  it('has each name once', () => {
    const { env } = environmentOf({
      environment: [{ name: 'TOKEN', value: 'x' }],
      secret_references: [{ name: 'TOKEN', secret_name: 'theirs', secret_key: 'token' }],
    });
    expect(env).toEqual([fromSecret('TOKEN', 'theirs', 'token'), ...atLast]);
  });
});

describe('the stores of a server of langgraph.json', () => {
  const langgraph = { server: 'langgraph' } as const;

  it('are ours where it brings none', () => {
    expect(environmentOf(langgraph).env).toEqual([
      fromSecret('DATABASE_URI', 'my-agent-deadbeef-db', 'uri'),
      fromSecret('REDIS_URI', 'my-agent-deadbeef-redis', 'uri'),
      ...atLast,
    ]);
    expect(needsStore(serverSpec(langgraph), 'postgres')).toBe(true);
    expect(needsStore(serverSpec(langgraph), 'redis')).toBe(true);
  });

  it('are those it brings, as values or as references', () => {
    const brought = {
      ...langgraph,
      environment: [{ name: 'POSTGRES_URI_CUSTOM', value: 'postgres://theirs' }],
      secret_references: [{ name: 'REDIS_URI_CUSTOM', secret_name: 'theirs', secret_key: 'redis' }],
    };
    const { secretName, env, data } = environmentOf(brought);
    expect(env).toEqual([
      fromSecret('POSTGRES_URI_CUSTOM', secretName, 'v0'),
      fromSecret('REDIS_URI_CUSTOM', 'theirs', 'redis'),
      fromSecret('DATABASE_URI', secretName, 'v0'),
      fromSecret('REDIS_URI', 'theirs', 'redis'),
      ...atLast,
    ]);
    expect(Object.values(data)).toEqual(['postgres://theirs']);
    expect(needsStore(serverSpec(brought), 'postgres')).toBe(false);
    expect(needsStore(serverSpec(brought), 'redis')).toBe(false);
  });

  it('are told a server of its own under the other name of a database too', () => {
    const own = { ...langgraph, runtime: 'command' } as const;
    expect(environmentOf(own).env).toContainEqual(fromSecret('DATABASE_URL', 'my-agent-deadbeef-db', 'uri'));
    const brought = { ...own, environment: [{ name: 'DATABASE_URL', value: 'postgres://theirs' }] };
    const { secretName, env } = environmentOf(brought);
    expect(env).toContainEqual(fromSecret('DATABASE_URL', secretName, 'v0'));
  });

  it('are nothing to any other server', () => {
    for (const server of ['other', undefined] as const) {
      expect(environmentOf({ server }).env).toEqual([...atLast]);
      expect(needsStore(serverSpec({ server }), 'redis')).toBe(false);
    }
  });
});
