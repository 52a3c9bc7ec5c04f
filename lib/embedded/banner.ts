import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Runtime } from './runtime.ts';

const example = fileURLToPath(new URL('../../examples/hello-server', import.meta.url));

/** What a person needs to know at the start, with a command to paste. */
export function banner(
  runtime: Pick<Runtime, 'baseUrl' | 'agentsUrl' | 'apiKey'>,
  dataFolder: string,
): string {
  const { baseUrl, agentsUrl, apiKey } = runtime;
  const shown = relative(process.cwd(), example);
  const folder = shown === '' || shown.startsWith('..') ? example : shown;
  return `
  Slipway is running.

    API      ${baseUrl}
    API key  ${apiKey}
    Agents   ${agentsUrl}/<name>/
    Data     ${dataFolder}

  One trust domain: builds and agent servers run as you, on this machine. Deploy only code that you would run yourself.

  Deploy the example:

    repository=$(mktemp -d) && cp -R '${folder}/.' "$repository" && cd "$repository" &&
      git init -q -b main && git add -A && git -c user.name=me -c user.email=me@localhost commit -qm 'Hello' && cd - >/dev/null
    curl -sS -X POST ${baseUrl}/v2/deployments \\
      -H 'X-Api-Key: ${apiKey}' -H 'Content-Type: application/json' \\
      -d '{"name": "hello", "source_config": {"repo_url": "file://'"$repository"'"}, "source_revision_config": {"repo_ref": "main"}}'
    curl -sS ${agentsUrl}/hello/ok
`;
}
