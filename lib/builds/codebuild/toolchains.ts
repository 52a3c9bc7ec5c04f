import type { BuildPlan, BuildStep } from '../plan.ts';
import { programsOf } from '../programs.ts';
import type { PackageJson } from '../project.ts';
import {
  BUN_VERSION,
  DENO_VERSION,
  GO_IMAGE,
  imageAddress,
  NODE_MAJOR,
  PDM_VERSION,
  PIPENV_VERSION,
  PNPM_VERSION,
  POETRY_VERSION,
  PROGRAM_IMAGE,
  PYTHON_DEFAULT,
  RUST_IMAGE,
  UV_VERSION,
} from '../versions.ts';

/** The stage of a Dockerfile that Node.js is taken from. */
export const NODE_STAGE = 'node';

/** What programs of a project are started with, besides those of its own language's image. */
type Toolchain = {
  programs: readonly string[];
  /** Lines of a Dockerfile that bring it. */
  lines: readonly string[];
};

const ofNpm = (requirement: string): string => `RUN npm install --global --no-audit --no-fund ${requirement}`;
const ofPip = (requirement: string): string =>
  `RUN pip install --no-cache-dir --root-user-action=ignore ${requirement}`;

const NODE: Toolchain = {
  programs: ['node', 'npm', 'npx'],
  lines: [
    `COPY --from=${NODE_STAGE} /usr/local/bin/node /usr/local/bin/`,
    `COPY --from=${NODE_STAGE} /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm`,
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
  ],
};

const FROM_NPM: readonly Toolchain[] = [
  { programs: ['bun', 'bunx'], lines: [ofNpm(`bun@${BUN_VERSION}`)] },
  { programs: ['deno'], lines: [ofNpm(`deno@${DENO_VERSION}`)] },
  { programs: ['pnpm', 'pnpx'], lines: [ofNpm(`pnpm@${PNPM_VERSION}`)] },
];

const FROM_PIP: readonly Toolchain[] = [
  { programs: ['uv', 'uvx'], lines: [ofPip(`uv==${UV_VERSION}`)] },
  { programs: ['poetry'], lines: [ofPip(`poetry==${POETRY_VERSION}`)] },
  { programs: ['pdm'], lines: [ofPip(`pdm==${PDM_VERSION}`)] },
  { programs: ['pipenv'], lines: [ofPip(`pipenv==${PIPENV_VERSION}`)] },
];

const COMPILERS: readonly Toolchain[] = [
  {
    programs: ['go'],
    lines: [
      `COPY --from=${imageAddress(GO_IMAGE)} /usr/local/go /usr/local/go`,
      'ENV PATH=/usr/local/go/bin:$PATH',
    ],
  },
  {
    programs: ['cargo', 'rustc'],
    lines: [
      `COPY --from=${imageAddress(RUST_IMAGE)} /usr/local/cargo /usr/local/cargo`,
      `COPY --from=${imageAddress(RUST_IMAGE)} /usr/local/rustup /usr/local/rustup`,
      'ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH',
    ],
  },
];

const PYTHON_PROGRAMS = ['python', 'python3', 'pip', 'pip3', ...FROM_PIP.flatMap(({ programs }) => programs)];

/** The images that a server is built in and runs in, each with the lines that bring what they lack. */
export type Toolset = { build: Place; run: Place };
type Place = { image: string; lines: readonly string[] };

/**
 * What a plan is carried out with, and what its server runs with: as its commands and the scripts of
 * package.json begin. `node`: the major version that the project asks for.
 */
export function toolsetOf(plan: BuildPlan, packageJson: PackageJson | undefined, node = NODE_MAJOR): Toolset {
  const scripts = packageJson?.scripts ?? {};
  const started = programsOf([plan.start?.line ?? [], plan.startCommand ?? []].flat(), scripts);
  const commands = [...plan.install.flatMap(({ steps }) => steps), plan.build].flatMap((step) =>
    commandsOf(step, packageJson !== undefined),
  );
  const built = new Set([...started, ...programsOf(commands, scripts)]);
  const isPython = plan.venv !== undefined || PYTHON_PROGRAMS.some((one) => built.has(one));
  if (isPython) {
    const python = `python:${plan.venv?.python.version ?? PYTHON_DEFAULT}`;
    // The build has uv in any case.
    const uv = FROM_PIP.slice(0, 1).flatMap(({ lines }) => lines);
    return {
      build: {
        image: `${python}-bookworm`,
        lines: [...uv, ...linesFor(built, [...FROM_PIP.slice(1), NODE])],
      },
      run: { image: `${python}-slim-bookworm`, lines: linesFor(started, [...FROM_PIP, NODE]) },
    };
  }
  const isCompiled = commands.length > 0 && commands.every(isCompiling);
  const isProgram = !plan.ownCommands && isCompiled && !isOfNode(started);
  return {
    build: { image: `node:${node}-bookworm`, lines: linesFor(built, []) },
    run: {
      image: isProgram ? PROGRAM_IMAGE : `node:${node}-bookworm-slim`,
      lines: linesFor(started, []),
    },
  };
}

/** `more` are those of a language's own, which come before what is taken from npm. */
function linesFor(programs: ReadonlySet<string>, more: readonly Toolchain[]): string[] {
  const fromNpm = FROM_NPM.filter((one) => one.programs.some((name) => programs.has(name)));
  return [...more, ...FROM_NPM, ...COMPILERS]
    .filter((one) => one.programs.some((name) => programs.has(name)) || (one === NODE && fromNpm.length > 0))
    .flatMap(({ lines }) => lines);
}

const isCompiling = (command: string): boolean => /^(?:go|cargo) /.test(command);
const isOfNode = (programs: ReadonlySet<string>): boolean =>
  [NODE, ...FROM_NPM].some((one) => one.programs.some((name) => programs.has(name)));

function commandsOf(step: BuildStep, hasScripts: boolean): string[] {
  switch (step.do) {
    case 'run':
      return [step.command];
    case 'script':
      return hasScripts ? commandsOf(step.present, hasScripts) : [];
    case 'skip':
    case 'fail':
    case 'python-server':
    case 'durable-worker':
    case 'python-package':
      return [];
  }
}
