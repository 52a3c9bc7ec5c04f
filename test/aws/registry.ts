import { ECRClient, PutImageCommand } from '@aws-sdk/client-ecr';
import type { Emulator } from './emulator.ts';

/** What a job gives the builder to push with. */
export type Push = {
  repository: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
};

/**
 * Pushes the manifest of an image without layers, as the builder would, and gives its digest.
 * `repositoryName` is another than the job's own; `note` makes it another image.
 */
export async function pushImage(
  { endpoint }: Emulator,
  { repository, region, ...credentials }: Push,
  repositoryName = repository.slice(repository.indexOf('/') + 1),
  note = '',
): Promise<string> {
  const client = new ECRClient({ region, credentials, endpoint });
  const imageManifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    layers: [],
    ...(note !== '' && { annotations: { note } }),
  });
  const { image } = await client.send(new PutImageCommand({ repositoryName, imageManifest }));
  return image?.imageId?.imageDigest ?? '';
}
