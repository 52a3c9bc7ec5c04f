import { expect, it } from 'vitest';
import { configured, synthesised } from '../support/synthesised.ts';

const apiWith = (context: Record<string, unknown>) =>
  synthesised(context).all('AWS::ApiGatewayV2::Api')[0]?.[1].Properties;

it('the gateway lets pages of no other origin ask unless the settings name some', () => {
  expect(apiWith({ environment: 'test' })).not.toHaveProperty('CorsConfiguration');
});

it('the gateway answers preflights of the origins that the settings name', () => {
  expect(apiWith(configured)).toMatchObject({
    CorsConfiguration: {
      AllowOrigins: ['https://console.example', 'http://localhost:5173'],
      AllowMethods: expect.arrayContaining(['GET', 'POST', 'PATCH']),
      AllowHeaders: expect.arrayContaining(['X-Api-Key', 'X-Tenant-Id', 'Idempotency-Key', 'If-Match']),
      ExposeHeaders: ['ETag', 'Idempotent-Replayed', 'Retry-After', 'X-Request-Id'],
      MaxAge: 3600,
    },
  });
});

it('what is no origin is refused', () => {
  expect(() => apiWith({ environment: 'test', corsOrigins: 'console.example' })).toThrow(
    /corsOrigins|an origin is/,
  );
});
