import { expect, it } from 'vitest';
import type { Resource, Synthesised } from '../support/aws/synthesised.ts';

const KEPT = ['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::S3::Bucket'];
/** What a name is given by, where a resource has one. */
const NAMED_BY = /^(Name|\w+Name)$/;
const isKept = ({ DeletionPolicy }: Resource) => DeletionPolicy?.startsWith('Retain') === true;

/** What outlives the application's stack. Part of the file of the template: to load the CDK takes seconds. */
export function keptTests(stacksOf: () => Synthesised): void {
  const resources = (stack: string) => Object.entries(stacksOf().stacks.get(stack) ?? {});

  it('is in a stack of its own, under names that CloudFormation makes, and outlives it once it was made', () => {
    const kept = resources('data').filter(([, { Type }]) => KEPT.includes(Type));
    expect(kept).toHaveLength(5);
    for (const [id, resource] of kept) {
      expect([id, resource.DeletionPolicy]).toEqual([id, 'RetainExceptOnCreate']);
      expect(Object.keys(resource.Properties).filter((name) => NAMED_BY.test(name))).toEqual([]);
    }
    expect(stacksOf().isDataProtected).toBe(true);
  });

  it('leaves nothing in the application, whose stack can go and come again', () => {
    const others = [...stacksOf().stacks].filter(([name]) => name !== 'data');
    const all = others.flatMap(([, found]) => Object.entries(found));
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter(([, resource]) => isKept(resource))).toEqual([]);
    // Without a word about it, CloudFormation's `Snapshot` and CDK's `Retain` would be of these types.
    expect(all.filter(([, { Type }]) => KEPT.includes(Type))).toEqual([]);
  });

  it('is known to the application by parameters, not by exports, which would hold it', () => {
    const written = resources('data').filter(([, { Type }]) => Type === 'AWS::SSM::Parameter');
    // The settings are read by the next deploy, not by the application.
    const names = written
      .map(([, { Properties }]) => Properties.Name)
      .filter((name) => name !== '/slipway/test/settings');
    expect(names).toHaveLength(written.length - 1);
    const read = Object.entries(stacksOf().parameters).flatMap(([id, { Type, Default }]) =>
      Type === 'AWS::SSM::Parameter::Value<String>' && id !== 'BootstrapVersion' ? [Default] : [],
    );
    expect(read).toHaveLength(names.length);
    expect(new Set(read)).toEqual(new Set(names));
    expect(names).toContain('/slipway/test/data/tableName');
    expect(JSON.stringify([...stacksOf().stacks])).not.toContain('Fn::ImportValue');
  });

  it('has the table as the last of it: its protection would stop a creation that failed from being undone', () => {
    const [[tableId, table] = []] = resources('data').filter(
      ([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable',
    );
    const others = resources('data').filter(([, { Type }]) => KEPT.includes(Type));
    const ids = others.map(([id]) => id).filter((id) => id !== tableId);
    expect(table?.DependsOn).toEqual(expect.arrayContaining(ids));
    expect(table?.Properties).toMatchObject({
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [
        expect.objectContaining({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
  });

  it('has no versions of what builds have to do: it holds credentials, and what is deleted there is gone', () => {
    const buckets = new Map(resources('data').filter(([, { Type }]) => Type === 'AWS::S3::Bucket'));
    const [[, jobs] = []] = [...buckets].filter(([id]) => id.startsWith('StorageJobs'));
    expect(jobs?.Properties).toMatchObject({
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 1, Status: 'Enabled' }] },
    });
    const versioned = [...buckets].filter(([, { Properties }]) => 'VersioningConfiguration' in Properties);
    expect(versioned.map(([id]) => id)).toEqual([expect.stringMatching(/^StorageBucket/)]);
  });

  it('has uploads for a day unless a request names one: it is copied then', () => {
    const [[, files] = []] = resources('data').filter(
      ([id, { Type }]) => Type === 'AWS::S3::Bucket' && id.startsWith('StorageBucket'),
    );
    const pending = {
      Prefix: 'pending/',
      ExpirationInDays: 1,
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    };
    expect(files?.Properties).toMatchObject({
      LifecycleConfiguration: { Rules: expect.arrayContaining([expect.objectContaining(pending)]) },
    });
    expect(JSON.stringify(files?.Properties)).not.toMatch(/"Prefix":"(pinned|artifacts)/);
  });
}
