import type { DeploymentRef } from '../../contract/refs.ts';
import type { Aws } from './clients.ts';
import { groupsOf, tagsOf } from './look.ts';
import { tags } from './names.ts';

/** A set of servers, as far as measuring it takes. Its size is that of each server. */
export type MeasuredSet = {
  place: DeploymentRef;
  key: string;
  targetGroupArn: string;
  /** The revision that it was last brought up for. */
  revisionId: string;
  cpuUnits: number;
  memoryMb: number;
  /** How many servers it has; undefined where a scaler decides. */
  wanted: number | undefined;
};

/** The sets that a deployment has in the account now, those that end included. */
export async function measuredSets(aws: Pick<Aws, 'elb'>, place: DeploymentRef): Promise<MeasuredSet[]> {
  const groups = await groupsOf(aws, place);
  const noted = await tagsOf(
    aws,
    groups.map(({ arn }) => arn),
  );
  return groups.map(({ key, arn }) => {
    const own = noted.get(arn) ?? {};
    const [min, max] = [Number(own[tags.min] ?? 1), Number(own[tags.max] ?? 1)];
    const isRetired = own[tags.retiredAt] !== undefined;
    return {
      place,
      key,
      targetGroupArn: arn,
      revisionId: own[tags.revision] ?? '',
      cpuUnits: Number(own[tags.cpu] ?? 0),
      memoryMb: Number(own[tags.memoryMb] ?? 0),
      wanted: min === max && !isRetired ? min : undefined,
    };
  });
}
