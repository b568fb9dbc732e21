import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';
import { type Prism, startPrism } from './prism.ts';
import { createWorld, send, type World } from './world.ts';

/** `npm run prism` alone fetches it. */
describe.skipIf(process.env['PRISM'] !== 'on')('requests and answers, compared with the OpenAPI document by Prism', () => {
  let world: World;
  let prism: Prism;

  beforeAll(async () => {
    world = await createWorld();
    prism = await startPrism(world.api);
    world.api.sendBy(prism.request);
  });
  afterAll(async () => {
    await prism?.close();
    await world?.close();
  });

  describe.each(Object.values(endpoints).flat())('$row', ({ row, answers }) => {
    const [method = '', template = ''] = row.split(' ');

    it.each(answers)('$status: $when', async ({ status, ask }) => {
      const asked = await ask(world);
      const answer = await send(world, method, asked.path ?? template, asked);
      expect(answer.status, answer.text).toBe(status);
    });
  });
});
