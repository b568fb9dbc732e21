import type { SignerReserve } from '../../ledger/lanes/signer-amounts.ts';
import { chainTable } from '../../platform/chain-table.ts';
import { tokenDecimals } from '../../platform/money.ts';
import { titleOf } from '../../problems/catalogue.ts';
import { entryOf, type JudgedProblem } from '../../problems/problem.ts';
import type { ServiceStatus } from '../../problems/read-status.ts';

/** The state of the service as `mintrail status` shows it. */
export function renderStatus({ ok, problems, warnings, components, orders, openLegs, failingWebhooks }: ServiceStatus) {
  return {
    ok,
    problems: [...problems, ...warnings].map(renderProblem),
    components: components.map(({ component, chain, ok, ageSeconds, facts }) => ({
      component,
      chain,
      ok,
      ageSeconds,
      head: textOf(facts['head']),
      block: textOf(facts['block']),
      behind: blocksBehind(facts),
      lanes: lanesOf(facts),
    })),
    orders,
    openLegs,
    failingWebhooks: failingWebhooks.length,
  };
}

/** What a signer has left of its gas money or of an allowance, in whole units, and for how many days that lasts. */
export function renderSignerReserve({ chain, signer, resource, amount, perDay }: SignerReserve) {
  const isGas = resource === 'gas';
  const { symbol, decimals } = isGas ? chainTable[chain].currency : { symbol: resource, decimals: tokenDecimals };
  return {
    chain,
    signer,
    resource,
    symbol,
    left: inWholeUnits(amount, decimals),
    perDay: inWholeUnits(perDay, decimals),
    days: perDay === 0n ? null : Number(amount / perDay),
  };
}

/** A problem as the console shows it, with the page on which it is acted on. */
export function renderProblem({ kind, chain, subject, severity, overdue, since, text }: JudgedProblem) {
  const entry = entryOf(kind);
  return {
    kind,
    title: titleOf(entry),
    for: entry.for,
    page: entry.page ?? null,
    chain,
    subject,
    severity,
    overdue,
    text,
    since: since.toISOString(),
  };
}

interface Lane {
  signer: string;
  held: boolean;
  inFlight: number;
  nonceGaps: number;
  outage: string | null;
}

/** The lanes of a chain worker's heartbeat (src/workers/lanes/lane.ts). */
function lanesOf({ lanes }: Record<string, unknown>): Lane[] {
  return Array.isArray(lanes) ? (lanes as Lane[]) : [];
}

function blocksBehind({ head, block }: Record<string, unknown>): string | null {
  if (typeof head !== 'string' || typeof block !== 'string') return null;
  return String(BigInt(head) > BigInt(block) ? BigInt(head) - BigInt(block) : 0n);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** A decimal without zeros at its end. */
function inWholeUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
