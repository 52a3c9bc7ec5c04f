const GAP = 4;
const EDGE = 8;

/** Narrower, what opens is a sheet from below (base.css says the same). */
const isSheet = (): boolean => matchMedia('(max-width: 40rem)').matches;

/**
 * Puts an open popover below what opened it, or above where it would not fit, and within the window. `align`:
 * the edge that the two have in common. A sheet stays where the style puts it.
 */
export function placeBeside(opener: Element, popover: HTMLElement, align: 'start' | 'end'): void {
  popover.style.inset = '';
  if (isSheet()) return;
  const at = opener.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const left = align === 'start' ? at.left : at.right - width;
  const fitsBelow = at.bottom + GAP + height <= innerHeight - EDGE;
  const top = fitsBelow || at.top < height + GAP ? at.bottom + GAP : at.top - GAP - height;
  const x = Math.max(EDGE, Math.min(left, innerWidth - width - EDGE));
  const y = Math.max(EDGE, Math.min(top, innerHeight - height - EDGE));
  popover.style.inset = `${y}px auto auto ${x}px`;
}
