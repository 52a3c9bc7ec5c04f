import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { ValidationItem } from '../../../lib/contract/errors.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import { createDeploymentBody } from '../../../lib/features/deployments/shape.ts';
import { reservedSecretNames } from '../../../lib/reserved-names.ts';

const minimal = { name: 'agent', source_config: {}, source_revision_config: {} };

function problems(body: unknown, schema: z.ZodType = createDeploymentBody): ValidationItem[] {
  return parsePart('body', schema, body).items ?? [];
}

const types = (body: unknown) => problems(body).map(({ loc, type }) => `${loc.join('.')} ${type}`);

describe('a body that creates a deployment', () => {
  it('reads null as absent, also for another kind of source, and ignores what it does not know', () => {
    const body = {
      ...minimal,
      source: 'github',
      id: 'response-only',
      source_config: {
        integration_id: null,
        repo_url: 'https://github.com/o/r',
        custom_url: null,
        resource_spec: null,
        build_on_push: true,
        push_source: 'none',
        surprise: 1,
      },
      source_revision_config: { repo_ref: 'main', image_uri: null, repo_commit_sha: 'x' },
      secrets: null,
      agent: null,
    };
    expect(createDeploymentBody.parse(body)).toEqual({
      name: 'agent',
      source: 'github',
      source_config: { repo_url: 'https://github.com/o/r', build_on_push: true },
      source_revision_config: { repo_ref: 'main' },
    });
  });

  it('takes the config path under both names, the newer one first', () => {
    const parse = (source_revision_config: object) =>
      createDeploymentBody.parse({ ...minimal, source_revision_config }).source_revision_config;
    expect(parse({ langgraph_config_path: 'a.json' })).toEqual({ graph_config_path: 'a.json' });
    expect(parse({ langgraph_config_path: 'a.json', graph_config_path: 'b.json' })).toEqual({
      graph_config_path: 'b.json',
    });
  });

  it('drops the client’s own key from the secrets and keeps the mask', () => {
    const secrets = [
      { name: 'LANGGRAPH_HOST_API_KEY', value: 'k' },
      { name: 'A', value: '**********' },
    ];
    expect(createDeploymentBody.parse({ ...minimal, secrets }).secrets).toEqual([secrets[1]]);
  });

  it('needs no name where an agent gives one', () => {
    const { name, ...unnamed } = minimal;
    expect(name).toBe('agent');
    expect(types(unnamed)).toEqual(['body.name missing']);
    expect(types({ ...unnamed, name: null })).toEqual(['body.name missing']);
    expect(types({ ...unnamed, agent: { agent_id: 'a', environment: 'dev' } })).toEqual([]);
  });

  it('keeps what clients of the CLI send', () => {
    const body = {
      ...minimal,
      source: 'internal_source',
      source_config: { deployment_type: 'dev_zero' },
      tracked_packages: { langgraph: { version: '1.2.22' } },
      agent: { agent_id: 'a', environment: 'prod' },
    };
    expect(createDeploymentBody.parse(body)).toEqual(body);
  });

  it.each<[string, object, string[]]>([
    [
      'nothing',
      {},
      ['body.source_config missing', 'body.source_revision_config missing', 'body.name missing'],
    ],
    ['null objects', { ...minimal, source_config: null }, ['body.source_config dict_type']],
    ['an empty name', { ...minimal, name: '' }, ['body.name string_too_short']],
    ['a long name', { ...minimal, name: 'a'.repeat(64) }, ['body.name string_too_long']],
    ['a name in capitals', { ...minimal, name: 'Agent' }, ['body.name value_error']],
    ['a name ending in a dash', { ...minimal, name: 'agent-' }, ['body.name value_error']],
    ['a name that is a number', { ...minimal, name: 7 }, ['body.name string_type']],
    ['an empty display name', { ...minimal, display_name: '' }, ['body.display_name string_too_short']],
    [
      'a long display name',
      { ...minimal, display_name: 'a'.repeat(257) },
      ['body.display_name string_too_long'],
    ],
    ['an unknown source', { ...minimal, source: 'svn' }, ['body.source enum']],
    [
      'wrong kinds',
      { ...minimal, source_config: { build_on_push: 'yes', listener_id: 'x', resource_spec: [] } },
      [
        'body.source_config.build_on_push bool_type',
        'body.source_config.resource_spec dict_type',
        'body.source_config.listener_id uuid_parsing',
      ],
    ],
    [
      'texts that break their rules, all at once',
      {
        ...minimal,
        source_config: { repo_url: 'https://u:p@h/r', install_command: 'a;b', custom_url: 'x' },
        source_revision_config: { repo_ref: '-x', graph_config_path: '../x', image_uri: 'A' },
      },
      [
        'body.source_config.repo_url value_error',
        'body.source_config.custom_url value_error',
        'body.source_config.install_command value_error',
        'body.source_revision_config.repo_ref value_error',
        'body.source_revision_config.graph_config_path value_error',
        'body.source_revision_config.image_uri value_error',
      ],
    ],
    [
      'a long text',
      { ...minimal, source_config: { deployment_type: 'x'.repeat(2049) } },
      ['body.source_config.deployment_type string_too_long'],
    ],
    [
      'containers without name and image',
      { ...minimal, source_config: { resource_spec: { sidecars: [{}], cpu: '1', min_scale: 1.5 } } },
      [
        'body.source_config.resource_spec.min_scale int_from_float',
        'body.source_config.resource_spec.cpu float_type',
        'body.source_config.resource_spec.sidecars.0.name missing',
        'body.source_config.resource_spec.sidecars.0.image missing',
      ],
    ],
    [
      'deep JSON',
      { ...minimal, tracked_packages: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) },
      ['body.tracked_packages value_error'],
    ],
    [
      'too much in all',
      { ...minimal, tracked_packages: Array.from({ length: 40 }, () => 'x'.repeat(2000)) },
      ['body value_error'],
    ],
  ])('refuses %s', (_, body, expected) => {
    expect(types(body)).toEqual(expected);
  });
});

describe('secrets', () => {
  const withSecrets = (secrets: unknown) => types({ ...minimal, secrets });

  it.each<[string, unknown, string[]]>([
    ['a text', 'A=1', ['body.secrets list_type']],
    ['an entry that is a text', ['A=1'], ['body.secrets.0 dict_type']],
    ['no value', [{ name: 'A' }], ['body.secrets.0.value missing']],
    ['a number', [{ name: 'A', value: 1 }], ['body.secrets.0.value string_type']],
    ['no name', [{ name: '', value: 'x' }], ['body.secrets.0.name string_too_short']],
    ['=', [{ name: 'A=B', value: 'x' }], ['body.secrets.0.name value_error']],
    ['a line break', [{ name: 'A\nB', value: 'x' }], ['body.secrets.0.name value_error']],
    ['a NUL value', [{ name: 'A', value: 'x\0' }], ['body.secrets.0.value value_error']],
    [
      'a repeated name',
      [
        { name: 'A', value: 'x' },
        { name: 'A', value: 'y' },
      ],
      ['body.secrets.1.name value_error'],
    ],
    [
      'too many',
      Array.from({ length: 201 }, (_, i) => ({ name: `A${i}`, value: '' })),
      ['body.secrets too_long'],
    ],
    ['too much', [{ name: 'A', value: 'x'.repeat(65_536) }], ['body.secrets value_error']],
  ])('refuses %s', (_, secrets, expected) => {
    expect(withSecrets(secrets)).toEqual(expected);
  });

  it('refuses every reserved name and allows those of a self-hosted installation', () => {
    expect(reservedSecretNames.size).toBe(28);
    // An agent server that a license is for runs on the user's own machines.
    expect(reservedSecretNames.has('LANGGRAPH_CLOUD_LICENSE_KEY')).toBe(false);
    for (const name of reservedSecretNames) {
      expect(withSecrets([{ name, value: 'x' }])).toEqual(['body.secrets.0.name value_error']);
    }
    const allowed = ['LANGSMITH_API_KEY', 'LANGSMITH_ENDPOINT', 'POSTGRES_URI_CUSTOM', 'PORT'];
    expect(withSecrets(allowed.map((name) => ({ name, value: 'x' })))).toEqual([]);
  });

  it('never repeats a value, however wrong its place', () => {
    const canary = 'canary-5f2b';
    const bodies: unknown[] = [
      { ...minimal, secrets: canary },
      { ...minimal, secrets: { A: canary } },
      { ...minimal, secrets: [canary] },
      { ...minimal, secrets: [{ name: { secret: canary }, value: [canary] }] },
      { ...minimal, secrets: [{ name: 'A', value: `${canary}\0` }] },
      { ...minimal, name: { secrets: [{ name: 'A', value: canary }] } },
      { ...minimal, name: [{ name: 'A', value: canary }] },
      { ...minimal, source_config: JSON.stringify({ secrets: [{ value: canary }] }) },
      { ...minimal, source_config: { repo_url: `https://user:${canary}@example.com/r` } },
    ];
    for (const body of bodies) {
      const found = problems(body);
      expect(found.length).toBeGreaterThan(0);
      expect(JSON.stringify(found)).not.toContain(canary);
    }
  });
});

it('a name belongs to a secret or to a reference', () => {
  const reference = (name: string) => ({ name, secret_name: 's', secret_key: 'k' });
  const secrets = [{ name: 'A', value: 'canary' }];
  const found = problems({ ...minimal, secrets, secret_references: [reference('B'), reference('A')] });
  expect(found).toEqual([
    {
      loc: ['body', 'secret_references', 1, 'name'],
      type: 'value_error',
      msg: expect.stringContaining('A is the name of a secret and of a secret reference'),
    },
  ]);
});
