import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { expectNoBarrier } from '../support/console/look.ts';
import { barriersInBothThemes, keyIn, type Person } from '../support/console/person.ts';
import { create, deployed, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { speakingFiles } from '../support/programs/talking-server.ts';

/** Speaking with agents and MCP servers from a deployment's page: from the browser to the server itself. */
const SECRET = 'agent-secret-canary';
let program: Program;
let made: Record<'agent' | 'guarded' | 'words', ShownDeployment>;
let person: Person;
let page: Page;
let at: (path: string) => string;

installed(async (here) => {
  ({ program, at } = here);
  const { url } = await here.repository(speakingFiles());
  const deploy = async (name: string, folder: string, more = {}) => {
    const source = { source_config: { repo_url: url, root_directory: folder } };
    return deployed(program, await create(program, name, url, { ...source, ...more }));
  };
  made = {
    agent: await deploy('support-agent', 'agent'),
    guarded: await deploy('guarded', 'agent', { secrets: [{ name: 'AGENT_SECRET', value: SECRET }] }),
    words: await deploy('words', 'tools'),
  };
  person = await here.signedIn();
  ({ page } = person);
});

const agentUrl = () => made.agent.source_config.custom_url ?? 'no address';
const openTry = (name: keyof typeof made) => page.goto(at(`deployments/${made[name].id}/try`));
const log = () => page.getByRole('log');
const bar = () => page.locator('.chat-bar');

async function say(text: string, name = 'support-agent') {
  await page.getByLabel(`Message ${name}`).fill(text);
  await page.keyboard.press('Enter');
}

/** A run has ended once a new message may be sent, or something is asked. */
const rest = () => bar().getByText('Answering').waitFor({ state: 'detached' });

it('an agent answers as it would its users, and the thread stays in the list', async () => {
  await openTry('agent');
  await page.getByText('Talk with support-agent').waitFor();
  await expectNoBarrier(page, 'a new thread');
  await say('Where is <b>my</b> parcel? See https://parcels.example/1.');
  await log().getByText('You said: Where is <b>my</b> parcel? See').waitFor();
  await rest();
  // Text of an agent is text, and its addresses lead out of the console.
  const link = log().getByRole('link', { name: 'https://parcels.example/1' }).last();
  expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
    '_blank',
    'noreferrer nofollow',
  ]);
  await page.getByRole('navigation', { name: 'Threads' }).getByText('Where is <b>my</b> parcel?').waitFor();
  const asked = person.seen.addresses.filter((address) => address.includes('/threads'));
  expect(asked.every((address) => address.startsWith(`${made.agent.source_config.custom_url}/`))).toBe(true);
  expect(asked.length).toBeGreaterThan(3);
});

it('what proves who is signed in does not reach the agent', async () => {
  const key = await keyIn(page);
  const seen = page.waitForRequest((request) => request.url().endsWith('/runs/stream'));
  await say('again');
  const headers = JSON.stringify(await (await seen).allHeaders());
  expect(key).toMatch(/^slp_/);
  expect([headers.includes(key), headers.includes('slp_'), headers.includes('cookie')]).toEqual([
    false,
    false,
    false,
  ]);
  await log().getByText('You said: again').waitFor();
  await rest();
});

it('a thread that asks for leave shows the tool that was called, and is answered by a form', async () => {
  await page.getByRole('button', { name: 'New thread' }).click();
  await say('I want a refund');
  const form = page.getByRole('form', { name: 'The agent asks before it calls send_refund' });
  await form.waitFor();
  await bar().getByText('Waits for you').waitFor();
  await page.getByLabel('Message support-agent').and(page.locator(':disabled')).waitFor();
  await expectNoBarrier(page, 'a question');
  await log().getByText('lookup_order').click();
  await log().getByText('Arc floor lamp').waitFor();
  await form.getByLabel('Amount').fill('a lot');
  await form.getByRole('button', { name: 'Approve send refund' }).click();
  await form.getByText('Amount is a number').waitFor();
  await form.getByLabel('Amount').fill('20');
  await form.getByRole('button', { name: 'Approve send refund' }).click();
  const edited = { name: 'send_refund', args: { amount: 20, reason: 'Damaged in transit' } };
  const decisions = { decisions: [{ type: 'edit', edited_action: edited }] };
  await log()
    .getByText(`Done: ${JSON.stringify(decisions)}`)
    .waitFor();
  await rest();
  expect(await bar().getByText('Waits for you').count()).toBe(0);
});

it('the same question is answered with JSON', async () => {
  await say('another refund');
  const form = page.getByRole('form', { name: /asks before/ });
  await form.getByRole('button', { name: 'Answer as JSON' }).click();
  await form.getByLabel('Answer').fill('{');
  await form.getByRole('button', { name: 'Send answer' }).click();
  await form.getByText('The answer is not valid JSON').waitFor();
  await form.getByLabel('Answer').fill('{"ok": true}');
  await form.getByRole('button', { name: 'Send answer' }).click();
  await log().getByText('Done: {"ok":true}').waitFor();
  await rest();
  expect(await form.count()).toBe(0);
});

it('the thread goes on another way from an earlier step', async () => {
  await page.getByRole('button', { name: 'Go on from an earlier step' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('button', { name: /The end/ })
    .first()
    .waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await dialog
    .getByRole('button', { name: /Before refund/ })
    .last()
    .click();
  await page.getByText('You go on from an earlier step').waitFor();
  expect(await log().getByText('another refund').count()).toBe(0);
  const sent = page.waitForRequest((request) => request.url().endsWith('/runs/stream'));
  await say('something else');
  expect((await sent).postDataJSON()).toMatchObject({
    checkpoint: { checkpoint_id: expect.stringMatching(/^step-/) as string },
  });
  await log().getByText('You said: something else').waitFor();
  await rest();
  expect(await log().getByText('another refund').count()).toBe(0);
  await page.getByRole('button', { name: 'State of the thread' }).click();
  await page.getByRole('dialog', { name: 'State of the thread' }).getByText('checkpoint_id').waitFor();
  await page.keyboard.press('Escape');
});

it('a run is stopped, also one that was begun before the page was opened', async () => {
  await page.getByRole('button', { name: 'New thread' }).click();
  await say('wait for me');
  await log().getByText('One moment').waitFor();
  await bar().getByText('Answering').waitFor();
  await page.reload();
  // The page hears the run that goes on.
  await bar().getByText('Answering').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await rest();
  await log().getByText('Stopped.').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('a run that fails says why', async () => {
  await page.getByRole('button', { name: 'New thread' }).click();
  await say('fail now');
  await log().getByText('ValueError: no luck').waitFor();
  await bar().getByText('Failed').waitFor();
  expect(await page.getByLabel('Message support-agent').isEnabled()).toBe(true);
});

it('a graph without messages is run by a form of its fields', async () => {
  await page.getByRole('button', { name: 'New thread' }).click();
  await page.getByRole('button', { name: 'Assistant: agent' }).click();
  await page.getByRole('option', { name: 'adder' }).click();
  const form = page.getByRole('form', { name: 'Input' });
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('One is needed.').waitFor();
  await form.getByLabel('One').fill('41');
  await form.getByRole('button', { name: 'Run' }).click();
  await log().getByText('sum').waitFor();
  await log().getByText('42').waitFor();
  await expectNoBarrier(page, 'values');
});

it('the same is there as code, and on a narrow window behind buttons', async () => {
  const code = page.getByRole('group', { name: /^The same in/ });
  for (const language of ['curl', 'Python', 'TypeScript']) {
    await page.getByRole('button', { name: language, exact: true }).click();
    await code.getByText(agentUrl()).first().waitFor();
  }
  const studio = page.getByRole('link', { name: 'Open in LangSmith Studio' });
  expect(await studio.getAttribute('href')).toMatch(
    /^https:\/\/smith\.langchain\.com\/studio\/\?baseUrl=http/,
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Threads' }).click();
  const threads = page.getByRole('dialog', { name: 'Threads' });
  await threads.getByText('I want a refund').click();
  await threads.waitFor({ state: 'detached' });
  await log().getByText('You said: something else').waitFor();
  await expectNoBarrier(page, 'a thread at 390');
  await page.getByRole('button', { name: 'Code' }).click();
  await page
    .getByRole('dialog')
    .getByRole('group', { name: /^The same in/ })
    .waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('an agent with a sign-in of its own gets the header that is given, and nobody else does', async () => {
  await openTry('guarded');
  await page.getByText('This server asks who you are').waitFor();
  await page.getByRole('button', { name: 'Give a header' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Headers').fill('no header');
  await dialog.getByRole('button', { name: 'Use headers' }).click();
  await dialog.getByText('A header is a name, a colon and a value').waitFor();
  await dialog.getByLabel('Headers').fill(`Authorization: Bearer ${SECRET}`);
  await dialog.getByRole('button', { name: 'Use headers' }).click();
  await page.getByText('Talk with guarded').waitFor();
  const told: string[] = [];
  page.on('request', (request) => {
    if (JSON.stringify(request.headers()).includes(SECRET)) told.push(request.url());
  });
  await say('hello', 'guarded');
  await log().getByText('You said: hello').waitFor();
  await rest();
  expect(told.length).toBeGreaterThan(2);
  expect(told.filter((url) => !url.startsWith(`${made.guarded.source_config.custom_url}/`))).toEqual([]);
  const held =
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, document.body.innerHTML])';
  expect(await page.evaluate<string>(held)).not.toContain(SECRET);
  await page.reload();
  await page.getByText('This server asks who you are').waitFor();
});

it('the tools of an MCP server are called by forms of their schemas', async () => {
  await openTry('words');
  await page.getByRole('button', { name: 'Call shout' }).waitFor();
  await expectNoBarrier(page, 'tools');
  await page.getByRole('button', { name: 'Call shout' }).click();
  await page.getByText('Text is needed.').waitFor();
  await page.getByLabel('Text').fill('hello');
  await page.getByLabel('Times').fill('2');
  await page.getByRole('button', { name: 'Call shout' }).click();
  await page.getByText('HELLOHELLO').waitFor();
  await page.getByRole('status', { name: 'Answer' }).getByText('length').waitFor();
  await page.getByRole('button', { name: 'curl', exact: true }).click();
  await page.getByRole('group', { name: 'The same in curl' }).getByText('"hello"').waitFor();
  await page.getByRole('navigation', { name: 'Tools' }).getByText('drop_all').click();
  await page.getByText('Changes or deletes things').waitFor();
  await page.getByRole('button', { name: 'Call drop_all' }).click();
  await page.getByText('nothing to delete').waitFor();
  await page.getByRole('status', { name: 'Answer' }).getByText('Failed').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoBarrier(page, 'tools at 390');
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('where the browser is not let through, it goes by way of the API, without what was given for the agent', async () => {
  expect(person.seen.complaints).toEqual([]);
  await page.route(`${new URL(agentUrl()).origin}/**`, (route) => route.abort());
  const relayed: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/server-requests')) relayed.push(request.postData() ?? '');
  });
  await openTry('agent');
  await page.getByText('Talk with support-agent').waitFor();
  await say('by the API');
  await log().getByText('You said: by the API').waitFor();
  await rest();
  expect(relayed.length).toBeGreaterThan(3);
  expect(relayed.join()).not.toContain(SECRET);
});

it('where neither way leads there the page says so, and shows how programs get there', async () => {
  const refusal = {
    status: 409,
    json: { detail: 'This installation passes no requests on.', code: 'state_forbids' },
  };
  await page.route('**/server-requests', (route) => route.fulfill(refusal));
  await page.goto(at(`deployments/${made.agent.id}/try?as=chat`));
  await page.getByText('Your browser cannot reach this server').waitFor();
  await page
    .getByRole('group', { name: /^The same in/ })
    .getByText(agentUrl())
    .waitFor();
  await expectNoBarrier(page, 'unreachable');
});
