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
 * its rows here and a folder beside them.
 */
export type ComputeKind = {
  /**
   * The control plane runs it: it is always there, all that its servers are given is known, and what they
   * share is counted. Else a listener runs it.
   */
  isManaged: boolean;
  /** What it runs. A build makes that; what is given as an image runs only where images do. */
  runs: 'folder' | 'image';
  /** Each of its listeners is one machine, which runs what it says that it is, whatever is configured. */
  isOneMachine: boolean;
  /** A LangGraph server finds a database and a Redis there without naming any. */
  bringsStores: boolean;
  /** Has namespaces with secrets to refer to; what may run there is judged by the rules of Kubernetes. */
  isCluster: boolean;
};

export const computeKinds: { readonly [T in ComputeType]: ComputeKind } = {
  k8s: { isManaged: false, runs: 'image', isOneMachine: false, bringsStores: true, isCluster: true },
  process: { isManaged: false, runs: 'folder', isOneMachine: true, bringsStores: true, isCluster: false },
  ecs: { isManaged: true, runs: 'image', isOneMachine: false, bringsStores: false, isCluster: false },
};

/** What is true of compute that the control plane runs, beside its row above. */
export type ManagedComputeKind = {
  /** What people call it. */
  name: string;
  /** What its listener is called; a listener of somebody's own cannot have the name too. */
  computeId: string;
  /** What images are built for, unless a person chooses otherwise. */
  platforms: readonly string[];
};

type ManagedComputeKinds = { readonly [T in ManagedComputeType]: ManagedComputeKind } & {
  readonly [T in ComputeType]?: ManagedComputeKind;
};

export const managedComputeKinds: ManagedComputeKinds = {
  // What most images are made for. linux/arm64 costs a fifth less.
  ecs: { name: 'Fargate', computeId: 'fargate', platforms: ['linux/amd64'] },
};

/** The types of which a person can register a listener that runs images, as a refusal proposes them. */
export const imageTypes: string = registeredComputeTypes
  .filter((type) => computeKinds[type].runs === 'image')
  .map((type) => `'${type}'`)
  .join(' or ');

/** What refusals say of a type. Apart from the rest, which more functions need. */
export type ComputeWords = {
  /** What it does, after the name of its listener. */
  does: string;
  /** The fields of `resource_spec` that it refuses, with what to do instead; it ignores what else it has not. */
  lacks: Readonly<Record<string, string>>;
};

export const computeWords: { readonly [T in ComputeType]: ComputeWords } = {
  k8s: { does: 'runs pods of a cluster', lacks: {} },
  process: { does: 'runs processes', lacks: {} },
  ecs: {
    does: 'runs on Fargate',
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
