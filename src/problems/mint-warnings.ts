import { type Chain, chainFacts } from '../platform/chains.ts';
import {
  type Currency,
  formatAmount,
  type MinorUnits,
  type TokenUnits,
  toMinorUnits,
  toTokenUnits,
  tokenUnits,
} from '../platform/money.ts';
import type { Settings } from '../platform/settings.ts';
import type { ProblemKind } from './catalogue.ts';

/** An operator of a token, and what it may still issue. Amounts are token units. */
export interface Operator {
  address: string;
  allowance: TokenUnits;
  daily: TokenUnits;
  /** At this moment, by both limits. */
  mintable: TokenUnits;
  /** Used of the allowance in a day lately; undefined for one that another worker looks after. */
  usedPerDay?: TokenUnits | undefined;
}

/** The operators of a currency on a network, and what waits for them. */
export interface MintFacts {
  chain: Chain;
  currency: Currency;
  operators: readonly Operator[];
  waiting: MinorUnits;
}

/** A warning of limits that end. */
export interface MintWarning {
  kind: Extract<ProblemKind, 'allowance_low' | 'daily_limit_low'>;
  subject: string;
  /** What ends, and when. */
  detail: string;
  remedy: string;
}

/** Warns of mint allowances and daily mint limits that end soon, or that what waits to be issued exceeds. */
export function mintWarnings(
  facts: MintFacts,
  { allowanceDays, dailyLimitPercent }: Pick<Settings['warnAt'], 'allowanceDays' | 'dailyLimitPercent'>,
): MintWarning[] {
  return [
    ...exceededLimits(facts),
    ...facts.operators.flatMap((operator) => [
      ...(allowanceDays > 0 ? endingAllowance(facts, operator, BigInt(allowanceDays)) : []),
      ...(dailyLimitPercent > 0 ? endingDay(facts, operator, BigInt(dailyLimitPercent)) : []),
    ]),
  ];
}

/** What waits to be issued and the operators together may not issue. */
export function exceededLimits({ chain, currency, operators, waiting }: MintFacts): MintWarning[] {
  const needed = toTokenUnits(waiting);
  const sum = (limit: 'allowance' | 'mintable') => tokenUnits(operators.reduce((total, operator) => total + operator[limit], 0n));
  const what = (may: TokenUnits) =>
    `${money(needed, currency)} wait to be issued on ${chain}, and its operators may issue ${money(may, currency)}`;
  if (operators.length === 0) return [];
  if (sum('allowance') === 0n || sum('allowance') < needed) {
    const detail =
      waiting === 0n ? `nothing can be issued of ${currency} on ${chain}: no operator has any mint allowance` : what(sum('allowance'));
    return [{ kind: 'allowance_low', subject: currency, detail, remedy: raise(chain, currency) }];
  }
  if (sum('mintable') >= needed) return [];
  const detail = `${what(sum('mintable'))} before midnight UTC`;
  return [
    {
      kind: 'daily_limit_low',
      subject: currency,
      detail,
      remedy: `${raise(chain, currency)}; without that, what fits into the limit of a day goes after midnight UTC`,
    },
  ];
}

function endingAllowance(
  { chain, currency }: MintFacts,
  { address, allowance, daily, usedPerDay = tokenUnits(0n) }: Operator,
  days: bigint,
): MintWarning[] {
  // Its role was taken away, and its limits with it: the key may be stolen, and nobody is told to raise what it may issue.
  if (allowance === 0n && daily === 0n) return [];
  if (usedPerDay === 0n || allowance >= usedPerDay * days) return [];
  const detail = `${address} may issue ${money(allowance, currency)} more on ${chain}, which is used up in ${daysText(allowance / usedPerDay)} at the ${money(usedPerDay, currency)} a day of lately`;
  return [{ kind: 'allowance_low', subject: `${address} ${currency}`, detail, remedy: raise(chain, currency, address) }];
}

/** How much of the limit is used shows only where the allowance is not what bounds the operator. */
function endingDay({ chain, currency }: MintFacts, { address, allowance, daily, mintable }: Operator, percent: bigint): MintWarning[] {
  const used = daily - mintable;
  if (daily === 0n || mintable >= allowance || used * 100n < daily * percent) return [];
  const detail = `${address} has issued ${money(tokenUnits(used), currency)} of the ${money(daily, currency)} that it may issue on ${chain} in a day of UTC`;
  const remedy = `if more is to come before midnight, ${raise(chain, currency, address)}`;
  return [{ kind: 'daily_limit_low', subject: `${address} ${currency}`, detail, remedy }];
}

/** Warns of gas money that does not last; undefined while it does. Amounts are wei. */
export function gasWarning(
  { chain, signer, balance, usedPerDay }: { chain: Chain; signer: string; balance: bigint; usedPerDay: bigint },
  { gasDays }: Pick<Settings['warnAt'], 'gasDays'>,
): string | undefined {
  if (gasDays === 0 || usedPerDay === 0n || balance >= usedPerDay * BigInt(gasDays)) return undefined;
  return `${signer} holds ${coins(chain, balance)} for gas, which is used up in ${daysText(balance / usedPerDay)} at the ${coins(chain, usedPerDay)} a day of lately: send it more`;
}

/** The remedy: the admin raises what an operator may issue. */
function raise(chain: Chain, currency: Currency, operator = 'OPERATOR'): string {
  return `have the admin raise it, \`mintrail token allowance ${operator} AMOUNT --chain ${chain} --currency ${currency} --daily-mint-limit AMOUNT\``;
}

function money(amount: TokenUnits, currency: Currency): string {
  return `${formatAmount(toMinorUnits(amount))} ${currency.toUpperCase()}`;
}

/** Four digits that matter: nobody refills by the wei. */
function coins(chain: Chain, wei: bigint): string {
  const { symbol, decimals } = chainFacts(chain).currency;
  return `${Number((Number(wei) / 10 ** decimals).toPrecision(4))} ${symbol}`;
}

function daysText(days: bigint): string {
  if (days === 0n) return 'less than a day';
  return days === 1n ? '1 day' : `${days} days`;
}
