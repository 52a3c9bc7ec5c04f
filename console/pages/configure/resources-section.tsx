import type { Listener } from '../../../lib/client/endpoints.ts';
import { isOfCluster } from '../../logic/listener.ts';
import {
  heedsNothing,
  resourceFields,
  restProblem,
  unheededWhy,
  usualResources,
} from '../../logic/resources.ts';
import { FormSection } from '../../ui/form-section.tsx';
import { type DraftForm, DraftLines, DraftNumber } from './parts.tsx';

type Props = {
  form: DraftForm;
  /** Where the deployment runs; undefined: that is chosen when it is made. */
  listener: Pick<Listener, 'compute_type' | 'compute_id'> | undefined;
};

/** What a server gets. What does not count where it runs is grey, with the reason. */
export function ResourcesSection({ form, listener }: Props) {
  const type = listener?.compute_type;
  const problem = restProblem(form.draft.more_resources);
  const none = heedsNothing(type);
  return (
    <FormSection title="Resources" about={`Left empty: ${lowerFirst(usualResources(type))}`}>
      {none && <p class="dim">{unheededWhy(type, 'cpu')}</p>}
      <div class="pair">
        {resourceFields.map(({ name, label, min, step, unit }) => {
          const why = unheededWhy(type, name);
          return (
            <DraftNumber
              key={name}
              form={form}
              name={name}
              label={unit === '' ? label : `${label}, in ${unit}`}
              min={min}
              step={step === 0.001 ? 'any' : step}
              isDisabled={why !== undefined}
              hint={none ? undefined : why}
            />
          );
        })}
      </div>
      {((listener !== undefined && isOfCluster(listener)) || form.draft.more_resources !== '') && (
        <div class="fields">
          <DraftLines
            form={form}
            name="more_resources"
            label="More, as JSON"
            placeholder={'{ "labels": { "team": "support" } }'}
            rows={5}
            hint="Queues, databases, volumes, sidecars, labels: every other field of resource_spec."
          />
          {problem !== undefined && (
            <span class="field-problem" role="alert">
              {problem}
            </span>
          )}
        </div>
      )}
    </FormSection>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
