import { type Texts, textFields } from '../logic/configuration.ts';
import { type ResourceName, type Resources, resourceFields } from '../logic/resources.ts';

export const CommandFields = ({ texts, set }: { texts: Texts; set: (texts: Texts) => void }) => (
  <section aria-labelledby="commands">
    <h2 id="commands">Build and start</h2>
    {textFields.map(({ name, label }) => (
      <label key={name} class="field">
        <span>{label}</span>
        <input
          value={texts[name]}
          spellcheck={false}
          onInput={({ currentTarget }) => set({ ...texts, [name]: currentTarget.value })}
        />
      </label>
    ))}
  </section>
);

export function ResourceFields({ resources, set }: { resources: Resources; set: (to: Resources) => void }) {
  const change = (name: ResourceName, value: string) => set({ ...resources, [name]: value });
  return (
    <section aria-labelledby="resources">
      <h2 id="resources">Resources</h2>
      <p class="quiet small">
        Empty: the default. A listener that runs servers as processes of its machine keeps to none of them.
      </p>
      {resourceFields.map(({ name, label, min, step }) => (
        <label key={name} class="field">
          <span>{label}</span>
          <input
            type="number"
            min={min}
            step={step === 0.001 ? 'any' : step}
            value={resources[name]}
            onInput={({ currentTarget }) => change(name, currentTarget.value)}
          />
        </label>
      ))}
    </section>
  );
}
