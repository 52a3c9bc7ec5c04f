/**
 * Versions of everything that builds bring. They are tried together with the examples; renew them for their
 * security fixes.
 */

/** The agent server of Python projects runs on this minor version of Python 3 and later ones. */
export const PYTHON_MINOR_OLDEST = 11;

/** The oldest LangGraph that the worker of durable agents runs with. */
export const LANGGRAPH_OLDEST = '1.0';
/** What that worker needs of a project's environment. */
export const DURABLE_PACKAGES = [
  `langgraph>=${LANGGRAPH_OLDEST}`,
  'langgraph-checkpoint-postgres>=3.0',
  'psycopg[binary]>=3.2',
];

export const UV_VERSION = '0.13.9';
/**
 * Of the `langgraph-cli` of PyPI: the agent server of Python projects, and the tool that writes Dockerfiles.
 */
export const PYTHON_SERVER_VERSION = '0.4.40';
/** Newer ones do not all install everywhere. */
export const JAVASCRIPT_SERVER = '@langchain/langgraph-cli@1.4.5';

/** Serve Python applications whose projects do not bring them. */
export const UVICORN_VERSION = '0.54.0';
export const GUNICORN_VERSION = '27.0.1';
/** Read the lockfiles of Python projects that uv does not read. */
export const POETRY_VERSION = '2.5.1';
export const POETRY_EXPORT_VERSION = '1.10.1';
export const PDM_VERSION = '2.29.4';
export const PIPENV_VERSION = '2026.10.3';

/** Of package managers, for projects that name no version. */
export const PNPM_VERSION = '10';
export const YARN_CLASSIC_VERSION = '1';
export const YARN_VERSION = '4';

/** What images of servers bring for projects that need it, from npm. */
export const BUN_VERSION = '1.4.5';
export const DENO_VERSION = '2.9.6';

/** The Node.js that the builder runs on in AWS, and that images of projects have which name none. */
export const NODE_MAJOR = '24';
/** In this order, where a project takes several: those that are supported for long first. */
export const NODE_MAJORS = [NODE_MAJOR, '22', '20', '18', '16', '25', '23', '21'] as const;
/** What images of Python projects have which name none. */
export const PYTHON_DEFAULT = '3.12';
/** In this order, where a project takes several. */
export const PYTHONS = [PYTHON_DEFAULT, '3.13', '3.11', '3.14', '3.10'];

/** Mirrors of the official images, without the other registry's limits on downloads. */
const LIBRARY = 'public.ecr.aws/docker/library';
/** The images that are chosen here, not by a project: what a tag stands for can be changed by others. */
const DIGESTS = new Map([
  ['node:24-bookworm', 'sha256:3d27e5c11e5786e309ec3e03f93ae536eb36e6e5eb3714d5eb3300a36157add0'],
  ['python:3.12-bookworm', 'sha256:dbbe4ceb97851e2e5fa83798b239811f871cb743b259ba3563737349f6bcfaa0'],
  ['node:24-bookworm-slim', 'sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7'],
  ['python:3.12-slim-bookworm', 'sha256:0f5b26b9518d002b6173fd61daad821fa340635ebfec5bba471013f9ca114579'],
  ['debian:bookworm-slim', 'sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241'],
  ['golang:1.26-bookworm', 'sha256:551752d3ad9de9923190bf5280500617ed8fee287ffb4b0220e770ef89346258'],
  ['rust:1-bookworm', 'sha256:593db038d36ea0d2e5b22a2e095eb95dbec607d88d658c2f35f65ee880b4f93a'],
  ['python:3.13-slim-bookworm', 'sha256:01f42367a0a94ad4bc17111776fd66e3500c1d87c15bbd6055b7371d39c124fb'],
]);
/** Where servers run that are a program and need nothing else. */
export const PROGRAM_IMAGE = 'debian:bookworm-slim';
/** What builds Go and Rust. Go fetches a newer version of itself where a project asks for one. */
export const GO_IMAGE = 'golang:1.26-bookworm';
export const RUST_IMAGE = 'rust:1-bookworm';
/** What the agent's own tool runs in. */
export const TOOL_IMAGE = 'python:3.13-slim-bookworm';
/** Runs privileged on the build machine, so it is this one and no other. */
export const BINFMT_IMAGE =
  'docker.io/tonistiigi/binfmt:qemu-v10.2.3@sha256:400a4873b838d1b89194d982c45e5fb3cda4593fbfd7e08a02e76b03b21166f0';

/** The address of an official image, by digest where it is one of those chosen here. */
export function imageAddress(name: string): string {
  const digest = DIGESTS.get(name);
  return `${LIBRARY}/${name}${digest === undefined ? '' : `@${digest}`}`;
}
