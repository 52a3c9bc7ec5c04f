import { gzipSync } from 'node:zlib';
import {
  create,
  ended,
  expectApi,
  type Installation,
  patch,
  type ShownDeployment,
  type ShownRevision,
} from '../programs/program.ts';
import { handMadeTar } from './hand-made-tar.ts';

/** Files of gzip behind each other are one: what takes long to make is made once. */
function repeated(content: Buffer, times: number): Buffer {
  const member = gzipSync(content, { level: 9 });
  return Buffer.concat(Array.from({ length: times }, () => member));
}

/** 2 MB that inflate to 2 GiB of zeros, which are the end of an archive from their first block on. */
export const zeros = (): Buffer => repeated(Buffer.alloc(16 * 1024 ** 2), 128);

/** More than an archive may have. */
const HOSTILE_ENTRIES = 150_000;
const ENTRIES_AT_ONCE = 100;
const END_BYTES = 1024;

/** An archive of 150,000 empty files. */
export function manyEntries(): Buffer {
  const names = Array.from({ length: ENTRIES_AT_ONCE }, (_, number) => ({ path: String(number) }));
  return repeated(handMadeTar(...names).subarray(0, -END_BYTES), HOSTILE_ENTRIES / ENTRIES_AT_ONCE);
}

/** A deployment that is uploaded to. */
export const uploadedTo = (program: Installation, name: string): Promise<ShownDeployment> =>
  create(program, name, '', { source: 'internal_source', source_config: {}, source_revision_config: {} });

/**
 * Uploads a tarball as a client does and waits for the end of its revision; gives also what the build log
 * says.
 */
export async function upload(
  program: Installation,
  { id }: ShownDeployment,
  content: Buffer,
): Promise<{ revision: ShownRevision; log: string }> {
  const path = `/v2/deployments/${id}`;
  const place = await expectApi<{ upload_url: string; object_path: string }>(
    program,
    'POST',
    `${path}/upload-url`,
    undefined,
    200,
  );
  const put = await fetch(place.upload_url, { method: 'PUT', body: new Uint8Array(content) });
  if (!put.ok) throw new Error(`the upload answered ${put.status}: ${await put.text()}`);
  const source_revision_config = { source_tarball_path: place.object_path };
  const { latest_revision_id } = await patch(program, id, { source_revision_config });
  const revision = await ended(program, id, latest_revision_id);
  const logs = `${path}/revisions/${revision.id}/logs?type=build`;
  const page = await expectApi<{ logs: { message: string }[] }>(program, 'GET', logs, undefined, 200);
  return { revision, log: page.logs.map(({ message }) => message).join('\n') };
}
