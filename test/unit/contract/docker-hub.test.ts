import { expect, it } from 'vitest';
import { isOnDockerHub } from '../../../lib/contract/images/docker-hub.ts';

it.each([
  ['python', true],
  ['python:3.13', true],
  ['me/app@sha256:1f', true],
  ['docker.io/me/app', true],
  ['index.docker.io/library/python', true],
  ['registry-1.docker.io:443/me/app', true],
  ['Docker.io/me/app', true],
  ['localhost/app', false],
  ['mirror:5000/app', false],
  ['public.ecr.aws/docker/library/python', false],
  ['docker.io.example/me/app', false],
  ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/slipway/a/b', false],
])('%s lies on Docker Hub: %s', (image, expected) => {
  expect(isOnDockerHub(image)).toBe(expected);
});
