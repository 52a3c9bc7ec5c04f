import {
  BatchGetImageCommand,
  DeleteRepositoryCommand,
  ECRClient,
  ImageAlreadyExistsException,
  PutImageCommand,
  RepositoryNotFoundException,
} from '@aws-sdk/client-ecr';
import { ownImage, repositoryOf } from '../../domain/image-repository.ts';
import type { Images } from '../images.ts';

/** The tag that the lifecycle of a deployment's repository holds on to, whatever else is pushed there. */
export const HELD_TAG = 'active';

/** Without these a list of images, one for each platform, would be answered as one of them. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** Holds images by moving a tag of the deployment's own repository to them. */
export function createEcrImages(registryHost: string): Images {
  const ecr = new ECRClient({});
  return {
    async hold(owner, uri) {
      const image = ownImage(registryHost, uri);
      const repositoryName = repositoryOf(owner);
      if (image?.repository !== repositoryName) return;
      const { images = [], failures = [] } = await ecr.send(
        new BatchGetImageCommand({ repositoryName, imageIds: [image.id], acceptedMediaTypes: MANIFESTS }),
      );
      const { imageManifest, imageManifestMediaType, imageId } = images[0] ?? {};
      if (imageManifest === undefined)
        throw new Error(`${uri} is not in the registry: ${failures[0]?.failureCode ?? 'nothing was found'}`);
      const put = new PutImageCommand({
        repositoryName,
        imageManifest,
        imageManifestMediaType,
        imageDigest: imageId?.imageDigest,
        imageTag: HELD_TAG,
      });
      await ecr.send(put).catch((error: unknown) => {
        // It has the tag already.
        if (!(error instanceof ImageAlreadyExistsException)) throw error;
      });
    },
    async deleteAll(owner) {
      const command = new DeleteRepositoryCommand({ repositoryName: repositoryOf(owner), force: true });
      await ecr.send(command).catch((error: unknown) => {
        if (!(error instanceof RepositoryNotFoundException)) throw error;
      });
    },
  };
}
