import { expect } from 'vitest';
import { nestedAgentFiles, shouted } from '../support/programs/agents.ts';
import { DeployCli, type LogLine, tarball } from '../support/programs/deploy-cli.ts';
import { expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** Reads server-sent events until one of them says what is looked for; gives the data of all. */
async function followUntil(program: Program, path: string, wanted: string): Promise<string[]> {
  const stopping = new AbortController();
  const headers = { 'x-api-key': program.apiKey, accept: 'text/event-stream' };
  const response = await fetch(program.baseUrl + path, { headers, signal: stopping.signal });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(wanted)) break;
  }
  stopping.abort();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
}

/** What the server writes at the end of a run. */
const RAN = 'Background run succeeded';

/**
 * An agent below `apps/agent`, uploaded by a deploy CLI; its log is followed by all three routes while it
 * runs.
 */
export async function expectUploadedAgent(program: Program, example: string): Promise<void> {
  const cli = new DeployCli(program);
  const { deployment, revision } = await cli.deploy({
    name: `${example}-uploaded`,
    content: await tarball(await nestedAgentFiles(example)),
    configPath: 'apps/agent/langgraph.json',
    // `env` of the config says `!`.
    secrets: [{ name: 'SHOUT_ENDING', value: '?!' }],
  });
  expect([revision.status, revision.status_message]).toEqual(['DEPLOYED', null]);

  const ofDeployment = await cli.deployLogs(deployment.id);
  const path = `/v2/deployments/${deployment.id}/revisions/${revision.id}/logs?type=deploy`;
  const streamed = followUntil(program, path, RAN);
  const askedAt = Date.now();
  expect(await shouted(deployment, 'hello there')).toBe('v1: HELLO THERE?!');
  const seen: LogLine[] = [...ofDeployment.first];
  await until(
    async () => {
      seen.push(...(await ofDeployment.next()));
      return seen.some(({ message }) => message.includes(RAN));
    },
    { what: 'the run in the log of the deployment' },
  );
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  const line = seen.find(({ message }) => message.includes(RAN));
  expect(line?.level).toBe('INFO');
  // In milliseconds, of this machine's clock.
  expect(line?.timestamp).toBeGreaterThanOrEqual(askedAt);
  expect(line?.timestamp).toBeLessThanOrEqual(Date.now());
  process.stdout.write(`${example}: log_ms=${Date.now() - (line?.timestamp ?? 0)}\n`);
  expect((await streamed).join('\n')).toContain(RAN);
  const route = `/v1/projects/${deployment.id}/revisions/${revision.id}/deploy_logs`;
  const search = { order: 'desc', level: 'info', query: RAN };
  const page = await expectApi<{ logs: LogLine[] }>(program, 'POST', route, search, 200);
  expect(page.logs.map(({ id }) => id)).toContain(line?.id);
}
