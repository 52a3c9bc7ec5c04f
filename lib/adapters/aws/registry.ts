import {
  CreateRepositoryCommand,
  DescribeImagesCommand,
  ECRClient,
  ImageNotFoundException,
  PutLifecyclePolicyCommand,
  RepositoryAlreadyExistsException,
  RepositoryNotFoundException,
} from '@aws-sdk/client-ecr';
import { pushActions } from '../../contract/images/actions.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { repositoryOf } from '../../domain/image-repository.ts';
import { HELD_TAG } from './images.ts';
import { assumeForRepositories, type Session } from './registry-session.ts';

export type RegistryOptions = {
  /** `<account>.dkr.ecr.<region>.amazonaws.com`. */
  registryHost: string;
  /** The role whose sessions push; each session is cut down to one repository. */
  pushRoleArn: string;
};

/** What a build needs to push, and no more than that: good for an hour, and for one repository. */
export type PushSession = Session['credentials'] & {
  /** Without a tag. */
  repository: string;
  region: string;
};

/**
 * What is pushed by digest must outlive ten later builds and the next rollback. The image with the tag
 * `active` is held by the first rule, and an image that a rule has held no later rule can expire. Untagged
 * ones are the parts of images for several platforms, which stay as long as the image they are part of, and
 * what a person pushed again under the same tag.
 */
export const KEPT_IMAGES = 10;
const lifecyclePolicy = JSON.stringify({
  rules: [
    keep(1, 'the active image', { tagStatus: 'tagged', tagPatternList: [HELD_TAG] }, 1),
    keep(2, 'the last tagged images', { tagStatus: 'tagged', tagPatternList: ['*'] }, KEPT_IMAGES),
    keep(3, 'the last untagged images', { tagStatus: 'untagged' }, KEPT_IMAGES),
  ],
});

function keep(rulePriority: number, what: string, selection: object, countNumber: number): object {
  return {
    rulePriority,
    description: `Keep ${what}`,
    selection: { ...selection, countType: 'imageCountMoreThan', countNumber },
    action: { type: 'expire' },
  };
}

/**
 * Makes sure that the deployment has its repository, and gives credentials for pushing to it and to no other.
 */
export async function openPushSession(options: RegistryOptions, owner: DeploymentRef): Promise<PushSession> {
  const { repository, session } = await pushTo(options, owner);
  return { repository, region: session.region, ...session.credentials };
}

/** Opens such a session and gives all of it, with the time at which it ends. */
export async function pushTo(
  { registryHost, pushRoleArn }: RegistryOptions,
  owner: DeploymentRef,
): Promise<{ repository: string; session: Session }> {
  const repositoryName = repositoryOf(owner);
  await ensureRepository(new ECRClient({}), repositoryName);
  const session = await assumeForRepositories(
    { roleArn: pushRoleArn, name: `push-${owner.deploymentId}` },
    pushActions,
    repositoryName,
  );
  return { repository: `${registryHost}/${repositoryName}`, session };
}

/** Whether an image with this digest is in the deployment's repository. */
export async function hasImage(owner: DeploymentRef, imageDigest: string): Promise<boolean> {
  const repositoryName = repositoryOf(owner);
  try {
    const command = new DescribeImagesCommand({ repositoryName, imageIds: [{ imageDigest }] });
    const { imageDetails = [] } = await new ECRClient({}).send(command);
    return imageDetails.some((image) => image.imageDigest === imageDigest);
  } catch (error) {
    if (error instanceof ImageNotFoundException || error instanceof RepositoryNotFoundException) return false;
    throw error;
  }
}

/**
 * Tags move (`latest`, `active`); what runs is named by digest, so nothing depends on where they point. The
 * policy is put each time: a repository that was left without one, or has an older one, is mended by its next
 * build.
 */
async function ensureRepository(ecr: ECRClient, repositoryName: string): Promise<void> {
  try {
    await ecr.send(
      new CreateRepositoryCommand({
        repositoryName,
        imageTagMutability: 'MUTABLE',
        imageScanningConfiguration: { scanOnPush: true },
      }),
    );
  } catch (error) {
    if (!(error instanceof RepositoryAlreadyExistsException)) throw error;
  }
  await ecr.send(new PutLifecyclePolicyCommand({ repositoryName, lifecyclePolicyText: lifecyclePolicy }));
}
