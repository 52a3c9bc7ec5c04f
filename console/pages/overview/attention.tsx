import type { AttentionKind } from '../../../lib/features/activity/shape.ts';
import { useAttention } from '../../data/activity.ts';
import { deedFor, type Need, toneOfNeed } from '../../logic/happened.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import {
  circleAlert,
  circleX,
  keyRound,
  type Icon as Shapes,
  triangleAlert,
  webhook,
} from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';

const icons: Record<AttentionKind, Shapes> = {
  deployment_failed: circleX,
  crash_loop: circleAlert,
  unhealthy: circleAlert,
  listener_offline: triangleAlert,
  webhook_failing: webhook,
  key_expiring: keyRound,
};

/** What needs somebody, each with the one thing to do about it. Where nothing does, it is not there. */
export function Attention() {
  const { data } = useAttention();
  const needs = data?.resources ?? [];
  if (needs.length === 0) return null;
  return (
    <Card
      title="Needs attention"
      beside={<span class="meta">{needs.length === 1 ? '1 thing' : `${needs.length} things`}</span>}
    >
      <ul class="rows needs">
        {needs.map((each) => (
          <Row key={`${each.kind} ${each.deployment?.id ?? each.subject?.id}`} need={each} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ need }: { need: Need }) {
  const { kind, says, effect, since, ends_at: endsAt } = need;
  const { title, to } = deedFor(need);
  return (
    <li>
      <Icon of={icons[kind]} class={toneOfNeed(kind)} />
      <div>
        <p class="cut" title={says}>
          <b>{says}</b>
        </p>
        <p class="dim cut" title={effect}>
          {effect}
        </p>
      </div>
      <span class="meta">
        <Time at={endsAt ?? since} />
      </span>
      <ButtonLink href={to} isSmall>
        {title}
      </ButtonLink>
    </li>
  );
}
