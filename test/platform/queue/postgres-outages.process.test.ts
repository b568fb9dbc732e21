import { postgres } from './backend.ts';
import { describeOutages } from './outages.ts';

describeOutages(postgres);
