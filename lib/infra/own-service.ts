import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** A service that works for this account: another account cannot have it take a role of ours. */
export const ownService = (scope: Construct, service: string): ServicePrincipal =>
  new ServicePrincipal(service, {
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });
