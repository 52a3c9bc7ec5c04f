import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Answer } from '../../../lib/client/endpoints.ts';
import { useChange } from '../../data/queries.ts';
import { shortSource } from '../../logic/source.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { circleCheck, circleQuestionMark, circleX } from '../../ui/icons.ts';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Tested = Answer<'POST /v2/integrations/{integration_id}/test'>;

type Props = { id: string /** Without waiting for the button. */; isAsked: boolean };

/** Asks the host what the token may do, and says whether deliveries come and what is deployed with it. */
export function IntegrationTest({ id, isAsked }: Props) {
  const test = useChange('POST /v2/integrations/{integration_id}/test');
  const ask = () => test.mutate({ params: { integration_id: id } });
  useEffect(() => {
    if (isAsked) ask();
  }, [id, isAsked]);
  return (
    <Card
      title="Connection"
      beside={
        <Button isSmall onClick={ask} busy={test.isPending && 'Testing'}>
          Test now
        </Button>
      }
    >
      {test.error !== null && <Problem error={test.error} />}
      {test.data === undefined ? (
        <p class="body dim">
          {test.isPending
            ? 'Asking the host…'
            : 'The test asks the host with the stored token, and changes nothing.'}
        </p>
      ) : (
        <Result tested={test.data} />
      )}
    </Card>
  );
}

const Result = ({ tested: { token, repositories, statuses, webhook, deployments } }: { tested: Tested }) => (
  <>
    <ul class="rows checks-list">
      <Verdict title="Token" verdict={token}>
        {token.user !== null && <span class="meta">Of {token.user}.</span>}
        {token.expires_at !== null && (
          <span class="meta">
            Ends <Time at={token.expires_at} />.
          </span>
        )}
        {token.missing.length > 0 && <span class="warn">It lacks {token.missing.join(', ')}.</span>}
      </Verdict>
      <Verdict title="Repositories" verdict={repositories} />
      <Verdict title="Commit statuses" verdict={statuses} />
      <Verdict title="Webhook" verdict={webhook} />
    </ul>
    <Deployed deployments={deployments} />
  </>
);

type VerdictProps = {
  title: string;
  verdict: { ok: boolean | null; says: string };
  children?: ComponentChildren;
};

function Verdict({ title, verdict: { ok, says }, children }: VerdictProps) {
  const [icon, tone, word] =
    ok === null
      ? [circleQuestionMark, 'idle', 'Not known']
      : ok
        ? [circleCheck, 'ok', 'Works']
        : [circleX, 'bad', 'Fails'];
  return (
    <li>
      <Icon of={icon} class={tone} />
      <strong>
        {title} <span class="hidden">{word}</span>
      </strong>
      <p>
        {says} {children}
      </p>
    </li>
  );
}

const Deployed = ({ deployments }: { deployments: Tested['deployments'] }) => (
  <div class="body">
    <h3>Deploys</h3>
    {deployments.length === 0 && <p class="dim">No deployment reads its repository with it yet.</p>}
    {deployments.length > 0 && (
      <ul class="fields">
        {deployments.map(({ id, name, repo_url: url, build_on_push: isOnPush }) => (
          <li key={id} class="line wrap">
            <Link class="link" href={`/deployments/${id}`}>
              {name}
            </Link>
            {url !== null && <span class="dim cut">{shortSource(url)}</span>}
            <span class="meta">{isOnPush ? 'Each push is deployed' : 'Pushes wait'}</span>
          </li>
        ))}
      </ul>
    )}
  </div>
);
