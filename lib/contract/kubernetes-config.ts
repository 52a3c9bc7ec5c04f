import * as z from 'zod';
import { withoutNulls } from './validation/json.ts';
import { report, valueError } from './validation/problems.ts';

const NAME_LENGTH_MAX = 253;
const LABEL_LENGTH_MAX = 63;
const LABEL = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
const NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const NAMESPACE = new RegExp(`^${LABEL}$`);

/** Stands for the deployment in a `host_template`. */
export const NAME_IN_TEMPLATE = '{name}';
const TEMPLATE = new RegExp(
  `^(https?:\\/\\/)?(${LABEL}\\.)*([a-z0-9][a-z0-9-]*)?\\{name\\}([a-z0-9-]*[a-z0-9])?(\\.${LABEL})*$`,
);

const nameRule =
  "a name in a cluster has lower-case letters, digits, '-' and '.', and begins and ends with a letter or a digit";
const namespaceRule =
  "a namespace has lower-case letters, digits and '-', and begins and ends with a letter or a digit";
const templateRule =
  "a host_template is a host name that contains {name}, such as '{name}.agents.example.com'";

const name = z.string().max(NAME_LENGTH_MAX).regex(NAME, nameRule);
const namespace = z.string().max(LABEL_LENGTH_MAX).regex(NAMESPACE, namespaceRule);

const gatewayShape = { name, namespace: namespace.nullish(), section_name: name.nullish() };

/** The fields of a `compute_config` that say how a cluster's deployments get their addresses and images. */
export const kubernetesFields = {
  /** The Gateway that HTTPRoutes attach to. */
  gateway: z.looseObject(gatewayShape).nullish(),
  /** The class of Ingresses, where there is no gateway. */
  ingress_class: name.nullish(),
  /** The host of a deployment without a custom_url; `https://` before it when it answers there. */
  host_template: z.string().max(NAME_LENGTH_MAX).regex(TEMPLATE, templateRule).nullish(),
  /** The Secret with the certificate of Ingresses. */
  tls_secret: name.nullish(),
  /** `node`: nodes may pull from the installation's registry by themselves; absent: by a Secret. */
  image_pull: z.enum(['node', 'secret']).nullish(),
};

type Given = { gateway?: unknown; ingress_class?: unknown };

/** A deployment has one route: which of the two is for the operator to say. */
export function checkRouting({ gateway, ingress_class: ingressClass }: Given, ctx: z.RefinementCtx): void {
  const isGiven = (value: unknown) => value !== null && value !== undefined;
  if (isGiven(gateway) && isGiven(ingressClass))
    report(ctx, valueError('give gateway or ingress_class, not both'), ['ingress_class'], ingressClass);
}

const { ingress_class, host_template, tls_secret, image_pull } = kubernetesFields;

/**
 * What a listener reads of its compute_config. A field that was stored before it had a meaning counts as
 * absent.
 */
export const kubernetesConfig = z
  .object({
    gateway: z.object(gatewayShape).transform(withoutNulls).nullish().catch(undefined),
    ingress_class: ingress_class.catch(undefined),
    host_template: host_template.catch(undefined),
    tls_secret: tls_secret.catch(undefined),
    image_pull: image_pull.catch(undefined),
  })
  .transform(withoutNulls);
export type KubernetesConfig = z.output<typeof kubernetesConfig>;
