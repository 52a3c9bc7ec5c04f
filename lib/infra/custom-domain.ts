import { CfnOutput } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { ALIAS_STAGE, type Api } from './api.ts';
import type { Settings } from './settings.ts';

/**
 * An address of one's own for the API, and under its path `api-host` the same once more. The name itself is
 * pointed there by hand.
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, { httpApi, stages }: Api) {
    super(scope, id);
    const { domainName = '', certificateArn = '' } = settings;
    const domain = new CfnDomainName(this, 'Name', {
      domainName,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    for (const stage of stages) {
      const mapping = new CfnApiMapping(this, `${stage.node.id}Mapping`, {
        apiId: httpApi.apiId,
        domainName,
        stage: stage.stageName,
        ...(stage.stageName === ALIAS_STAGE && { apiMappingKey: ALIAS_STAGE }),
      });
      mapping.addResourceDependency(domain);
      mapping.addResourceDependency(stage);
    }
    new CfnOutput(this, 'Target', {
      description: `Point ${domainName} here`,
      value: domain.attrRegionalDomainName,
    });
  }
}
