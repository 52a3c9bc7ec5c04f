import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part of a page whose script is loaded when it is first shown; `meanwhile` stands in its place. */
export function Part<P extends object>({
  load,
  meanwhile,
  ...rest
}: { load: () => Promise<ComponentType<P>>; meanwhile: ComponentChildren } & P) {
  const [Loaded, setLoaded] = useState<ComponentType<P>>();
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (part) => setLoaded(() => part),
      () => setFailed(true),
    );
  }, [load]);
  if (isFailed) return <p class="problem">This part could not be loaded. Reload the page to try again.</p>;
  if (Loaded === undefined) return <>{meanwhile}</>;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of the properties but those two
  return <Loaded {...(rest as unknown as P)} />;
}
