import type { ComponentChildren } from 'preact';
import type { hostGuides } from '../../logic/hosts.ts';
import { Tag } from '../../ui/badge.tsx';

/** What a person does at the host, one step after the other; the first may have a link. */
export const Steps = ({ steps, children }: { steps: readonly string[]; children?: ComponentChildren }) => (
  <ol class="how">
    {steps.map((step, index) => (
      <li key={step}>
        {step} {index === 0 && children}
      </li>
    ))}
  </ol>
);

type Scopes = (typeof hostGuides)['github']['scopes'];

/** What a token has to be allowed, by the words of its host, and what for. */
export const ScopeList = ({ scopes }: { scopes: Scopes }) => (
  <dl class="scopes">
    {scopes.map(({ name, purpose, isOptional }) => (
      <div key={name}>
        <dt>
          <code>{name}</code>
        </dt>
        <dd>
          {purpose} {isOptional === true && <Tag>Optional</Tag>}
        </dd>
      </div>
    ))}
  </dl>
);
