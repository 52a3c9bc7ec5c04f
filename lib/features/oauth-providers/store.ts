import type { AuditMark } from '../../core/items/audit-events.ts';
import { keyOfProvider, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import { absent, equals, put, remove } from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';

/** Stores a new provider. Demands that its `provider_id` is free. `audit`: who asked for it. */
export const putProvider = (item: OAuthProvider, audit: AuditMark): Write =>
  put('oauth_provider', { ...keyOfProvider(item), ...item, audit }, absent('pk'));

/** Changes a provider, but for its `provider_id`. Demands that it is as it was read. */
export const changeProvider = (before: OAuthProvider, after: OAuthProvider, audit: AuditMark): Write =>
  put(
    'oauth_provider',
    { ...keyOfProvider(before), ...after, audit },
    equals('id', before.id),
    equals('version', before.version),
  );

/** Removes a provider. Demands that it is there, and not another one under its `provider_id`. */
export const removeProvider = (item: OAuthProvider): Write =>
  remove('oauth_provider', keyOfProvider(item), equals('id', item.id));
