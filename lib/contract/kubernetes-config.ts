import * as z from 'zod';
import { podSecurityProfiles } from './pod-security.ts';
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

const LIST_LENGTH_MAX = 100;
const ENTRY_LENGTH_MAX = 300;
const VOLUME = new RegExp(
  `^(configMap|csi|downwardAPI|emptyDir|nfs|persistentVolumeClaim|projected|secret|(configMap|csi|persistentVolumeClaim|secret)/${LABEL}(\\.${LABEL})*)$`,
);
const volumeRule =
  "an entry is a type of volume, such as 'emptyDir', or one volume, such as 'persistentVolumeClaim/models' (also of configMap, secret and csi)";
const HOST = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`);
const hostRule = "an entry is a host name, or '*.' and a domain, in lower-case letters";
const list = <T extends z.ZodType>(entry: T) => z.array(entry).max(LIST_LENGTH_MAX).nullish();

/** Where agents may go: a range of addresses or the pods of a namespace, on one port or on all. */
export type Destination = ({ cidr: string } | { namespace: string }) & { port?: number };

const PORT_MAX = 65_535;
const DESTINATION = new RegExp(`^(?:namespace/(${LABEL})|([0-9a-fA-F.:]+/\\d+))(?::(\\d{1,5}))?$`);
const destinationRule =
  "an entry is a range of addresses, such as '10.20.0.0/16', or 'namespace/<name>', perhaps with a port: '10.20.0.7/32:5432'";
const isRange = (text: string): boolean =>
  z.cidrv4().safeParse(text).success || z.cidrv6().safeParse(text).success;

/** What an entry of `egress` says; undefined: nothing. */
export function destinationOf(entry: string): Destination | undefined {
  const [, pods, , cidr, digits] = DESTINATION.exec(entry) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > PORT_MAX)) return undefined;
  const onPort = port === undefined ? {} : { port };
  if (pods !== undefined) return pods.length > LABEL_LENGTH_MAX ? undefined : { namespace: pods, ...onPort };
  return cidr !== undefined && isRange(cidr) ? { cidr, ...onPort } : undefined;
}

const destination = z
  .string()
  .max(ENTRY_LENGTH_MAX)
  .superRefine((entry, ctx) => {
    if (destinationOf(entry) === undefined) report(ctx, valueError(destinationRule));
  });

const gatewayShape = { name, namespace: namespace.nullish(), section_name: name.nullish() };

/** As Kubernetes takes the key of an annotation: a name, perhaps behind a domain and a slash. */
const ANNOTATION_KEY =
  /^(?=[^/]{0,253}\/[^/]{1,63}$|[^/]{1,63}$)(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;
const OWN_PREFIX = 'slipway.dev/';

const annotationKey = z
  .string()
  .regex(
    ANNOTATION_KEY,
    "an annotation's key is a name of at most 63 letters, digits, '-', '_' and '.', perhaps behind a domain and a slash",
  )
  .refine(
    (key) => !key.startsWith(OWN_PREFIX),
    `Slipway sets keys under ${OWN_PREFIX} itself: choose another one`,
  );

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
  /** Annotations of every Ingress and HTTPRoute: what a controller or cert-manager reads there. */
  route_annotations: z.record(annotationKey, z.string()).nullish(),
  /** `node`: nodes may pull from the installation's registry by themselves; absent: by a Secret. */
  image_pull: z.enum(['node', 'secret']).nullish(),
  /** Which of Kubernetes' Pod Security Standards deployments keep. */
  pod_security: z.enum(podSecurityProfiles).nullish(),
  /** Types of volumes, or single volumes, that deployments may use; absent: all. */
  allowed_volumes: list(z.string().max(ENTRY_LENGTH_MAX).regex(VOLUME, volumeRule)),
  /** ServiceAccounts that deployments may name; absent: all of the namespace. */
  allowed_service_accounts: list(name),
  /** Hosts that a `custom_url` may have; absent: all. */
  allowed_hosts: list(z.string().max(NAME_LENGTH_MAX).regex(HOST, hostRule)),
  /** Private addresses and namespaces that agents may reach, beside the internet; absent: everything. */
  egress: list(destination),
};

type Given = { gateway?: unknown; ingress_class?: unknown };

/** A deployment has one route: which of the two is for the operator to say. */
export function checkRouting({ gateway, ingress_class: ingressClass }: Given, ctx: z.RefinementCtx): void {
  const isGiven = (value: unknown) => value !== null && value !== undefined;
  if (isGiven(gateway) && isGiven(ingressClass))
    report(ctx, valueError('give gateway or ingress_class, not both'), ['ingress_class'], ingressClass);
}

const { ingress_class, host_template, tls_secret, route_annotations, image_pull, ...policy } =
  kubernetesFields;

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
    route_annotations: route_annotations.catch(undefined),
    image_pull: image_pull.catch(undefined),
    pod_security: policy.pod_security.catch(undefined),
    allowed_volumes: policy.allowed_volumes.catch(undefined),
    allowed_service_accounts: policy.allowed_service_accounts.catch(undefined),
    allowed_hosts: policy.allowed_hosts.catch(undefined),
    egress: policy.egress.catch(undefined),
  })
  .transform(withoutNulls);
export type KubernetesConfig = z.output<typeof kubernetesConfig>;
