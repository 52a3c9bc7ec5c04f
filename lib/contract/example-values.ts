/** Things that the examples share. */
export const DEPLOYMENT = '01a1fdde-183f-7459-a5df-eeba818f4fc2';
export const REVISION = '01a1fdde-183f-7459-a5df-eaaa00000001';
export const LISTENER = '01a1fdd0-5b1e-7c3d-9f00-3d5a7c1e9b42';
export const TENANT = '6f1c2a54-9d0e-4b7a-8a53-0f6d1c9e2b71';
export const ORGANIZATION = '0d9b6c1e-4f2a-4c83-9b7d-5e8f1a2c3d40';
export const USER = '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0';
export const REPOSITORY_URL = 'https://git.example/team/support-agent.git';
export const CREATED = '2026-11-21T11:29:13.279Z';
export const CHANGED = '2026-11-21T11:29:14.102Z';

/** What a list shows: one of them, and where the next page begins. */
export const page = (resource: object) => ({ response: { resources: [resource], offset: 1 } });
