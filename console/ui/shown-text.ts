import { options, type VNode } from 'preact';
import { withBidiShown } from '../../lib/shown-text.ts';

/** Attributes whose value people read or hear; what a field holds stays as it is, for it is sent. */
const READ = ['aria-label', 'title', 'placeholder', 'alt'] as const;

/** A text among others: its properties are the text itself. */
const isText = (vnode: VNode): boolean => vnode.type === null;

/**
 * Shows every text of the console with its turning marks seen, whoever has written it and on whichever page:
 * Preact tells of each part of a page before it is drawn.
 */
export function showBidi(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props: unknown = vnode.props;
    if (isText(vnode)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a text Preact's types know nothing
      if (typeof props === 'string') (vnode as { props: unknown }).props = withBidiShown(props);
    } else if (typeof vnode.type === 'string') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an element's: made for it just now
      const attributes = props as Record<string, unknown>;
      for (const name of READ) {
        const value = attributes[name];
        if (typeof value === 'string') attributes[name] = withBidiShown(value);
      }
    }
    before?.(vnode);
  };
}
