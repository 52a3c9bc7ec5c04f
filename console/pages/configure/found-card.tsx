import type { ComponentChildren } from 'preact';
import type { Look } from '../../data/repositories.ts';
import {
  askedText,
  commitText,
  folderText,
  foundTitle,
  graphsText,
  languageText,
} from '../../logic/found.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import {
  bot,
  box,
  circleCheck,
  fileText,
  keyRound,
  type Icon as Shapes,
  triangleAlert,
} from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';

type Props = {
  look: Look;
  /** How many of the secrets that it asks for have no value yet. */
  missing: number;
  chooseFolder: (folder: string) => void;
};

const FOLDERS_MAX = 6;

/** What a build would find in the repository, and what it would miss. */
export function FoundCard({ look, missing, chooseFolder }: Props) {
  const { found, problem, folders, commit } = look;
  const isProblem = problem !== null;
  return (
    <section class="found" aria-label="What was found">
      <div class="line">
        <b class="line tight">
          <Icon of={isProblem ? triangleAlert : circleCheck} class={isProblem ? 'warn' : 'ok'} />
          {found === null ? 'Nothing to deploy was found' : foundTitle(found)}
        </b>
        {commit !== null && (
          <span class="meta push cut" title={commit.message ?? undefined}>
            {commitText(commit)}
            {commit.at !== null && (
              <>
                , <Time at={commit.at} />
              </>
            )}
          </span>
        )}
      </div>
      {isProblem && <p>{problem}</p>}
      {found !== null && <Facts found={found} asked={look.secrets_asked.length} missing={missing} />}
      {folders.length > 0 && (
        <p class="line wrap">
          <span class="dim">
            {found === null ? 'These folders can be deployed:' : 'Other folders that can be deployed:'}
          </span>
          {folders.slice(0, FOLDERS_MAX).map((folder) => (
            <Button key={folder} isSmall onClick={() => chooseFolder(folder)}>
              {folder}
            </Button>
          ))}
        </p>
      )}
    </section>
  );
}

type FactsProps = { found: NonNullable<Look['found']>; asked: number; missing: number };

function Facts({ found, asked, missing }: FactsProps) {
  const [graphs, language, secrets] = [graphsText(found), languageText(found), askedText(asked, missing)];
  return (
    <ul>
      <Fact icon={fileText}>
        <code>{found.file.split('/').at(-1)}</code> <span class="dim">{folderText(found)}</span>
      </Fact>
      {graphs !== null && <Fact icon={bot}>{graphs}</Fact>}
      {language !== null && <Fact icon={box}>{language}</Fact>}
      {secrets !== null && (
        <Fact icon={keyRound} isWarning={missing > 0}>
          {secrets}
        </Fact>
      )}
      {found.start !== null && (
        <Fact icon={box} isWhole title={found.start}>
          Starts with <code>{found.start}</code>
        </Fact>
      )}
    </ul>
  );
}

const Fact = ({
  icon,
  isWarning = false,
  isWhole = false,
  title,
  children,
}: {
  icon: Shapes;
  isWarning?: boolean;
  /** It takes a line for itself. */
  isWhole?: boolean;
  title?: string;
  children: ComponentChildren;
}) => (
  <li class={isWarning ? 'warn' : isWhole ? 'whole' : undefined}>
    <Icon of={icon} />
    <span class="cut" title={title}>
      {children}
    </span>
  </li>
);
