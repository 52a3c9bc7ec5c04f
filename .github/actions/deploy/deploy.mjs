// The action's one step: exchanges the job's identity for a key of an hour, and runs the installation's own
// command line with it. It needs nothing but Node, and leaves nothing behind.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const TRIES = 4;
const PAUSE_MILLISECONDS = 1_000;
const TIMEOUT_MILLISECONDS = 60_000;
const UNHEARD = [429, 503];
const PASSING = [...UNHEARD, 500, 502, 504];

const environment = process.env;
const folder = mkdtempSync(join(environment.RUNNER_TEMP ?? tmpdir(), 'slipway-'));
const begun = Date.now();
const { INPUT_NAME: name = '', INPUT_TENANT: tenant = '' } = environment;

/** A reason to stop, in words for whoever reads the job. */
class Stopped extends Error {}

/** A line that the runner acts on. What is in it may not end it. */
const command = (what, value) =>
  console.log(`::${what}::${value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`);

/**
 * An answer, asked for again while what keeps it away may pass; `isOnce`: only where it was surely not
 * heard. Redirects are refused: they would take the credential elsewhere.
 */
async function ask(what, address, init = {}, isOnce = false) {
  for (let tries = 1; ; tries += 1) {
    let problem;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
      const answer = await fetch(address, { ...init, signal, redirect: 'error' });
      if (answer.ok) return answer;
      const body = await answer.json().catch(() => ({}));
      problem = `${what} was refused with ${answer.status}: ${typeof body?.detail === 'string' ? body.detail : answer.statusText}`;
      if (!(isOnce ? UNHEARD : PASSING).includes(answer.status)) throw new Stopped(problem);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      problem ??= `${what} got no answer from ${new URL(address).origin}: ${error.cause?.message ?? error.message}`;
      if (isOnce) throw new Stopped(problem);
    }
    if (tries === TRIES) throw new Stopped(problem);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS * tries));
  }
}

/** The installation's address, as the token must be for it. Over plain HTTP anybody on the way would have the key. */
function installation() {
  const url = (environment.INPUT_URL ?? '').replace(/\/+$/, '');
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return url;
  throw new Stopped(`url is the installation's address and begins with https://, not '${url}'.`);
}

/** The token by which GitHub says which job this is. */
async function identity(audience) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = environment;
  if (!address || !bearer)
    throw new Stopped(
      "The job may not ask for its identity: give it 'permissions: { id-token: write, contents: read }'.",
    );
  const asked = new URL(address);
  asked.searchParams.set('audience', audience);
  const answer = await ask("The job's token", asked.href, { headers: { Authorization: `Bearer ${bearer}` } });
  const { value } = await answer.json();
  command('add-mask', value);
  return value;
}

/** A key of an hour for the token, which counts once. */
async function keyFor(url, token) {
  const body = JSON.stringify({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    ...(tenant !== '' && { tenant_id: tenant }),
  });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await ask('The key', `${url}/v2/token`, { method: 'POST', headers, body }, true);
  const { access_token: key, tenant_id: keyTenant } = await answer.json();
  command('add-mask', key);
  return { key, keyTenant };
}

/** `NAME=value` lines as a file that the command line reads, each value to the letter. */
function envFile(lines) {
  const quoted = lines.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [, variable, value] = /^\s*([^\s=]+)=(.*)$/.exec(line) ?? [];
    // Never the line itself: it may be half of a secret.
    if (variable === undefined) throw new Stopped(`Line ${at + 1} of env is not NAME=value.`);
    const quote = ["'", '`', '"'].find(
      (each) => !value.includes(each) && (each !== '"' || !value.includes('\\')),
    );
    if (quote === undefined)
      throw new Stopped(`The value of ${variable} has every kind of quote: encode it.`);
    return [`${variable}=${quote}${value}${quote}`];
  });
  if (quoted.length === 0) return [];
  const file = join(folder, 'env');
  writeFileSync(file, quoted.join('\n'), { mode: 0o600 });
  return [`--env-file=${file}`];
}

/** Runs the command line of the installation, whose version is the server's, and gives what it printed. */
async function deploy(url, { key, keyTenant }) {
  const program = join(folder, 'slipway.mjs');
  const answer = await ask('The command line', `${url}/cli/slipway.mjs`);
  writeFileSync(program, Buffer.from(await answer.arrayBuffer()));
  const {
    INPUT_FOLDER: source = '.',
    INPUT_ENV: secrets = '',
    INPUT_TIMEOUT: timeout = '3000',
  } = environment;
  const args = [
    'deploy',
    '--json',
    '--yes',
    `--name=${name}`,
    `--timeout=${timeout}`,
    ...envFile(secrets),
    '--',
    source,
  ];
  const given = Object.entries(environment).filter(
    ([each]) => !/^(?:INPUT_|ACTIONS_ID_TOKEN_|SLIPWAY_)/.test(each),
  );
  // A line of a build's log may begin as those that the runner acts on.
  const pause = randomUUID();
  console.log(`::stop-commands::${pause}`);
  try {
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        ...Object.fromEntries(given),
        SLIPWAY_URL: url,
        SLIPWAY_API_KEY: key,
        SLIPWAY_TENANT_ID: keyTenant,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    const [printed, exit] = await Promise.all([
      text(child.stdout),
      new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
    ]);
    return { printed, exit: exit ?? 4 };
  } finally {
    console.log(`::${pause}::`);
  }
}

const escaped = (value) =>
  String(value ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** The job's summary, where nothing that somebody else has written is more than text. */
function summarize(title, facts, lines = []) {
  // Behind an empty line the rest of a table would be Markdown.
  const cell = (value) => escaped(value).replaceAll(/[\r\n]+/g, '<br>');
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${label}</th><td>${cell(value)}</td></tr>`,
  );
  const log = lines.length === 0 ? '' : `<pre>${lines.map(escaped).join('\n')}</pre>\n`;
  const shown = `<h3>${escaped(title)}</h3>\n<table>${rows.join('')}</table>\n${log}`;
  if (environment.GITHUB_STEP_SUMMARY) appendFileSync(environment.GITHUB_STEP_SUMMARY, shown);
}

const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`;

function succeeded({ url: address, revision }) {
  const outputs = { address: address ?? '', revision };
  for (const [output, value] of Object.entries(outputs))
    if (environment.GITHUB_OUTPUT)
      appendFileSync(environment.GITHUB_OUTPUT, `${output}=${String(value).replaceAll(/[\r\n]/g, '')}\n`);
  summarize(`${name} is deployed`, [
    ['Address', address],
    ['Revision', revision],
    ['Took', seconds()],
  ]);
  console.log(address ?? `${name} has no address`);
}

function failed(reason, { status, revision_id: revision, lines } = {}) {
  command('error title=Slipway', reason);
  const number = revision === undefined ? undefined : Number.parseInt(revision.slice(-8), 16);
  const facts = [
    ['Reason', reason],
    ['Status', status],
    ['Revision', number],
    ['Took', seconds()],
  ];
  summarize(
    `${name} was not deployed`,
    facts.filter(([, value]) => value !== undefined),
    lines,
  );
}

try {
  const url = installation();
  const { printed, exit } = await deploy(url, await keyFor(url, await identity(url)));
  let told = {};
  try {
    told = JSON.parse(printed);
  } catch {
    // The reason is on stderr then.
  }
  if (exit === 0) succeeded(told);
  else failed(told.error ?? `The command line ended with ${exit}.`, told);
  process.exitCode = exit;
} catch (error) {
  if (!(error instanceof Stopped)) throw error;
  failed(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
