/** The product's mark: a hull on its slip. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d="M3 9h18l-3.2 7.2H6.2z" fill="currentColor" />
    <path d="M2 20.5l20-3" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
  </svg>
);
