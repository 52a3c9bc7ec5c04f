const KEY = 'slipway.theme';
export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const theme = (): Theme => themes.find((each) => each === localStorage.getItem(KEY)) ?? 'auto';

/** `auto` follows the system. */
export function applyTheme(chosen: Theme): void {
  if (chosen === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  document.documentElement.dataset.theme = chosen;
}
