/**
 * The tag of a deployment: the counter of its configuration changes. The use case gives it beside what is
 * shown.
 */
export const configurationEtag = (output: { config_version: number }) => ({
  ETag: `"${output.config_version}"`,
});
