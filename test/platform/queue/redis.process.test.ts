import { redis } from './backend.ts';
import { describeWakeUps } from './wake-ups.ts';

describeWakeUps(redis);
