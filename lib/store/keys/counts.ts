import type { Key } from './index.ts';

/** Whose things are counted: a tenant's, or those of an organization that are of no one tenant. */
export type CountOwner =
  | { tenantId: string; organizationId?: string }
  | { tenantId: undefined; organizationId: string };

export const resourceCountKey = (owner: CountOwner, kind: string): Key => ({
  pk: owner.tenantId === undefined ? `O#${owner.organizationId}#CT` : `T#${owner.tenantId}#CT`,
  sk: kind,
});

/** Of all tenants: it holds numbers alone. */
export const computeUseKey = (): Key => ({ pk: 'COMPUTE', sk: 'USE' });

const PLACE_DIGITS = 6;

export const buildPlaceKey = (tenantId: string, place: number): Key => ({
  pk: `T#${tenantId}#B`,
  sk: String(place).padStart(PLACE_DIGITS, '0'),
});
