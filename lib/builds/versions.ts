/** Versions of everything that builds bring. They are tried together with the examples; renew them for their security fixes. */

/** The agent server of Python projects runs on this minor version of Python 3 and later ones. */
export const PYTHON_MINOR_OLDEST = 11;

export const UV_VERSION = '0.13.9';
/** Of the `langgraph-cli` of PyPI: the agent server of Python projects, and the tool that writes Dockerfiles. */
export const PYTHON_SERVER_VERSION = '0.4.40';
/** Newer ones do not all install everywhere. */
export const JAVASCRIPT_SERVER = '@langchain/langgraph-cli@1.4.5';

/** Of package managers, for projects that name no version. */
export const PNPM_VERSION = '10';
export const YARN_CLASSIC_VERSION = '1';
export const YARN_VERSION = '4';
