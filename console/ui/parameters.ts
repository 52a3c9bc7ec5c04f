import { useSearchParams } from 'wouter-preact';

/** A parameter that is one of these; '' for any other. */
export const oneOf = <T extends string>(all: readonly T[], text: string | null): T | '' =>
  all.find((each) => each === text) ?? '';

/**
 * What stands behind `?` in the address, and a way to change it in place; an empty text takes a parameter
 * away.
 */
export function useParameters(): [URLSearchParams, (changes: Record<string, string>) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (changes: Record<string, string>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  return [search, change];
}
