import { describe, expect, it } from 'vitest';
import { failureMessage } from '../../../lib/embedded/builder/failure.ts';

describe('the message of a failure', () => {
  it('is the summary and the last lines', () => {
    expect(failureMessage('`npm ci` exited with code 1', ['a', 'b'])).toBe(
      '`npm ci` exited with code 1:\na\nb',
    );
    expect(failureMessage('It broke', [])).toBe('It broke');
  });

  it('never exceeds 2,000 characters and keeps the end of the output', () => {
    const message = failureMessage('It broke', ['x'.repeat(3_000), 'the end']);
    expect(message).toHaveLength(2_000);
    expect(message).toMatch(/^It broke:\n…x+\nthe end$/);
    expect(failureMessage('y'.repeat(3_000), ['out'])).toHaveLength(2_000);
  });
});
