import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { headersIn, methods, presets, serverCurl } from '../../../console/logic/server-request.ts';
import { serverRequestBody } from '../../../lib/contract/deployments/server-requests.ts';

it('headers are the lines with a name and a value', () => {
  expect(headersIn('Content-Type: application/json\n\n X-A :b: c \nno header\n: nothing')).toEqual([
    { name: 'Content-Type', value: 'application/json' },
    { name: 'X-A', value: 'b: c' },
  ]);
  expect(headersIn('')).toEqual([]);
});

it('every method and preset is one that the API takes', () => {
  for (const method of methods) expect(serverRequestBody.safeParse({ method, path: '/' }).success).toBe(true);
  for (const { request } of presets)
    expect(serverRequestBody.safeParse({ ...request, headers: headersIn(request.headers) }).success).toBe(
      true,
    );
});

it('a request is the same for a terminal, whatever quotes are in it, and holds no key', () => {
  const command = serverCurl('http://localhost:4401/d/it/', {
    method: 'POST',
    path: "/a?b='c'",
    headers: "X-Quote: it's $HOME",
    body: `{"a": "'; exit 1"}`,
  });
  expect(command).not.toMatch(/api.key/i);
  // As a shell reads it, with a program in curl's place that says what it was given.
  const said = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], {
    encoding: 'utf8',
  });
  expect(said.trimEnd().split('\n')).toEqual([
    ...['-sS', '-N', '-X', 'POST', "http://localhost:4401/d/it/a?b='c'"],
    ...['-H', "X-Quote: it's $HOME", '-d', `{"a": "'; exit 1"}`],
  ]);
  expect(serverCurl('http://x', { method: 'GET', path: '/', headers: '', body: 'left' })).not.toContain(
    'left',
  );
});
