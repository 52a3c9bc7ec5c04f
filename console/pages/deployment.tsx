import { Link } from 'wouter-preact';

export const Trail = () => (
  <nav class="trail" aria-label="You are here">
    <Link href="/deployments">Deployments</Link>
  </nav>
);
