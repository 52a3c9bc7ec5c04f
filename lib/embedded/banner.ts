import { fileURLToPath } from 'node:url';
import type { Runtime } from './runtime/start.ts';

const example = fileURLToPath(new URL('../../examples/hello-server', import.meta.url));

/**
 * What a person needs to know at the start, with a command to paste, from any folder, into any shell of the
 * Bourne kind.
 */
export function banner(
  runtime: Pick<Runtime, 'baseUrl' | 'agentsUrl' | 'apiKey' | 'consoleUrl' | 'notices'>,
  dataFolder: string,
): string {
  const { baseUrl, agentsUrl, apiKey, consoleUrl, notices } = runtime;
  return `
  Slipway is running.

    Console  ${consoleUrl}
             (opens once, within five minutes; another: npm run slipway -- console)
    API      ${baseUrl}
    API key  ${apiKey}
    Agents   ${agentsUrl}/<name>/
    Data     ${dataFolder}

  One trust domain: builds and agent servers run as you, on this machine. Deploy only code that you would run yourself.
${notices.map((notice) => `  ${notice}\n`).join('')}
  For the command line and the examples in docs, in another terminal:

    export SLIPWAY_URL=${baseUrl} SLIPWAY_API_KEY=${apiKey}

  Deploy the example (paste it there, too):

    repository=$(mktemp -d) && cp -R ${quoted(`${example}/.`)} "$repository" &&
    git -C "$repository" init -q -b main && git -C "$repository" add -A &&
    git -C "$repository" -c user.name=me -c user.email=me@localhost commit -qm Hello &&
    curl -sS -w '\\n' ${baseUrl}/v2/deployments \\
      -H 'X-Api-Key: ${apiKey}' -H 'Content-Type: application/json' \\
      -d '{"name": "hello", "source_config": {"repo_url": "file://'"$repository"'"}, "source_revision_config": {"repo_ref": "main"}}' &&
    for second in $(seq 60); do curl -fs ${agentsUrl}/hello/ && echo && break; sleep 1; done
`;
}

/** One word for a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
