import { cluster } from './cluster.ts';
import { consent } from './consent.ts';
import { fargate } from './fargate.ts';
import { push } from './push.ts';
import { releaseSwitch } from './release-switch.ts';
import { revisionPath } from './revision-path.ts';
import type { Picture } from './shapes.ts';
import { whoTalks } from './who-talks.ts';

export const pictures: readonly Picture[] = [
  revisionPath,
  releaseSwitch,
  whoTalks,
  push,
  consent,
  fargate,
  cluster,
];
