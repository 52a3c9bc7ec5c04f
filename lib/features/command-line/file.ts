import { createHash } from 'node:crypto';
import { type CliFiles, type CliManifest } from '../../adapters/cli-files.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { getCliFile as row } from './routes.ts';
import type { CliOutput } from './shape.ts';

type Asked = Pick<RouteInput<typeof row>, 'baseUrl'> & {
  /** Absent: the lines to paste. */
  params?: { file?: string | undefined };
};

/**
 * A file of the command line, or the lines that install it. The package of an earlier release is
 * `path_not_found`.
 */
export async function showCli(
  { cliFiles }: { cliFiles: CliFiles },
  { params, baseUrl }: Asked,
): Promise<CliOutput> {
  const name = params?.file ?? '';
  const manifest = await cliFiles.manifest();
  if (name === '')
    return {
      contentType: 'text/plain',
      text: linesOf(manifest, baseUrl),
      isBase64: false,
      isImmutable: false,
    };
  const bytes = await cliFiles.read(name);
  if (bytes === undefined) throw refuse('path_not_found', {});
  return {
    contentType: typeOf(name),
    text: Buffer.from(bytes).toString('base64'),
    isBase64: true,
    isImmutable: name === manifest.package.name,
    etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
  };
}

function typeOf(name: string): CliOutput['contentType'] {
  if (name.endsWith('.tgz')) return 'application/gzip';
  return name.endsWith('.mjs') ? 'text/javascript' : 'application/json';
}

const linesOf = ({ version, package: { name }, program }: CliManifest, baseUrl: string): string =>
  `# The command line of Slipway ${version}, for this installation. It needs Node 20.12 or later.

npm install --global ${baseUrl}/cli/${name}
slipway login ${baseUrl}

# Without npm it is one file:
curl -fsSLO ${baseUrl}/cli/${program.name}
node ${program.name} help

# Without installing it, as in a script:
npx --yes ${baseUrl}/cli/${name} help
`;
