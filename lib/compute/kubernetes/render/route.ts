import type { KubernetesObject, V1Ingress, V1ObjectMeta } from '@kubernetes/client-node';
import { NAME_IN_TEMPLATE } from '../../../contract/kubernetes-config.ts';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { metadataOf } from './metadata.ts';
import { annotations } from './names.ts';

/** The client has no model of the Gateway API's objects. */
export type HTTPRoute = KubernetesObject & {
  apiVersion: 'gateway.networking.k8s.io/v1';
  kind: 'HTTPRoute';
  spec: {
    parentRefs: { name: string; namespace?: string; sectionName?: string }[];
    hostnames: string[];
    rules: {
      backendRefs: { name: string; port: number }[];
      timeouts?: { request: string; backendRequest: string };
    }[];
  };
};

/** Runs and streams last as long as they last: a gateway's own limit (15 s at some) would cut them. */
const NO_TIMEOUTS = { request: '0s', backendRequest: '0s' } as const;

const BACKEND_PORT = 80;
const SCHEME = /^(https?):\/\//;

type Place = { scheme: string; host: string; from: 'custom_url' | 'compute_config.host_template' };

/**
 * A name that is no DNS label has the deployment's base name instead, which the id makes unlike any other's.
 */
function templatePlace(spec: ServerSpec, { computeConfig }: RenderContext): Place | undefined {
  const { host_template: template, tls_secret: tlsSecret } = computeConfig;
  if (template === undefined) return undefined;
  const name = spec.deployment_name.includes('_') ? baseNameOf(spec) : spec.deployment_name;
  const scheme = SCHEME.exec(template)?.[1] ?? (tlsSecret === undefined ? 'http' : 'https');
  const host = template.replace(SCHEME, '').replace(NAME_IN_TEMPLATE, name);
  return { scheme, host, from: 'compute_config.host_template' };
}

function customPlace({ custom_url: given }: ServerSpec): Place | undefined {
  const url = given !== null && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) return undefined;
  return { scheme: url.protocol.replace(':', ''), host: url.hostname, from: 'custom_url' };
}

/** Where the cluster's gateway or ingress routes to the deployment from; undefined: from nowhere. */
export function placeOf(spec: ServerSpec, context: RenderContext): Place | undefined {
  const { gateway, ingress_class: ingressClass } = context.computeConfig;
  if (gateway === undefined && ingressClass === undefined) return undefined;
  return customPlace(spec) ?? templatePlace(spec, context);
}

/** Where the deployment answers: under its host, else inside the cluster alone. */
export function addressOf(spec: ServerSpec, context: RenderContext): string {
  const place = placeOf(spec, context);
  if (place === undefined) return `http://${baseNameOf(spec)}.${context.namespace}.svc.cluster.local`;
  return place.from === 'custom_url' && spec.custom_url !== null
    ? spec.custom_url
    : `${place.scheme}://${place.host}`;
}

function renderHttpRoute(spec: ServerSpec, context: RenderContext, host: string): HTTPRoute | undefined {
  const { gateway } = context.computeConfig;
  if (gateway === undefined) return undefined;
  const { name, namespace, section_name: sectionName } = gateway;
  const parent = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(sectionName !== undefined && { sectionName }),
  };
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: routeMetadata(spec, context),
    spec: {
      parentRefs: [parent],
      hostnames: [host],
      rules: [{ backendRefs: [{ name: baseNameOf(spec), port: BACKEND_PORT }], timeouts: NO_TIMEOUTS }],
    },
  };
}

/** With the annotations that the operator gives to each way in. */
function routeMetadata(spec: ServerSpec, context: RenderContext): V1ObjectMeta {
  const { route_annotations: given } = context.computeConfig;
  return metadataOf(baseNameOf(spec), spec, context, given === undefined ? {} : { annotations: given });
}

/** The Gateway of a route, as `namespace/name` where it is in another namespace. */
export function gatewayOf({ spec }: HTTPRoute): string {
  const [{ namespace, name } = { name: '' }] = spec.parentRefs;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The route for a cluster that has no timeouts, or (`refusedBy`) for a Gateway that does not take them. */
export function withoutTimeouts(route: HTTPRoute, refusedBy?: string): HTTPRoute {
  const rules = route.spec.rules.map(({ timeouts: _, ...rule }) => rule);
  const { annotations: own, ...metadata } = route.metadata ?? {};
  const more = refusedBy === undefined ? own : { ...own, [annotations.timeoutsRefused]: refusedBy };
  return {
    ...route,
    metadata: { ...metadata, ...(more !== undefined && { annotations: more }) },
    spec: { ...route.spec, rules },
  };
}

function renderIngress(spec: ServerSpec, context: RenderContext, host: string): V1Ingress {
  const { ingress_class: ingressClassName, tls_secret: secretName } = context.computeConfig;
  const backend = { service: { name: baseNameOf(spec), port: { number: BACKEND_PORT } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: routeMetadata(spec, context),
    spec: {
      ...(ingressClassName !== undefined && { ingressClassName }),
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      ...(secretName !== undefined && { tls: [{ hosts: [host], secretName }] }),
    },
  };
}

/** The route from outside the cluster; a deployment without a host has none, for it would take every host. */
export function renderRoute(spec: ServerSpec, context: RenderContext): HTTPRoute | V1Ingress | undefined {
  const place = placeOf(spec, context);
  if (place === undefined) return undefined;
  return renderHttpRoute(spec, context, place.host) ?? renderIngress(spec, context, place.host);
}
