import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';

export type GitServer = {
  /** `http://127.0.0.1:<port>`; repositories lie below it by the names of their folders. */
  url: string;
  /** Requests so far, as `POST /app.git/git-upload-pack`. */
  requests: string[];
};

/**
 * Git's own HTTP server (`git http-backend`) for the bare repositories in a folder, until the test has
 * finished. `onPushed` is called after each push that was taken, as a hook of the repository would be.
 */
export async function serveGit(
  folder: string,
  onPushed: (repository: string) => void = () => undefined,
): Promise<GitServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    answerGit(folder, request, response, url).then(
      () => {
        const [, repository] = /^\/([^/]+)\/git-receive-pack$/.exec(url.pathname) ?? [];
        if (repository !== undefined) onPushed(repository);
      },
      () => response.destroy(),
    );
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  return { url, requests };
}

/** One request through the backend, which speaks CGI: headers, an empty line, and the body. */
export async function answerGit(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const backend = spawn(
    'git',
    ['-c', 'http.receivepack=true', '-c', 'uploadpack.allowFilter=true', 'http-backend'],
    {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REQUEST_METHOD: request.method,
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      },
    },
  );
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.stderr.resume();
  request.pipe(backend.stdin);
  // It may end before it has read everything.
  backend.stdin.on('error', () => undefined);
  await new Promise<void>((ended, failed) => backend.once('close', () => ended()).once('error', failed));
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(/:\s*/, 2));
  for (const [name = '', value = ''] of headers)
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  await new Promise<void>((sent) => response.end(output.subarray(end + 4), sent));
}
