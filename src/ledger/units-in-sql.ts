import { sql } from 'kysely';
import { tokenUnitsPerMinorUnit } from '../platform/money.ts';

/** Token units of one minor unit, for amounts that SQL compares with those of the chain. */
export const unitsPerMinorUnit = sql.raw(`${tokenUnitsPerMinorUnit}::numeric`);
