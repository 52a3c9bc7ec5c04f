import * as z from 'zod';
import {
  changeDeploymentBody,
  createDeploymentBody,
  deploymentView,
  sourceConfig,
  sourceConfigView,
  sourceRevisionConfig,
} from '../../features/deployments/shape.ts';
import {
  deploymentFeedEvent,
  feedEvent,
  listenerFeedEvent,
  tokenFeedEvent,
  webhookFeedEvent,
} from '../../features/events/shape.ts';
import {
  artifact,
  deleteTask,
  deploySpec,
  deployTask,
  environmentVariable,
  folderArtifact,
  imageArtifact,
  listenerTask,
  logLine,
  taskSecretReference,
} from '../../features/listener-protocol/shape.ts';
import { listenerView } from '../../features/listeners/shape.ts';
import { logEntry, logPage, logQueryBody } from '../../features/logs/shape.ts';
import { revisionView, sourceRevisionConfigView } from '../../features/revisions/shape.ts';
import { countsRow, histogram } from '../deployments/counts.ts';
import { metricsPoint, metricsValues, trafficView } from '../deployments/metrics.ts';
import { container, resourceSpec, volume, volumeMount } from '../deployments/resource-spec.ts';
import { secret, secretReference } from '../deployments/secrets.ts';
import type { RouteRow } from '../routes/route.ts';
import { errorBody, gatewayErrorBody, validationErrorBody, validationItem } from './errors.ts';
import { componentSchemas, type JsonSchema } from './json-schema.ts';

type Named = z.core.$ZodRegistry<{ id: string }>;

/**
 * Parts of requests that have names of their own. Bodies are named by their operations, unless they stand
 * here.
 */
const requestParts = {
  CreateDeploymentRequest: createDeploymentBody,
  ChangeDeploymentRequest: changeDeploymentBody,
  SourceConfigRequest: sourceConfig,
  SourceRevisionConfigRequest: sourceRevisionConfig,
  SecretRequest: secret,
  SecretReferenceRequest: secretReference,
  ResourceSpec: resourceSpec,
  Container: container,
  Volume: volume,
  VolumeMount: volumeMount,
  LogQuery: logQueryBody,
  LogLine: logLine,
  Counts: countsRow,
  Histogram: histogram,
};

/** Parts of answers that have names of their own. */
const answerParts = {
  Deployment: deploymentView,
  SourceConfig: sourceConfigView,
  SourceRevisionConfig: sourceRevisionConfigView,
  Revision: revisionView,
  Listener: listenerView,
  LogPage: logPage,
  LogEntry: logEntry,
  MetricsPoint: metricsPoint,
  MetricsValues: metricsValues,
  Traffic: trafficView,
  DeploySpec: deploySpec,
  ListenerTask: listenerTask,
  DeployTask: deployTask,
  DeleteTask: deleteTask,
  EnvironmentVariable: environmentVariable,
  TaskSecretReference: taskSecretReference,
  Artifact: artifact,
  FolderArtifact: folderArtifact,
  ImageArtifact: imageArtifact,
  Event: feedEvent,
  DeploymentEvent: deploymentFeedEvent,
  TokenEvent: tokenFeedEvent,
  ListenerEvent: listenerFeedEvent,
  WebhookEvent: webhookFeedEvent,
  Error: errorBody,
  GatewayError: gatewayErrorBody,
  HTTPValidationError: validationErrorBody,
  ValidationError: validationItem,
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function name(named: Named, parts: Record<string, z.ZodType>): void {
  for (const [id, schema] of Object.entries(parts)) if (!named.has(schema)) named.add(schema, { id });
}

export type Components = {
  /** How a body or an answer is referred to. */
  reference(schema: z.ZodType): JsonSchema;
  schemas: Record<string, JsonSchema>;
};

/**
 * Names all schemas of bodies and answers and writes them down. Throws when a name stands for two of them.
 */
export function makeComponents(rows: readonly RouteRow[]): Components {
  const requests: Named = z.registry();
  const answers: Named = z.registry();
  name(requests, requestParts);
  name(answers, answerParts);
  for (const { operation, body, response, contentTypes } of rows) {
    if (body !== undefined) name(requests, { [`${capital(operation)}Request`]: body });
    if (response === null || contentTypes !== undefined) continue;
    name(answers, { [`${capital(operation)}Response`]: response });
  }
  const [sent, shown] = [componentSchemas(requests, 'input'), componentSchemas(answers, 'output')];
  const twice = Object.keys(sent).filter((id) => id in shown);
  if (twice.length > 0) throw new Error(`two schemas are called ${twice.join(', ')}`);
  const byName = Object.entries({ ...sent, ...shown }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    schemas: Object.fromEntries(byName),
    reference: (schema) => {
      const id = requests.get(schema)?.id ?? answers.get(schema)?.id;
      if (id === undefined) throw new Error('a schema that is neither a body nor an answer');
      return { $ref: `#/components/schemas/${id}` };
    },
  };
}
