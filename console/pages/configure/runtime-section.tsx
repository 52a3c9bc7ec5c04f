import type { Deployment } from '../../../lib/client/endpoints.ts';
import { releaseChoices, runtimeChoices } from '../../logic/agent-runtime.ts';
import { CheckField } from '../../ui/field.tsx';
import { FormSection } from '../../ui/form-section.tsx';
import { DraftChoice, DraftField, type DraftForm, DraftNumber } from './parts.tsx';

/** How a server starts, and how it says that it is ready. */
export const StartSection = ({ form }: { form: DraftForm }) => (
  <FormSection title="Health check" about="A new revision takes over only when this answers.">
    <div class="pair">
      <DraftField
        form={form}
        name="health_path"
        label="Path"
        placeholder="/ok"
        hint="Any answer from 200 to 399 counts."
      />
      <DraftNumber
        form={form}
        name="health_seconds"
        label="Give up after, in seconds"
        placeholder="The listener’s default"
        min={1}
        max={3600}
        hint="Until then, and if it fails, the revision before goes on serving."
      />
    </div>
    <DraftField
      form={form}
      name="start_command"
      label="Start command"
      placeholder="What the project starts by itself"
      hint="A line of shell. The server has to listen on $PORT."
    />
  </FormSection>
);

type RuntimeProps = {
  form: DraftForm;
  /** What is stored; absent for a new deployment. */
  deployment?: Deployment;
  /** Whether another runtime may begin without the threads of the one before. */
  acceptsNewState?: boolean;
  setAccepts?: (accepts: boolean) => void;
};

/** What runs the graphs of an agent, and what a release does to its threads. */
export function RuntimeSection({ form, deployment, acceptsNewState = false, setAccepts }: RuntimeProps) {
  const { draft } = form;
  const isOther =
    deployment !== undefined &&
    deployment.runtime_resolved !== null &&
    draft.runtime !== (deployment.source_config.runtime ?? 'auto');
  return (
    <FormSection
      title="Agent server"
      about="What runs the graphs of a langgraph.json, and what becomes of threads that wait when a new revision takes over."
    >
      <DraftChoice form={form} name="runtime" label="Runtime" choices={runtimeChoices} />
      {isOther && setAccepts !== undefined && (
        <CheckField
          label="Start without the existing threads: they cannot move from one runtime to another"
          value={acceptsNewState}
          set={setAccepts}
        />
      )}
      <div class="pair">
        <DraftChoice
          form={form}
          name="waiting"
          label="Threads that wait"
          choices={[
            ['', 'The runtime’s default', 'Warned of, or kept where the runtime can.'],
            ...releaseChoices,
          ]}
        />
        {draft.waiting === 'pin' && (
          <DraftNumber
            form={form}
            name="days"
            label="For at most, in days"
            min={1}
            max={365}
            hint="Then they go on in the newest revision."
          />
        )}
      </div>
    </FormSection>
  );
}
