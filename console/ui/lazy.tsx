import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './states.tsx';

const TRIED = 'slipway.reloaded';

/**
 * A page whose script is loaded when it is first opened. One that is not there any more was replaced by a
 * newer version: then the whole page is loaded anew, once.
 */
export function Lazy<P extends object>({ load, ...rest }: { load: () => Promise<ComponentType<P>> } & P) {
  const [Page, setPage] = useState<ComponentType<P>>();
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    load()
      .then((page) => {
        sessionStorage.removeItem(TRIED);
        setPage(() => page);
      })
      .catch(() => {
        if (sessionStorage.getItem(TRIED) !== null) return setFailed(true);
        sessionStorage.setItem(TRIED, '1');
        location.reload();
        return undefined;
      });
  }, [load]);
  if (isFailed)
    return (
      <main id="main">
        <p class="problem" role="alert">
          This page could not be loaded. Is Slipway running? Reload to try again.
        </p>
      </main>
    );
  if (Page === undefined)
    return (
      <main id="main">
        <Skeleton />
      </main>
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of the properties but `load`
  return <Page {...(rest as unknown as P)} />;
}
