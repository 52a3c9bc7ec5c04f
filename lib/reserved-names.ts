/** Names that variables of a deployment cannot have, for forms too, which say so before anything is sent. */

/** Set by the platform; a client's value would break the agent server in ways that are hard to find. */
export const reservedSecretNames: ReadonlySet<string> = new Set([
  'LANGCHAIN_TRACING_V2',
  'LANGSMITH_TRACING_V2',
  'LANGCHAIN_ENDPOINT',
  'LANGCHAIN_PROJECT',
  'LANGSMITH_PROJECT',
  'LANGSMITH_LANGGRAPH_GIT_REPO',
  'LANGGRAPH_GIT_REPO_PATH',
  'LANGCHAIN_API_KEY',
  'LANGSMITH_CONTROL_PLANE_API_KEY',
  'POSTGRES_URI',
  'POSTGRES_PASSWORD',
  'DATABASE_URI',
  'LANGSMITH_LANGGRAPH_GIT_REF',
  'LANGSMITH_LANGGRAPH_GIT_REF_SHA',
  'LANGGRAPH_AUTH_TYPE',
  'LANGSMITH_AUTH_ENDPOINT',
  'LANGSMITH_TENANT_ID',
  'LANGSMITH_AUTH_VERIFY_TENANT_ID',
  'LANGSMITH_HOST_PROJECT_ID',
  'LANGSMITH_HOST_PROJECT_NAME',
  'LANGSMITH_HOST_REVISION_ID',
  'LOG_JSON',
  'LOG_DICT_TRACEBACKS',
  'REDIS_URI',
  'LANGCHAIN_CALLBACKS_BACKGROUND',
  'DD_TRACE_PSYCOPG_ENABLED',
  'DD_TRACE_REDIS_ENABLED',
  'LANGSMITH_DEPLOYMENT_NAME',
]);

export const isReservedSecret = (name: string): boolean => reservedSecretNames.has(name);

/** With these a build would be led to other programs, another machine or another account. */
export const reservedInBuilds = {
  names: ['PATH', 'NODE_OPTIONS'],
  beginnings: ['LD_', 'PYTHON', 'DOCKER_', 'AWS_', 'GIT_', 'SLIPWAY_'],
} as const;

export const isReservedInBuilds = (name: string): boolean =>
  reservedInBuilds.names.some((each) => each === name) ||
  reservedInBuilds.beginnings.some((beginning) => name.startsWith(beginning));
