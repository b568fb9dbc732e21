import { redis } from './backend.ts';
import { describeQueues } from './fixture.ts';
import { testOutages } from './outages.ts';
import { testWakeUps } from './wake-ups.ts';

describeQueues(redis, (fixture) => {
  testWakeUps(fixture);
  testOutages(fixture);
});
