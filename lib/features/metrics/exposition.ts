/** The text format of Prometheus, version 0.0.4. */

type Kind = 'counter' | 'gauge' | 'histogram';
export type Labels = Readonly<Record<string, string>>;

const escaped = (value: string): string =>
  value.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`).replaceAll('\n', String.raw`\n`);

const labelsText = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};

/** One family: its lines stand together, and it is left out where it has none. */
export class Family {
  readonly name: string;
  readonly #kind: Kind;
  readonly #help: string;
  readonly #lines: string[] = [];

  constructor(name: string, kind: Kind, help: string) {
    this.name = name;
    this.#kind = kind;
    this.#help = help;
  }

  /** A value that is not known has no line. */
  add(labels: Labels, value: number | undefined, suffix = ''): void {
    if (value !== undefined) this.#lines.push(`${this.name}${suffix}${labelsText(labels)} ${value}`);
  }

  toString(): string {
    if (this.#lines.length === 0) return '';
    return [
      `# HELP ${this.name} ${this.#help}`,
      `# TYPE ${this.name} ${this.#kind}`,
      ...this.#lines,
      '',
    ].join('\n');
  }
}
