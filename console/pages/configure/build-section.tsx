import { isReservedInBuilds } from '../../../lib/reserved-names.ts';
import type { SourceKind } from '../../logic/save-plan.ts';
import type { SecretEdit } from '../../logic/secrets.ts';
import { FormSection } from '../../ui/form-section.tsx';
import { DraftField, type DraftForm } from './parts.tsx';
import { SecretList } from './secret-list.tsx';
import { BuildVariables } from './variables.tsx';

type Props = {
  form: DraftForm;
  kind: SourceKind;
  secrets: SecretEdit[];
  setSecrets: (edits: SecretEdit[]) => void;
  /** Whether images are built where the deployment runs; undefined: nobody knows where that is. */
  buildsImages: boolean | undefined;
};

/** How a source becomes what runs. An image that is given needs none of it. */
export function BuildSection({ form, kind, secrets, setSecrets, buildsImages }: Props) {
  if (kind === 'image') return null;
  return (
    <>
      <FormSection title="Build" about="Left empty, Slipway finds out by itself how the project is built.">
        <div class="pair">
          <DraftField
            form={form}
            name="install_command"
            label="Install command"
            hint="Runs in the root directory, before the build command."
          />
          <DraftField
            form={form}
            name="build_command"
            label="Build command"
            hint="A build that fails leaves what serves as it is."
          />
        </div>
        {buildsImages !== false && (
          <div class="pair">
            <DraftField
              form={form}
              name="dockerfile_path"
              label="Dockerfile"
              placeholder="Dockerfile"
              hint="Below the root directory. Used where images are built."
            />
            <DraftField
              form={form}
              name="docker_target"
              label="Stage of the Dockerfile"
              placeholder="The last one"
              lengthMax={128}
            />
          </div>
        )}
        <BuildVariables form={form} />
      </FormSection>
      <FormSection
        title="Build secrets"
        about="Keys of private registries and the like. Builds alone see them; no server gets them."
      >
        <SecretList
          edits={secrets}
          set={setSecrets}
          of="source_config.build_secrets"
          noun="build secret"
          isReserved={isReservedInBuilds}
        />
      </FormSection>
    </>
  );
}
