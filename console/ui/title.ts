import { useEffect } from 'preact/hooks';
import { withBidiShown } from '../../lib/shown-text.ts';

/** What the tab is called. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${withBidiShown(title)} · Slipway`;
  }, [title]);
}
