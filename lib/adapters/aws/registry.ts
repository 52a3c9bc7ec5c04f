import {
  CreateRepositoryCommand,
  DescribeImagesCommand,
  ECRClient,
  ImageNotFoundException,
  PutLifecyclePolicyCommand,
  RepositoryAlreadyExistsException,
  RepositoryNotFoundException,
} from '@aws-sdk/client-ecr';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { pushActions } from '../../contract/push-actions.ts';
import type { RevisionRef } from '../workflow.ts';

export type RegistryOptions = {
  /** `<account>.dkr.ecr.<region>.amazonaws.com`. */
  registryHost: string;
  /** The role whose sessions push; each session is cut down to one repository. */
  pushRoleArn: string;
};

/** What a build needs to push, and no more than that: good for an hour, and for one repository. */
export type PushSession = {
  /** Without a tag. */
  repository: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
};

type Owner = Pick<RevisionRef, 'tenantId' | 'deploymentId'>;

/** One repository a deployment. */
export const repositoryNameOf = ({ tenantId, deploymentId }: Owner): string =>
  `slipway/${tenantId}/${deploymentId}`;

/** The longest that AWS gives a session of a role to a function, which itself runs in a session of a role. */
const SESSION_SECONDS = 3600;

/**
 * What is pushed by digest must outlive ten later builds and the next rollback. The image with the tag `active` is held by the first rule,
 * and an image that a rule has held no later rule can expire. Untagged ones are the parts of images for several platforms, which stay as
 * long as the image they are part of, and what a person pushed again under the same tag.
 */
const KEPT_IMAGES = 10;
const lifecyclePolicy = JSON.stringify({
  rules: [
    keep(1, 'the active image', { tagStatus: 'tagged', tagPatternList: ['active'] }, 1),
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

/** Makes sure that the deployment has its repository, and gives credentials for pushing to it and to no other. */
export async function openPushSession(
  { registryHost, pushRoleArn }: RegistryOptions,
  owner: Owner,
): Promise<PushSession> {
  const ecr = new ECRClient({});
  const repositoryName = repositoryNameOf(owner);
  await ensureRepository(ecr, repositoryName);
  const region = await ecr.config.region();
  const { Credentials: given } = await new STSClient({}).send(
    new AssumeRoleCommand({
      RoleArn: pushRoleArn,
      RoleSessionName: `push-${owner.deploymentId}`,
      DurationSeconds: SESSION_SECONDS,
      Policy: sessionPolicy(repositoryArn(pushRoleArn, region, repositoryName)),
    }),
  );
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
  } = given ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    throw new Error('STS gave no credentials for pushing');
  return {
    repository: `${registryHost}/${repositoryName}`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken,
  };
}

/** Whether an image with this digest is in the deployment's repository. */
export async function hasImage(owner: Owner, imageDigest: string): Promise<boolean> {
  const repositoryName = repositoryNameOf(owner);
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
 * Tags move (`latest`, `active`); what runs is named by digest, so nothing depends on where they point. The policy is put each time: a
 * repository that was left without one, or has an older one, is mended by its next build.
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

/** In the account and partition of the role. */
function repositoryArn(roleArn: string, region: string, repositoryName: string): string {
  const [, partition, , , account] = roleArn.split(':');
  return `arn:${partition}:ecr:${region}:${account}:repository/${repositoryName}`;
}

/** A token is for the whole registry by its nature; what it opens is what the session may do. */
const sessionPolicy = (repository: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 'ecr:GetAuthorizationToken', Resource: '*' },
      { Effect: 'Allow', Action: pushActions, Resource: repository },
    ],
  });
