/** Labels: what selectors and lists look for. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  listener: 'slipway.dev/listener',
  tenant: 'slipway.dev/tenant',
  deployment: 'slipway.dev/deployment',
  set: 'slipway.dev/set',
} as const;
