/**
 * What `docker push` does. Reading is part of it: layers and lists of images that are there already are not
 * sent again.
 */
export const pushActions = [
  'ecr:BatchCheckLayerAvailability',
  'ecr:BatchGetImage',
  'ecr:CompleteLayerUpload',
  'ecr:GetDownloadUrlForLayer',
  'ecr:InitiateLayerUpload',
  'ecr:PutImage',
  'ecr:UploadLayerPart',
] as const;

/** What `docker pull` does. */
export const pullActions = [
  'ecr:BatchCheckLayerAvailability',
  'ecr:BatchGetImage',
  'ecr:GetDownloadUrlForLayer',
] as const;
