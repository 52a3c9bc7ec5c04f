import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { answerGit } from './git-server.ts';

export type GitHostServer = {
  /** As an integration names it: `localhost:<port>`. */
  host: string;
  /** The file of the certificate that has to be trusted. */
  certificate: string;
  /** Requests so far, with whether they came with the token: `GET /api/v1/user/repos token`. */
  requests: string[];
  close: () => Promise<void>;
};

const DAYS = '2';

/** A certificate of its own for `localhost`, and its key, as files in the folder. */
function certificateIn(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'host.crt'), join(folder, 'host.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', ...kind, ...files, '-days', DAYS, ...subject], { stdio: 'ignore' });
  return { certificate, key };
}

/**
 * A host of repositories as Gitea is one, over TLS: its API lists the bare repositories of the folder,
 * `team/name.git` each, and git reads them, to whoever brings the token.
 */
export async function serveGitHost(
  folder: string,
  { token, repositories }: { token: string; repositories: readonly string[] },
): Promise<GitHostServer> {
  const { certificate, key } = certificateIn(folder);
  const requests: string[] = [];
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`; // it listens
  const isAllowed = (authorization: string | undefined) =>
    [`token ${token}`, basic(token)].includes(authorization ?? '');
  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', `https://${host}`);
    const isKnown = isAllowed(request.headers.authorization);
    requests.push(`${request.method} ${url.pathname} ${isKnown ? 'token' : 'nobody'}`);
    if (!isKnown) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else if (url.pathname === '/api/v1/user') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"login":"lena"}');
    } else if (url.pathname === '/api/v1/user/repos') {
      const listed = url.searchParams.get('page') === '1' ? repositories : [];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(listed.map((path, id) => repositoryOf(host, path, id + 1))));
    } else answerGit(folder, request, response, url).catch(() => response.destroy());
  });
  return {
    host,
    certificate,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Git sends the token as a password. */
const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

const repositoryOf = (host: string, path: string, id: number) => {
  const [owner = '', name = ''] = path.split('/');
  return {
    id,
    name,
    owner: { login: owner },
    clone_url: `https://${host}/${path}.git`,
    default_branch: 'main',
  };
};
