import { describe, expect, it } from 'vitest';
import { readableLine } from '../../../lib/embedded/log.ts';
import { createLog } from '../../../lib/listener/log.ts';

describe('a function’s structured log line', () => {
  it('reads as its message and its facts', () => {
    const json = JSON.stringify({
      level: 'WARN',
      message: 'request',
      timestamp: '2026-01-01T00:00:00.000Z',
      service: 'slipway',
      operation: 'getOk',
      status: 200,
      error: { name: 'X' },
    });
    expect(readableLine(json)).toEqual({
      level: 'warn',
      message: 'request operation=getOk status=200 error={"name":"X"}',
    });
  });

  it('that is no JSON is shown as it is', () => {
    expect(readableLine('plain words')).toEqual({ level: 'info', message: 'plain words' });
    expect(readableLine('{"level":"CRITICAL","message":"m"}')).toEqual({ level: 'info', message: 'm' });
  });
});

it('leaves out what is below its level', () => {
  const lines: string[] = [];
  const log = createLog('warn', (line) => lines.push(line), 'slipway');
  log.info('no');
  log.warn('yes');
  log.error('yes too');
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z WARN {2}slipway: yes$/),
    expect.stringMatching(/ERROR slipway: yes too$/),
  ]);
});
