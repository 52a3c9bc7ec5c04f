import { describe, expect, it } from 'vitest';
import { withoutUnused } from '../../../lib/embedded/workflow/definition.ts';

const machine = { StartAt: 'Done', States: { Done: { Type: 'Succeed' } } } as const;

describe('the embedded Step Functions', () => {
  it('are loaded without the validator, and run without it', async () => {
    const { StateMachine } = await withoutUnused(() => import('aws-local-stepfunctions'));
    expect(() => new StateMachine(machine)).toThrow('left out');
    const unchecked = new StateMachine(machine, { validationOptions: { noValidate: true } });
    expect(await unchecked.run({ a: 1 }).result).toEqual({ a: 1 });
  });

  it('leave the validator to whoever else asks for it', async () => {
    const { default: validate } = await withoutUnused(() => import('asl-validator'));
    expect(validate(machine).isValid).toBe(true);
  });
});
