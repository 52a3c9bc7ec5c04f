import { readFile } from 'node:fs/promises';
import aslValidator from 'asl-validator';
import { describe, expect, it } from 'vitest';

const file = new URL('../../statemachines/revision.asl.json', import.meta.url);

/** The parts of a state that its rules are about. */
type State = {
  Type: string;
  TimeoutSeconds?: number;
  Catch?: { Next: string }[];
  Retry?: { ErrorEquals: string[] }[];
};

const machine: { States: Record<string, State> } = JSON.parse(await readFile(file, 'utf8'));
const tasks = Object.entries(machine.States).filter(([, state]) => state.Type === 'Task');
const steps = tasks.filter(([name]) => name !== 'Finish');

describe('the state machine of a revision', () => {
  it('is valid Amazon States Language', async () => {
    // The validator checks references as ARNs, which the deployment fills in.
    const filled = (await readFile(file, 'utf8')).replaceAll(
      /\$\{(\w+)\}/g,
      'arn:aws:lambda:us-east-1:000000000000:function:$1',
    );
    const result = aslValidator(JSON.parse(filled));
    expect(result.errors).toEqual([]);
    expect(result.isValid).toBe(true);
  });

  it.each(tasks)('gives %s a timeout', (_, state) => {
    expect(state.TimeoutSeconds).toBeGreaterThan(0);
  });

  it.each(steps)('leads %s into Finish whatever it throws', (_, state) => {
    expect(state.Catch).toMatchObject([{ ErrorEquals: ['States.ALL'], Next: 'Finish' }]);
  });

  it.each(steps)('never repeats %s for an error of its own', (_, state) => {
    const retried = state.Retry?.flatMap(({ ErrorEquals }) => ErrorEquals) ?? [];
    expect(retried.length).toBeGreaterThan(0);
    const ours = retried.filter((name) => !name.startsWith('Lambda.'));
    expect(ours.filter((name) => !['Transient', 'BuildsAtCapacity'].includes(name))).toEqual([]);
  });

  it('has no top-level timeout, which would end an execution without Finish', () => {
    expect(machine).not.toHaveProperty('TimeoutSeconds');
  });
});
