import type { Deployment } from '../../lib/client/endpoints.ts';
import { Refusal } from '../../lib/client/refusal.ts';
import { isWanted, looksExecutable, tarOf } from '../../lib/tar.ts';
import { ask } from './api.ts';

export type Picked = { path: string; file: File };

/** The files of folders that were dropped, however deep. */
export async function droppedFiles(items: DataTransferItemList): Promise<Picked[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = await Promise.all(entries.map((entry) => filesBelow(entry, '')));
  return withoutTop(found.flat());
}

async function filesBelow(entry: FileSystemEntry, above: string): Promise<Picked[]> {
  const path = `${above}${entry.name}`;
  if (!isWanted(path)) return [];
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path, file }];
  }
  if (!isDirectory(entry)) return [];
  const below = await Promise.all((await entriesOf(entry)).map((each) => filesBelow(each, `${path}/`)));
  return below.flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** A reader gives a hundred at a time. */
async function entriesOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** The files of a folder that was chosen in a field. */
export const chosenFiles = (files: FileList): Picked[] =>
  withoutTop([...files].map((file) => ({ path: file.webkitRelativePath, file }))).filter(({ path }) =>
    isWanted(path),
  );

/** One folder was meant: its own name is no part of the project. */
function withoutTop(picked: Picked[]): Picked[] {
  const tops = new Set(picked.map(({ path }) => path.split('/')[0]));
  if (tops.size !== 1 || picked.some(({ path }) => !path.includes('/'))) return picked;
  return picked.map(({ path, file }) => ({ path: path.slice(path.indexOf('/') + 1), file }));
}

async function tarball(picked: readonly Picked[]): Promise<Blob> {
  const files = await Promise.all(
    picked.map(async ({ path, file }) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return { path, bytes, isExecutable: looksExecutable(bytes) };
    }),
  );
  const pieces = tarOf(files).map((piece) => new Uint8Array(piece));
  return new Response(new Blob(pieces).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** Uploads a folder and makes a revision of it. */
export async function deployFolder(
  { id }: Pick<Deployment, 'id'>,
  picked: readonly Picked[],
  onStep: (step: string) => void,
): Promise<Deployment> {
  onStep(`Packing ${picked.length} ${picked.length === 1 ? 'file' : 'files'}…`);
  const body = await tarball(picked);
  const params = { deployment_id: id };
  const { upload_url, object_path } = await ask('POST /v2/deployments/{deployment_id}/upload-url', {
    params,
    body: {},
  });
  onStep(`Uploading ${Math.ceil(body.size / 1024)} KiB…`);
  const headers = { 'Content-Type': 'application/gzip' };
  const put = await fetch(upload_url, { method: 'PUT', headers, body }).catch(() => {
    throw new Refusal({ status: 0, detail: 'The upload broke off.' }, undefined);
  });
  if (!put.ok) throw new Refusal(put, await put.json().catch(() => undefined));
  onStep('Starting the build…');
  return ask('PATCH /v2/deployments/{deployment_id}', {
    params,
    body: { source_revision_config: { source_tarball_path: object_path } },
  });
}
