import { redis } from './backend.ts';
import { describeOutages } from './outages.ts';

describeOutages(redis);
