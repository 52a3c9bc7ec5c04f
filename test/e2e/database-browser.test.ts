import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { onLoopback } from '../support/http/loopback-server.ts';
import type { Program } from '../support/programs/program.ts';

/** The installed program, a page of somebody else on this machine, and the browser that shows it. */
let program: Program;
let browser: Browser;
let site: Awaited<ReturnType<typeof onLoopback>>;

afterAll(() => site?.close());
installed(async (here) => {
  ({ program, browser } = here);
  site = await onLoopback(
    createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>A page</title>');
    }),
  );
});

async function databaseAddress(): Promise<URL> {
  const noted: { endpoint: string } = JSON.parse(
    await readFile(join(program.dataFolder, 'database.json'), 'utf8'),
  );
  return new URL(noted.endpoint);
}

/**
 * What the database tells this page of its tables when asked at that address; undefined when the page does
 * not reach it.
 */
const tablesSeenBy = (page: Page, address: string): Promise<string[] | undefined> =>
  page.evaluate(async (url) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.ListTables',
          'x-amz-date': '20260101T000000Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=b',
        },
        body: '{}',
      });
      const { TableNames } = (await response.json()) as { TableNames: string[] }; // what ListTables answers
      return TableNames;
    } catch {
      return undefined;
    }
  }, address);

it('a page that knows the database’s port does not reach it at any name of this machine, only at its secret address', async () => {
  const { href, hostname, port } = await databaseAddress();
  const page = await browser.newPage();
  await page.goto(site.url);
  for (const guess of ['127.0.0.1', 'localhost', 'x.localhost', '[::1]', '0.0.0.0'])
    expect([guess, await tablesSeenBy(page, `http://${guess}:${port}/`)]).toEqual([guess, undefined]);
  expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
  // The database itself refuses no page: only that nobody tells it the address keeps it out.
  expect(await tablesSeenBy(page, href)).toEqual(['slipway']);
});

it('neither the API nor the program’s own words tell that address', async () => {
  const { hostname, port } = await databaseAddress();
  for (const path of ['/ok', '/docs', '/openapi.json', '/v2/deployments', '/nothing-here']) {
    const response = await fetch(program.baseUrl + path, { headers: { 'x-api-key': program.apiKey } });
    const told = [...response.headers].join('\n') + (await response.text());
    expect([path, told.includes(hostname), told.includes(`:${port}`)]).toEqual([path, false, false]);
  }
  expect(program.output()).not.toContain(hostname);
});
