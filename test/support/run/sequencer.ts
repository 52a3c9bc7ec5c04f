import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take a minute go first, whole programs before the rest: what begins last is what the run ends
 * with.
 */
const FIRST = [
  /\/property\/patterns\//,
  /\/e2e\/crash\./,
  /\/simulation\//,
  /\/e2e\//,
  /\/integration\/(listener|builder)\//,
  /\/workflow\//,
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = FIRST.findIndex((pattern) => pattern.test(moduleId));
  return rank === -1 ? FIRST.length : rank;
};

/** Also in a fresh clone, where no earlier run has left times to go by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
