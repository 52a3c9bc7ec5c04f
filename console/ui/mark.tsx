/** The product's mark: a hull on its slip. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path fill="currentColor" d="M3.5 8h17l-2.6 6.2a2 2 0 0 1-1.8 1.2H8.4a2 2 0 0 1-1.8-1.1z" />
    <path fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M2.5 20.5l19-3" />
  </svg>
);
