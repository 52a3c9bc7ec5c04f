import { reasonShown } from '../logic/reason.ts';
import { useNow } from './time.tsx';

/** Why a revision is as it is; of a queued one, what it waits for and how long that has been at work. */
export const Reason = ({ of }: { of: string }) => <>{reasonShown(of, useNow())}</>;
