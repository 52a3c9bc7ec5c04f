import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../support/git-repository.ts';
import { jobFor, messageOf, setUp } from './set-up.ts';

const json = (config: object) => JSON.stringify(config, undefined, 2);

describe('an agent project that cannot be built', () => {
  it.each([
    [
      'a config that is no JSON',
      '{ "graphs": ',
      {},
      /^langgraph\.json is not valid JSON at line 1 column 13/,
    ],
    [
      'a graph that is not there',
      json({ graphs: { agent: './nope.js:graph' } }),
      {},
      /^langgraph\.json line 3: graph 'agent' names \.\/nope\.js, but there is no file nope\.js/,
    ],
    [
      'a Python version that is not here',
      json({ python_version: '3.99', dependencies: ['.'], graphs: { agent: './a.py:graph' } }),
      { 'a.py': '' },
      /python_version 3\.99: Python 3\.99 is not on the PATH of this machine; found: /,
    ],
    [
      'lines for an image',
      json({ dockerfile_lines: ['RUN true'], graphs: { agent: './a.py:graph' } }),
      { 'a.py': '' },
      /dockerfile_lines \(`RUN true`\) change a container image/,
    ],
  ])('fails for %s, its cause the last line of the log', async (_, config, files, reason) => {
    const { run } = await setUp();
    const { url } = await gitRepository({ 'langgraph.json': config, ...files });
    const { state, log } = await run(jobFor(url));
    expect(messageOf(state)).toMatch(reason);
    expect(log.at(-1)).toMatch(reason);
  });

  it('fails for a graph that the build does not make', async () => {
    const { run } = await setUp();
    const config = json({ graphs: { agent: './dist/agent.js:graph' } });
    const { url } = await gitRepository({ 'langgraph.json': config, 'node_modules/.bin/langgraphjs': '' });
    const { state, log } = await run(jobFor(url, { buildCommand: 'echo built nothing' }));
    expect(messageOf(state)).toMatch(
      /graph 'agent' names \.\/dist\/agent\.js, but there is no file dist\/agent\.js/,
    );
    expect(log).toContain('built nothing');
  });
});
