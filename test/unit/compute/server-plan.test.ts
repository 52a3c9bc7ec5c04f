import { describe, expect, it } from 'vitest';
import { ComputeRefused } from '../../../lib/compute/port.ts';
import type { Listener } from '../../../lib/core/items/items.ts';
import { serverPlanOf } from '../../../lib/drive/server-plan.ts';
import { serverSpec } from '../../support/kubernetes/specs.ts';

const listener: Listener = {
  v: 2,
  entity: 'listener',
  tenant_id: '0190a000-0000-7000-8000-000000000002',
  id: '0190a000-0000-7000-8000-000000000001',
  compute_type: 'ecs',
  compute_id: 'fargate',
  k8s_namespaces: [],
  compute_config: {},
  is_default: true,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
const environment = ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'].map((name) => ({ name, value: 'x' }));
const planOf = (own: Parameters<typeof serverSpec>[0]) =>
  serverPlanOf(serverSpec({ environment, ...own }), { listener, given: {}, byTask: true });
const keyOf = (own: Parameters<typeof serverSpec>[0]) => planOf(own).keys.plain;

describe('a release whose threads nobody can ask for', () => {
  const releasing = (own: Parameters<typeof serverSpec>[0], replaces: boolean) =>
    serverPlanOf(serverSpec({ environment, server: 'langgraph', runtime: 'licensed', ...own }), {
      listener,
      given: {},
      byTask: true,
      replaces,
    });
  const unasked = expect.stringMatching(/is not known: servers on Fargate cannot be asked/);

  it('says so in the deploy log, once there is something to lose', () => {
    expect(releasing({}, true)).toMatchObject({ hindrance: undefined, remarks: [unasked] });
    expect(releasing({}, false).remarks).toEqual([]);
    expect(releasing({ on_release: { waiting: 'move' } }, true).remarks).toEqual([]);
  });

  it('is refused where on_release says so, though all of it should be there already', () => {
    const refusing = { on_release: { waiting: 'refuse' } } as const;
    expect(() => releasing(refusing, true)).toThrow(ComputeRefused);
    expect(() => releasing(refusing, true)).toThrow(/servers on Fargate cannot be asked/);
    expect(releasing(refusing, false).hindrance).toBeUndefined();
  });
});

describe('what the servers of the installation are made of', () => {
  it.each([
    [{ server: 'langgraph', runtime: 'licensed' }, undefined],
    [{ server: 'langgraph', runtime: 'command' }, 'x'],
    [{ server: 'other', runtime: 'command' }, undefined],
    [
      {
        server: 'langgraph',
        runtime: 'command',
        environment: [...environment, { name: 'DATABASE_URL', value: 'own' }],
      },
      'own',
    ],
  ] as const)('tells %j its database under another name: %s', (own, value) => {
    expect(
      planOf({
        ...own,
        environment: [...('environment' in own ? own.environment : environment)],
      }).environment.find(({ name }) => name === 'DATABASE_URL')?.value,
    ).toBe(value);
  });

  it.each([
    [{ server: 'langgraph' }, { path: '/ok', statuses: '200', seconds: 600 }],
    [{ server: 'other' }, { path: '/ok', statuses: '200-499', seconds: 600 }],
    [
      { server: 'other', health_check: { path: '/a' } },
      { path: '/a', statuses: '200-399', seconds: 600 },
    ],
    [
      { server: 'langgraph', health_check: { timeout_seconds: 30 } },
      { path: '/ok', statuses: '200', seconds: 30 },
    ],
  ] as const)('says for %j when they are ready', (own, health) => {
    expect(planOf(own).health).toEqual(health);
  });

  it('is another set with another start_command or health_check, and none with neither', () => {
    const usual = keyOf({ server: 'langgraph' });
    expect(keyOf({ server: 'langgraph', start_command: null, health_check: {} })).toBe(usual);
    const keys = [
      usual,
      keyOf({ server: 'langgraph', start_command: './a' }),
      keyOf({ server: 'langgraph', start_command: './b' }),
      keyOf({ server: 'langgraph', health_check: { path: '/a' } }),
      keyOf({ server: 'langgraph', health_check: { timeout_seconds: 30 } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(planOf({ start_command: './a --port $PORT' }).startLine).toBe('exec ./a --port $PORT');
  });
});
