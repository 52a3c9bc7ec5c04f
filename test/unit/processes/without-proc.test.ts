import { describe, expect, it } from 'vitest';
import { limitsOfPlatform } from '../../../lib/processes/platform.ts';
import { parseMarkers, parseRows, psSource } from '../../../lib/processes/table/source.ts';
import { printedBy, ToolMissing } from '../../../lib/processes/tools.ts';

describe('what ps prints', () => {
  it('is read as processes, without zombies', () => {
    const text = [
      '    1     1 Ss   Sun Nov  1 14:35:30 2026',
      '  812   800 S+   Mon Nov 23 14:35:31 2026    ',
      '  813   800 Z    Mon Nov 23 14:35:31 2026',
      '',
    ].join('\n');
    expect(parseRows(text)).toEqual([
      { pid: 1, groupId: 1, sessionId: -1, startTime: 'Sun Nov  1 14:35:30 2026' },
      { pid: 812, groupId: 800, sessionId: -1, startTime: 'Mon Nov 23 14:35:31 2026' },
    ]);
  });

  it('tells how old a process is, whatever the time zone', () => {
    const started = new Date(Date.now() - 3_600_000).toUTCString(); // Mon, 23 Nov 2026 14:35:31 GMT
    const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(started) ?? [];
    const startTime = `${day} ${month} ${date} ${time} ${year}`;
    const age = psSource.ageSeconds({ pid: 1, groupId: 1, sessionId: -1, startTime });
    expect(Math.abs(age - 3_600)).toBeLessThan(5);
  });

  it('is read for the markers in environments', () => {
    const text = [
      '  12 sleep 600 PATH=/bin RUN_GROUP_ID=a.b/c.d HOME=/root',
      '  13 node x.js XRUN_GROUP_ID=no',
      ' 140 sh -c echo RUN_GROUP_ID=said RUN_GROUP_ID=carried',
      '  15 /usr/libexec/secretive',
    ].join('\n');
    expect([...parseMarkers(text)]).toEqual([
      [12, 'RUN_GROUP_ID=a.b/c.d'],
      [140, 'RUN_GROUP_ID=said RUN_GROUP_ID=carried'],
    ]);
  });
});

describe('at the start', () => {
  const missing = (name: string) => (tool: string) => printedBy(tool === name ? `no-${tool}` : 'true', []);

  it('nothing is said where there is /proc', () => {
    expect(limitsOfPlatform(true, missing('lsof'))).toEqual([]);
  });

  it('what cannot be had elsewhere is said', () => {
    expect(limitsOfPlatform(false, missing('none'))).toEqual([
      expect.stringMatching(/^Processes are found with `ps` here: .*\.$/),
    ]);
  });

  it.each(['ps', 'lsof'])('a missing %s is named, with what to do', (tool) => {
    expect(() => limitsOfPlatform(false, missing(tool))).toThrow(ToolMissing);
    expect(() => limitsOfPlatform(false, missing(tool))).toThrow(
      /^`no-\w+` cannot be run \(.*ENOENT.*\)\. Install it: /,
    );
  });
});
