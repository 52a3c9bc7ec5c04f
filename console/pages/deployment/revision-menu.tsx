import { useState } from 'preact/hooks';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf, origins } from '../../../lib/client/revision.ts';
import { useCan } from '../../data/permissions.ts';
import { actionsOn, type Verb } from '../../logic/actions.ts';
import { stagesOf } from '../../logic/stages.ts';
import { duration } from '../../logic/time.ts';
import { fileText, gitCompare, rocket, rotateCcw, scrollText, square, undo2 } from '../../ui/icons.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Interrupt, RunAgain } from '../revision-actions.tsx';
import { DeployLatest } from './deploy-latest.tsx';

type Props = {
  revision: Revision;
  deployment: Deployment;
  /** What serves. */
  active: Revision | undefined;
};

type Opened = 'stop' | 'again' | 'latest';

const icons = { Restart: rotateCcw, 'Roll back': undo2, Redeploy: rocket } as const;

/** What a menu calls it; of one that failed, its commit is tried again. */
function titleOf(verb: Verb, number: number): string {
  if (verb === 'Roll back') return `Roll back to ${number}…`;
  return verb === 'Restart' ? 'Restart…' : 'Deploy this commit again…';
}

/** Everything that can be done with a revision, and that is looked at of it. */
export function RevisionMenu({ revision, deployment, active }: Props) {
  const [open, setOpen] = useState<Opened>();
  const items = useItems({ revision, deployment, active }, setOpen);
  const close = () => setOpen(undefined);
  const { again } = actionsOn(revision, deployment, active);
  return (
    <>
      <Menu label={`Actions for revision ${numberOf(revision.id)}`} items={items} />
      {open === 'stop' && <Interrupt revision={revision} onClose={close} />}
      {open === 'latest' && <DeployLatest deployment={deployment} onClose={close} />}
      {open === 'again' && again !== undefined && (
        <RunAgain revision={revision} current={active} verb={again} onClose={close} />
      )}
    </>
  );
}

function useItems({ revision, deployment, active }: Props, open: (what: Opened) => void): MenuItem[] {
  const canWrite = useCan('deployments:write') === true;
  const canReadLogs = useCan('logs:read') === true;
  const { id, status } = revision;
  const number = numberOf(id);
  const { canStop, again } = actionsOn(revision, deployment, active);
  const at = `/deployments/${deployment.id}`;
  const items: MenuItem[] = [];
  if (canWrite && canStop) items.push({ title: 'Stop…', icon: square, onChoose: () => open('stop') });
  if (canWrite && again !== undefined)
    items.push({ title: titleOf(again, number), icon: icons[again], onChoose: () => open('again') });
  if (canWrite && status.endsWith('_FAILED') && origins[deployment.source] === 'repository')
    items.push({ title: 'Deploy latest…', icon: rocket, onChoose: () => open('latest') });
  if (active !== undefined && active.id !== id) {
    const to = numberOf(active.id);
    items.push({
      title: `Compare with ${to}`,
      icon: gitCompare,
      href: `${at}/compare?from=${Math.min(number, to)}&to=${Math.max(number, to)}`,
    });
  }
  if (!canReadLogs) return items;
  const built = stagesOf(revision, Date.now()).find(({ kind }) => kind === 'build');
  return [
    ...items,
    {
      title: 'Build log',
      icon: fileText,
      isApart: items.length > 0,
      hint: built && duration(built.milliseconds),
      href: `${at}/revisions/${id}?log=build`,
    },
    { title: 'Server log', icon: scrollText, href: `${at}/revisions/${id}?log=deploy` },
  ];
}
