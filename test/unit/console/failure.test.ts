import { describe, expect, it } from 'vitest';
import { effectOf, failureOf } from '../../../console/logic/failure.ts';

describe('a failure', () => {
  it('begins with what went wrong, and keeps the lines that say why', () => {
    const message =
      '`npm run build` exited with code 1:\n> build\n> echo error\n\nCollecting\nERROR: no such package';
    expect(failureOf(message)).toEqual({
      title: '`npm run build` exited with code 1',
      lines: [
        { text: '> build', isHit: false },
        { text: '> echo error', isHit: false },
        { text: 'Collecting', isHit: false },
        { text: 'ERROR: no such package', isHit: true },
      ],
    });
    expect(failureOf('The server exited with code 3. Its last lines of output:\nbye')).toEqual({
      title: 'The server exited with code 3',
      lines: [{ text: 'bye', isHit: true }],
    });
  });

  it('shows the line that names the failure, however long the stack below it', () => {
    const stack = Array.from({ length: 20 }, (_, index) => `    at step ${index} (loader:1)`);
    const { lines } = failureOf(
      ['x:', 'throw err;', 'Error: Cannot find module', ...stack, 'v24'].join('\n'),
    );
    expect(lines.slice(0, 2)).toEqual([
      { text: 'Error: Cannot find module', isHit: true },
      { text: '    at step 0 (loader:1)', isHit: false },
    ]);
    expect(lines.length).toBe(12);
  });

  it('says what it means for who uses the deployment', () => {
    expect([effectOf(13), effectOf(null)]).toEqual([
      'Your users saw nothing: revision 13 still serves.',
      'Nothing serves yet: whoever calls the address gets no answer.',
    ]);
  });

  it('is short, however long its message', () => {
    const { lines } = failureOf(`x\n${'line\n'.repeat(100_000)}`);
    expect(lines.length).toBe(12);
  });
});
