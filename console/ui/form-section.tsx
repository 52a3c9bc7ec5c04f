import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props = { title: string; about?: ComponentChildren; children: ComponentChildren };

/** Fields that belong together; what they are for stands on the left. */
export function FormSection({ title, about, children }: Props) {
  const heading = useId();
  return (
    <section class="form-section" aria-labelledby={heading}>
      <div>
        <h2 id={heading}>{title}</h2>
        {about !== undefined && <p>{about}</p>}
      </div>
      <div>{children}</div>
    </section>
  );
}

/** The bar at the foot of a form: what is missing, what the button will do, and the button. */
export const FormBar = ({ says, children }: { says: ComponentChildren; children: ComponentChildren }) => (
  <div class="form-bar">
    <p role="status">{says}</p>
    {children}
  </div>
);
