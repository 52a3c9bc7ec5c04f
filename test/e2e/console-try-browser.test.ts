import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { aLink, aPerson, barriersInBothThemes, keyIn, type Person } from '../support/console/person.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  askServer,
  create,
  deployed,
  expectApi,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';

/** Requests to a deployment's server from its page, by way of the API. */
let program: Program;
let browser: Browser;
let made: ShownDeployment;
let person: Person;
let page: Page;

/** Says what it was asked; a run of it waits in the middle until it is told to go on. */
const SERVER = `
const { createServer } = process.getBuiltinModule('node:http');
let goOn = () => {};
createServer((request, response) => {
  const path = request.url.split('?')[0];
  if (path === '/runs/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: first\\ndata: 1\\n\\n');
    goOn = () => response.end('event: last\\ndata: 2\\n\\n');
    return;
  }
  if (path === '/go-on') goOn();
  if (path === '/broken') return response.writeHead(418).end('<b>teapot</b>');
  if (path === '/away') return response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url: request.url, method: request.method, headers: request.headers, body }));
  });
}).listen(process.env.PORT);
`;

installed(async (here) => {
  ({ program, browser } = here);
  const repository = await here.repository(await helloFiles('v1', { 'server.js': SERVER }));
  made = await deployed(program, await create(program, 'echo', repository.url));
  person = await here.signedIn();
  ({ page } = person);
  await page.goto(here.at(`deployments/${made.id}/try`));
  await page.getByRole('button', { name: 'Send request' }).waitFor();
});

const answer = () => page.getByLabel('Body of the answer');
const send = () => page.getByRole('button', { name: 'Send request' }).click();

type Said = { method: string; url: string; headers: Record<string, string>; body: string };

/** What the server says that it was asked. */
async function said(): Promise<Said> {
  await page.getByRole('heading', { name: 'Answer: 200' }).waitFor();
  await answer().getByText('"method"').waitFor();
  return JSON.parse((await answer().textContent()) ?? '') as Said; // what the server above answers
}

async function choosePost() {
  await page.getByRole('button', { name: /^Method/ }).click();
  await page.getByRole('option', { name: 'POST' }).click();
}

it('a request is sent and its answer shown, and nothing that proves who is signed in reaches the server', async () => {
  await choosePost();
  await page.getByLabel('Path').fill('/things?a=1');
  await page.getByRole('textbox', { name: 'Headers' }).fill('X-Own: value\nContent-Type: text/plain');
  await page.getByLabel('Body', { exact: true }).fill('{"ä": 1}');
  await send();
  const heard = await said();
  expect([heard.method, heard.body, heard.headers['x-own']]).toEqual(['POST', '{"ä": 1}', 'value']);
  expect(heard.url).toMatch(/\/things\?a=1$/);
  const key = await keyIn(page);
  const text = JSON.stringify(heard);
  expect(key).toMatch(/^slp_/);
  expect([text.includes(key), text.includes('slp_')]).toEqual([false, false]);
  await page.getByRole('button', { name: 'Show as tree' }).click();
  await page.getByRole('button', { name: 'Show as text' }).waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
});

it('a header that proves who asks the server goes there from the browser, past the API', async () => {
  const asked = page.waitForRequest((request) => request.url().endsWith('/things?a=1'));
  await page.getByRole('textbox', { name: 'Headers' }).fill('Authorization: Bearer own\nCookie: canary=1');
  await send();
  expect((await said()).headers).toMatchObject({ authorization: 'Bearer own' });
  expect((await asked).url()).toBe(`${made.source_config.custom_url}/things?a=1`);
  expect(JSON.stringify(await said())).not.toContain('canary');
  await page.getByRole('textbox', { name: 'Headers' }).fill('');
});

it('an answer comes bit by bit, and a run can be stopped', async () => {
  await page.getByRole('button', { name: 'Run an agent' }).click();
  expect(await page.getByLabel('Path').inputValue()).toBe('/runs/stream');
  await send();
  await answer().getByText('event: first').waitFor();
  expect(await answer().textContent()).not.toContain('event: last');
  expect((await askServer(made, '/go-on')).status).toBe(200);
  await answer().getByText('event: last').waitFor();
  await send();
  await answer().getByText('event: first').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Send request' }).waitFor();
});

it('a refusal of the server, markup and a redirect are shown as they are', async () => {
  await page.getByRole('button', { name: 'Health check' }).click();
  await page.getByLabel('Path').fill('/broken');
  await send();
  await page.getByRole('heading', { name: 'Answer: 418' }).waitFor();
  await answer().getByText('<b>teapot</b>', { exact: true }).waitFor();
  await page.getByLabel('Path').fill('/away');
  await send();
  await page.getByRole('heading', { name: 'Answer: 302' }).waitFor();
  expect(await page.getByText('http://127.0.0.1:9/').count()).toBe(1);
});

it('a request goes to the deployment’s own server, whatever path and address are given', async () => {
  await patch(program, made.id, { source_config: { custom_url: 'https://elsewhere.example' } });
  await page.getByLabel('Path').fill('/ok');
  await send();
  await page.getByRole('heading', { name: 'Answer: 200' }).waitFor();
  await page.getByLabel('Path').fill('/../other/ok');
  await send();
  await page.getByText('This leads to no server of this deployment').waitFor();
  await page.getByLabel('The same for a terminal').waitFor();
  expect(person.seen.complaints).toEqual([]);
});

it('who may not change deployments asks no servers', async () => {
  const viewer = await expectApi<{ key: string }>(
    program,
    'POST',
    '/v2/api-keys',
    { name: 'v', role: 'viewer' },
    201,
  );
  const other = (await aPerson(browser)).page;
  await other.goto(await aLink(program, viewer.key));
  await other.getByRole('link', { name: 'echo', exact: true }).click();
  await other.getByRole('link', { name: 'Revision 1', exact: true }).waitFor();
  expect(await other.getByRole('link', { name: 'Try', exact: true }).count()).toBe(0);
  await other.goto(`${program.baseUrl}/console/deployments/${made.id}/try`);
  await other.getByText('Your role does not include this page').waitFor();
  const body = { method: 'GET', path: '/ok' };
  await expectApi(
    { ...program, apiKey: viewer.key },
    'POST',
    `/v2/deployments/${made.id}/server-requests`,
    body,
    403,
  );
});
