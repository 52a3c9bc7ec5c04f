import { hostNameOf } from '../../../serving/hosts.ts';

/** A deployment's own address as requests name it: its host, and its path without a slash at the end. */
export type OwnAddress = { customHost: string | undefined; customPath: string };

/** Null: it has none. */
export function ownAddress(url: string | null): OwnAddress {
  if (url === null) return { customHost: undefined, customPath: '' };
  const parsed = URL.parse(url);
  return {
    customHost: hostNameOf(parsed?.host || url),
    customPath: (parsed?.pathname ?? '').replace(/\/$/, ''),
  };
}
