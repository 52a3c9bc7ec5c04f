import { refuse } from '../../../contract/errors.ts';
import type { DeploymentRef } from '../../../contract/refs.ts';
import type { Settings } from '../../../core/deps.ts';
import { ownImage, repositoryOf } from '../../../domain/image-repository.ts';

/**
 * Refuses an image in a repository that Slipway keeps for another deployment: it may be another tenant's, and
 * it goes when that deployment does. `own` is undefined for a deployment that is only being made, which has
 * no repository yet.
 */
export function checkImagePlace(
  { registryHost }: Pick<Settings, 'registryHost'>,
  own: DeploymentRef | undefined,
  imageUri: string | undefined,
): void {
  const image =
    registryHost === undefined || imageUri === undefined ? undefined : ownImage(registryHost, imageUri);
  const repository = own && repositoryOf(own);
  if (image === undefined || image.repository === repository) return;
  const help =
    repository === undefined
      ? "create it with source 'internal_docker', push the image with its push token, then patch 'image_uri'"
      : `push the image to ${repository} with a push token of this deployment`;
  throw refuse('source_configuration', {
    reason: `'image_uri' is in this installation's registry, but not in this deployment's own repository; ${help}.`,
  });
}
