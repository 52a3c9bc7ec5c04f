import { describe, expect, it } from 'vitest';
import { OutputTail, TailReader } from '../../../lib/compute/process/output-tail.ts';
import { describeFailure } from '../../../lib/domain/agent-failure.ts';
import { causeIn } from '../../../lib/domain/exception-chain.ts';

const TRACEBACK = 'Traceback (most recent call last):';
const raised = (exception: string) => [
  TRACEBACK,
  '  File "a.py", line 1, in <module>',
  '    run()',
  exception,
];
const LED_TO = ['', 'The above exception was the direct cause of the following exception:', ''];
const DURING = ['', 'During handling of the above exception, another exception occurred:', ''];

const MISSING = "ModuleNotFoundError: No module named 'x'";
const FAILED_IMPORT = [...raised(MISSING), ...LED_TO, ...raised('ImportError: Failed to import ./agent.py')];

describe('the cause of the exception that a program ended with', () => {
  it.each([
    ['of the one before', FAILED_IMPORT],
    ['of several before', [...FAILED_IMPORT, ...LED_TO, ...raised('RuntimeError: no app')]],
    ['behind words of a log', [`ERROR:    ${TRACEBACK}`, ...FAILED_IMPORT.slice(1), '', 'ERROR: ended']],
    [
      'of the last chain',
      [...raised('ValueError: a'), ...LED_TO, ...raised('KeyError: b'), ...FAILED_IMPORT],
    ],
    ['raised while another was handled', [...raised('KeyError: 1'), ...DURING, ...FAILED_IMPORT]],
  ])('is the first %s', (_, output) => {
    expect(causeIn(output)).toBe(MISSING);
  });

  it.each([
    ['one exception', raised(MISSING)],
    ['two that have nothing to do with each other', [...raised('ValueError: a'), ...raised(MISSING)]],
    ['no exception', ['Failed to import: x']],
  ])('is none of %s', (_, output) => {
    expect(causeIn(output)).toBeUndefined();
  });
});

describe('the reason of a server that cannot import its module', () => {
  it('ends with the cause on a machine, though that stands far above the last lines', () => {
    const reader = new TailReader();
    for (const line of [...FAILED_IMPORT, ...Array<string>(30).fill('more')]) reader.add(line);
    const tail = new OutputTail();
    tail.set(reader.tail);
    const reason = tail.after('The server exited with code 1.');
    expect(reason.split('\n')[0]).toBe('The server exited with code 1. Its last lines of output:');
    expect(reason).toMatch(new RegExp(`more\nThe cause of it: ${MISSING}$`));
  });

  it('ends with the cause where containers run', () => {
    const reason = describeFailure({ kind: 'exited', exitCode: 1, times: 3, output: FAILED_IMPORT });
    expect(reason).toMatch(
      new RegExp(`ImportError: Failed to import ./agent.py\nThe cause of it: ${MISSING}$`),
    );
  });
});
