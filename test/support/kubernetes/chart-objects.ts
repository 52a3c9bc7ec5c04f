import {
  type KubernetesObject,
  loadAllYaml,
  type V1Container,
  type V1Deployment,
  type V1PodSpec,
  type V1Role,
  type V1RoleBinding,
} from '@kubernetes/client-node';

/** The objects that the chart, or what is made of it, becomes. */
export class ChartObjects {
  readonly all: readonly KubernetesObject[];

  constructor(yaml: string) {
    // Empty documents are what templates leave that make nothing.
    this.all = loadAllYaml(yaml).filter((object: unknown) => object !== null && object !== undefined);
  }

  of<T extends KubernetesObject>(kind: string): T[] {
    return this.all.filter((object) => object.kind === kind) as T[];
  }

  get deployment(): V1Deployment {
    const [deployment] = this.of<V1Deployment>('Deployment');
    if (deployment === undefined) throw new Error('The chart makes no Deployment');
    return deployment;
  }

  get pod(): V1PodSpec {
    const { spec } = this.deployment;
    if (spec?.template.spec === undefined) throw new Error('The Deployment has no pods');
    return spec.template.spec;
  }

  get container(): V1Container {
    const [container] = this.pod.containers;
    if (container === undefined) throw new Error('The pod has no container');
    return container;
  }

  get environment(): Record<string, string | undefined> {
    return Object.fromEntries((this.container.env ?? []).map(({ name, value }) => [name, value]));
  }

  /** The role of this name, by its namespace. */
  roles(name: string): Map<string, V1Role> {
    const roles = this.of<V1Role>('Role').filter(({ metadata }) => metadata?.name === name);
    return new Map(roles.map((role) => [role.metadata?.namespace ?? '', role]));
  }

  /** Whom a role of this name is given to, as `namespace: kind namespace/name`. */
  bindings(name: string): string[] {
    const bindings = this.of<V1RoleBinding>('RoleBinding').filter(({ roleRef }) => roleRef.name === name);
    return bindings.flatMap(({ metadata, subjects = [] }) =>
      subjects.map((each) => `${metadata?.namespace}: ${each.kind} ${each.namespace}/${each.name}`),
    );
  }
}
