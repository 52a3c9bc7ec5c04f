/** Compute of which a program outside asks for work: a listener that is registered. */
export const registeredComputeTypes = ['k8s', 'process'] as const;
/** Compute that the installation runs itself: its listener is made with the tenant and has no key. */
export const managedComputeTypes = ['ecs'] as const;
/** `compute_type` of a listener, as clients and the table have it. */
export const computeTypes = [...registeredComputeTypes, ...managedComputeTypes] as const;

export type ManagedComputeType = (typeof managedComputeTypes)[number];
export type ComputeType = (typeof computeTypes)[number];

/**
 * What is true of all compute of a type. Code asks the row, never which type it is, so that a new compute is
 * a row here and a folder beside it.
 */
export type ComputeKind = {
  /** The control plane runs it, and knows all that its servers are given. Else a listener does. */
  isManaged: boolean;
  /** What it runs. A build makes that; what is given as an image runs only where images do. */
  runs: 'folder' | 'image';
  /** What a sentence says of it after the name of its listener. */
  does: string;
  /** Each of its listeners is one machine, which runs what it says that it is, whatever is configured. */
  isOneMachine: boolean;
  /** A LangGraph server finds a database and a Redis there without naming any. */
  bringsStores: boolean;
  /** A server of LangChain's may end there for want of a licence. */
  needsLicence: boolean;
  /** Has namespaces with secrets to refer to; what may run there is judged by the rules of Kubernetes. */
  isCluster: boolean;
  /** Its agents share a balancer, of which is counted how full it is. */
  sharesBalancer: boolean;
  /** Fields of `resource_spec` that it refuses, with what to do instead. Others that mean nothing there are ignored. */
  lacks: Readonly<Record<string, string>>;
};

export const computeKinds: { readonly [T in ComputeType]: ComputeKind } = {
  k8s: {
    isManaged: false,
    runs: 'image',
    does: 'runs pods of a cluster',
    isOneMachine: false,
    bringsStores: true,
    needsLicence: true,
    isCluster: true,
    sharesBalancer: false,
    lacks: {},
  },
  process: {
    isManaged: false,
    runs: 'folder',
    does: 'runs processes',
    isOneMachine: true,
    bringsStores: true,
    needsLicence: false,
    isCluster: false,
    sharesBalancer: false,
    lacks: {},
  },
  ecs: {
    isManaged: true,
    runs: 'image',
    does: 'runs on Fargate',
    isOneMachine: false,
    bringsStores: false,
    needsLicence: true,
    isCluster: false,
    sharesBalancer: true,
    lacks: {
      volumes: 'keep files in S3 or a database',
      volume_mounts: 'keep files in S3 or a database',
      init_containers: 'let the image prepare what it needs when it starts',
      sidecars: 'bring what runs beside the server into the image',
      image_pull_secrets: "push the image to this installation's registry (source 'internal_docker')",
      service_account_name: 'give the server what it may do as a secret',
      annotations: "give what describes it as 'labels'",
    },
  },
};
