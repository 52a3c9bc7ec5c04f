import { describe, expect, it } from 'vitest';
import {
  durableWish,
  isAtLeast,
  keptRuntime,
  type RuntimeFacts,
  resolveRuntime,
  runtimeProblem,
  unknownRuntime,
} from '../../../lib/domain/runtime.ts';

const machine = { compute_type: 'process', compute_id: 'laptop', version: '9.0.0' } as const;
const cluster = { compute_type: 'k8s', compute_id: 'prod', version: '9.0.0' } as const;

const first: RuntimeFacts = {
  wish: undefined,
  before: undefined,
  hasServed: false,
  server: 'langgraph',
  isBuiltDurable: false,
  startCommand: undefined,
  host: machine,
  fallback: 'auto',
};

describe('auto', () => {
  it.each([
    [{}, 'dev'],
    [{ wish: 'auto' }, 'dev'],
    [{ host: cluster }, 'licensed'],
    [{ host: { ...cluster, compute_type: 'ecs' } }, 'licensed'],
    [{ server: 'other' }, 'command'],
    [{ host: cluster, server: 'other' }, 'command'],
    [{ startCommand: 'uvicorn a:app' }, 'command'],
    [{ fallback: 'dev' }, 'dev'],
    // It does not fit here, and agents on other listeners need theirs.
    [{ fallback: 'licensed' }, 'dev'],
    [{ fallback: 'dev', host: cluster }, 'licensed'],
    // What was resolved stays.
    [{ before: 'durable', isBuiltDurable: true }, 'durable'],
    [{ fallback: 'durable', isBuiltDurable: true }, 'durable'],
    // It was preferred, and the source does not go together with it.
    [{ fallback: 'durable' }, 'dev'],
    [{ before: 'dev', fallback: 'licensed' }, 'dev'],
    // A source that only now names graphs has no threads yet.
    [{ before: 'command' }, 'dev'],
  ] as const)('of %j is %s', (facts, resolved) => {
    expect(resolveRuntime({ ...first, ...facts })).toMatchObject({ resolved });
  });
});

describe('a runtime that is asked for', () => {
  it.each([
    [{ wish: 'dev' }, 'dev'],
    [{ wish: 'durable', isBuiltDurable: true }, 'durable'],
    [{ wish: 'licensed', host: cluster }, 'licensed'],
    // Only who asks for it knows what an image of somebody's own is.
    [{ wish: 'licensed', host: cluster, server: 'other' }, 'licensed'],
    [{ wish: 'command', server: 'other' }, 'command'],
    [{ wish: 'command', startCommand: 'make run' }, 'command'],
    [{ wish: 'command', host: cluster }, 'command'],
  ] as const)('%j is %s', (facts, resolved) => {
    expect(resolveRuntime({ ...first, ...facts })).toEqual({
      resolved,
      reason: 'asked',
    });
  });

  it.each([
    [{ wish: 'licensed' }, /'licensed', which is LangChain's image.*listener laptop runs processes.*'dev'/],
    [{ wish: 'dev', host: cluster }, /'dev', which is a program of a machine.*'licensed'/],
    [{ wish: 'dev', server: 'other' }, /has no langgraph\.json.*'command' or 'auto'/],
    [{ wish: 'dev', startCommand: 'a' }, /clear start_command, or set runtime to 'command'/],
    [{ wish: 'command' }, /Give a start_command/],
    [{ wish: 'durable' }, /was built for another one: create a revision/],
    [{ wish: 'durable', server: 'other' }, /has no langgraph\.json/],
    [{ wish: 'auto', before: 'durable' }, /was built for another one: create a revision/],
  ] as const)('%j is refused with the way out', (facts, problem) => {
    expect(resolveRuntime({ ...first, ...facts })).toEqual({ problem: expect.stringMatching(problem) });
  });
});

it.each([
  [{}, undefined],
  [{ wish: 'durable' }, 'asked'],
  [{ wish: 'dev', fallback: 'durable' }, undefined],
  [{ fallback: 'durable' }, 'preferred'],
  [{ fallback: 'durable', host: cluster }, undefined],
  [{ fallback: 'durable', hasServed: true }, undefined],
  [{ fallback: 'durable', before: 'dev' }, undefined],
  [{ fallback: 'durable', before: 'command' }, 'preferred'],
  [{ before: 'durable' }, 'kept'],
  [{ before: 'durable', startCommand: 'make run' }, undefined],
] as const)('with %j a revision is built for the durable server: %s', (facts, wish) => {
  expect(durableWish({ ...first, ...facts })).toBe(wish);
});

it.each([
  [undefined, { resolved: 'dev', reason: 'usual' }, 'dev'],
  // Their threads are still there when the command is cleared.
  [{ resolved: 'durable', reason: 'asked' }, { resolved: 'command', reason: 'start_command' }, 'durable'],
  [{ resolved: 'durable', reason: 'asked' }, { resolved: 'command', reason: 'asked' }, 'command'],
  [{ resolved: 'command', reason: 'own_server' }, { resolved: 'dev', reason: 'usual' }, 'dev'],
] as const)('a deployment with %j keeps of %j that it runs in %s', (before, now, kept) => {
  expect(keptRuntime(before, now).resolved).toBe(kept);
});

describe('a listener', () => {
  it.each([
    ['durable', machine, undefined],
    ['durable', { ...machine, version: '0.1.9' }, /has version 0\.1\.9. Update it/],
    ['durable', { ...machine, version: undefined }, /listener laptop has named no version/],
    ['dev', { ...machine, version: '0.1.0' }, undefined],
    [undefined, { ...machine, version: undefined }, undefined],
  ] as const)('takes a revision of runtime %s, or says what it lacks: %j', (runtime, host, problem) => {
    const said = unknownRuntime(runtime, host);
    if (problem === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(problem);
  });

  it.each([
    [machine, undefined],
    [{ ...machine, version: '0.2.0' }, undefined],
    [{ ...machine, version: '0.1.9' }, /since version 0\.2\.0; listener laptop has version 0\.1\.9/],
    // It says its version when it takes its first task.
    [{ ...machine, version: undefined }, undefined],
    [{ ...machine, version: 'main' }, /has version main/],
    [cluster, /compute_type 'process' so far; listener prod runs pods/],
  ])('%j knows durable, or is named with what it lacks', (host, problem) => {
    const said = runtimeProblem('durable', undefined, host);
    if (problem === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(problem);
  });
});

it.each([
  ['1.0.0', '0.9.9', true],
  ['0.10.0', '0.9.0', true],
  ['0.2.0-rc.1', '0.2.0', true],
  ['v0.2.0', '0.2.0', true],
  ['0.2', '0.2.0', false],
  ['', '0.2.0', false],
])('version %s is at least %s: %s', (version, least, is) => {
  expect(isAtLeast(version, least)).toBe(is);
});
