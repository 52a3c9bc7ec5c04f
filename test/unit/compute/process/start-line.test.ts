import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesShellsDrop, startOf } from '../../../../lib/compute/process/start-line.ts';

const CHARACTERS = 'aZ0-_./:=,@%+$PORT{}"\'\\~*?#!&;|<>()[]^` \t';

describe('a line that starts a server', () => {
  it.each([
    ['node server.js', ['node', 'server.js']],
    ['./run "$PORT"', ['./run', '8123']],
    [
      'java -Xmx1g -jar a.jar  --server.port=${PORT}',
      ['java', '-Xmx1g', '-jar', 'a.jar', '--server.port=8123'],
    ],
    [
      'uvicorn app:app --host 127.0.0.1 --port $PORT',
      ['uvicorn', 'app:app', '--host', '127.0.0.1', '--port', '8123'],
    ],
  ])('%j is one plain command', (line, words) => {
    const start = startOf(line);
    expect(start.kind === 'words' && start.words(8123)).toEqual(words);
    expect(start.dropsNames).toBe(false);
  });

  it.each(['npm start', 'pnpm run serve', 'sh start.sh', '/bin/sh start.sh', 'node_modules/.bin/npx serve'])(
    '%j is one plain command, which has a shell of its own',
    (line) => expect(startOf(line)).toMatchObject({ kind: 'words', dropsNames: true }),
  );

  it.each([
    ['A=b node server.js', 'A=b node server.js'],
    ['cd app', 'cd app'],
    ['exec node server.js', 'exec node server.js'],
    ['build && node server.js', 'build && exec node server.js'],
    [
      'cd app && A="x && y" ./migrate &&  node "a b.js"',
      'cd app && A="x && y" ./migrate &&  exec node "a b.js"',
    ],
    ['build && A=b node server.js', 'build && A=b node server.js'],
    ['node "a && b"', 'exec node "a && b"'],
    ['node a.js # && all of it', 'exec node a.js # && all of it'],
    ['build && node a.js || node b.js', 'build && node a.js || node b.js'],
    ['build & node server.js', 'build & node server.js'],
    ['(build && node server.js)', '(build && node server.js)'],
    ['trap x EXIT && node server.js', 'trap x EXIT && node server.js'],
    ['node a.js | tee log', 'node a.js | tee log'],
    ['node a.js > log', 'exec node a.js > log'],
    ['node $FILE', 'exec node $FILE'],
    ['node $PORTS', 'exec node $PORTS'],
    ['node "a b.js"', 'exec node "a b.js"'],
    ['node *.js', 'exec node *.js'],
    ['node ~/a.js', 'exec node ~/a.js'],
    ['node a.js # all of it', 'exec node a.js # all of it'],
    ['node a.js &', 'node a.js &'],
  ])('%j needs a shell, as %j', (line, run) => {
    expect(startOf(line)).toEqual({ kind: 'line', line: run, dropsNames: true });
  });

  it('is started without a shell only where a shell makes the same words of it', () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from(CHARACTERS)) });
    const print = (words: readonly string[]) => words.map((one) => `${one}\n`).join('');
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.constantFrom('$PORT', '"$PORT"', '${PORT}'))), (words) => {
        const start = startOf(`printf ${words.join(' ')}`);
        if (start.kind === 'line') return;
        const [, ...args] = start.words(8123);
        const line = `printf '%s\\n' ${words.join(' ')}`;
        const said = execFileSync('/bin/sh', ['-c', line], { env: { PORT: '8123' }, encoding: 'utf8' });
        expect(said).toBe(args.length === 0 ? '\n' : print(args));
      }),
      { numRuns: 300 },
    );
  });

  it('has a shell drop the names that are none of its variables', () => {
    expect(namesShellsDrop(['A', '_a1', 'MY-VAR', 'a.b', 'A:B', '1ST', 'é'])).toEqual([
      ...['MY-VAR', 'a.b', 'A:B', '1ST', 'é'],
    ]);
  });
});
