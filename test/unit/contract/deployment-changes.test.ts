import { describe, expect, it } from 'vitest';
import type { ValidationItem } from '../../../lib/contract/errors.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import { changeDeploymentBody } from '../../../lib/features/deployments/shape.ts';

const problems = (body: unknown): ValidationItem[] =>
  parsePart('body', changeDeploymentBody, body).items ?? [];

describe('a body that changes a deployment', () => {
  const change = (body: unknown) => changeDeploymentBody.parse(body);

  it('may be empty, and tells keeping from clearing', () => {
    expect(change({})).toEqual({});
    expect(change({ secrets: null, source_config: null })).toEqual({});
    for (const kept of [{ secrets: [] }, { secrets: [], clear_secrets: false }, { clear_secrets: null }])
      expect(change(kept)).toEqual({});
    for (const cleared of [
      { secrets: [], clear_secrets: true },
      { secrets: null, clear_secrets: true },
    ])
      expect(change(cleared)).toEqual({ secrets: [] });
    expect(
      change({
        secret_references: [],
        source_config: {
          custom_url: '',
          install_command: '',
          resource_spec: {},
          health_check: {},
          build_env: [],
        },
      }),
    ).toEqual({
      secret_references: [],
      source_config: {
        custom_url: '',
        install_command: '',
        resource_spec: {},
        health_check: {},
        build_env: [],
      },
    });
  });

  it('either replaces the secrets or clears them', () => {
    const both = { secrets: [{ name: 'A', value: 'b' }], clear_secrets: true };
    expect(problems(both)).toEqual([
      { loc: ['body', 'clear_secrets'], type: 'value_error', msg: expect.stringContaining("'secrets'") },
    ]);
  });

  it('keeps or clears the secrets of builds as those of servers', () => {
    const build_secrets = [{ name: 'A', value: 'b' }];
    for (const kept of [{ build_secrets: [] }, { build_secrets: null }, { clear_build_secrets: false }])
      expect(change({ source_config: kept })).toEqual({ source_config: {} });
    expect(change({ source_config: { build_secrets: [], clear_build_secrets: true } })).toEqual({
      source_config: { build_secrets: [] },
    });
    expect(change({ source_config: { build_secrets } })).toEqual({ source_config: { build_secrets } });
    const both = { source_config: { build_secrets, clear_build_secrets: true } };
    expect(problems(both)).toEqual([
      {
        loc: ['body', 'source_config', 'clear_build_secrets'],
        type: 'value_error',
        msg: expect.stringContaining("'build_secrets'"),
      },
    ]);
  });

  it('says what is wrong with a secret of builds without its value', () => {
    const value = 'canary-of-a-build';
    const refused = [
      [{ name: 'AWS_SECRET', value }],
      [{ name: 'A B', value }],
      [{ name: 'A', value: `${value}\0` }],
      [{ name: 'A', value: [value] }],
      Array.from({ length: 201 }, (_, index) => ({ name: `A${index}`, value })),
      [{ name: 'A', value: value.repeat(5000) }],
      value,
    ];
    for (const build_secrets of refused) {
      const said = problems({ source_config: { build_secrets } });
      expect(said.length).toBeGreaterThan(0);
      expect(JSON.stringify(said)).not.toContain(value);
    }
    // Nor where the whole that holds it is of the wrong kind.
    const whole = problems({ source_config: [{ build_secrets: value }] });
    expect(JSON.stringify(whole)).not.toContain(value);
  });

  it('has room for as many secrets of builds as of servers beside a configuration', () => {
    const build_secrets = [{ name: 'A', value: 'a'.repeat(65_000) }];
    expect(problems({ source_config: { build_secrets } })).toEqual([]);
    const build_env = [{ name: 'A', value: 'a'.repeat(65_500) }];
    expect(problems({ source_config: { build_env } })).toHaveLength(1);
  });

  it('carries a name, so that a change of it can be refused', () => {
    expect(change({ name: 'Other Name' })).toEqual({ name: 'Other Name' });
  });

  it('says where one revision comes from', () => {
    expect(change({ revision_source: 'internal_source' })).toEqual({ revision_source: 'internal_source' });
    expect(problems({ revision_source: 'x' })).toMatchObject([
      { loc: ['body', 'revision_source'], type: 'enum', input: 'x' },
    ]);
  });
});
