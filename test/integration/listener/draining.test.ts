import { expect, it } from 'vitest';
import { FakeControlPlane } from './fake-control-plane.ts';
import { deploy, scriptTarball, startProgram } from './listener-program.ts';

/** Its answer begins, and never ends. */
const ENDLESS = `
require('node:http')
  .createServer((request, response) => {
    if (request.url === '/ok') response.end();
    else response.write('begun');
  })
  .listen(Number(process.env.PORT), process.env.HOST);
`;

it('gives requests at a replaced server the time that the deployment wishes', async () => {
  const controlPlane = await new FakeControlPlane().start();
  const program = await startProgram(controlPlane, ['--drain-seconds', '3600']);
  const tarball = await scriptTarball(ENDLESS);
  const { deployment_id, deployment_name } = await deploy(controlPlane, tarball);
  const endless = await fetch(program.url(deployment_name, '/endless'));
  const read = endless.text().catch((error: unknown) => String(error));

  await deploy(controlPlane, tarball, { deployment_id, epoch: 3, drain_seconds: 0 });

  expect(await read).toContain('terminated');
});
