import { postgres } from './backend.ts';
import { describeWakeUps } from './wake-ups.ts';

describeWakeUps(postgres);
