import { setTimeout as delay } from 'node:timers/promises';
import { processesBelow, proportionalMegabytes } from '../../bench/processes.ts';
import { formatEther } from 'viem';
import { createGasMeter, type GasSpent } from './gas-meter.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';
import { createSender } from './sender.ts';
import { clientToken, type Target } from './targets.ts';

/** What a row cost both sides, and what somebody honest had meanwhile. */
export interface Figures {
  row: string;
  target: string;
  /** What it cost who attacks. */
  requests: number;
  kilobytes: number;
  seconds: number;
  /** What it cost the service: processor time, and the most memory above that of the beginning. */
  processorSeconds: number;
  megabytes: number;
  /** What operators paid for on chain meanwhile. */
  gas: GasSpent;
  /** How often each status was answered. */
  answers: Record<string, number>;
  /** The answers to an application that goes on with its work, by status, and the slowest of them in milliseconds. */
  honest: Record<string, number>;
  slowestHonestMs: number;
  /** What of others it harmed; empty when all is well. */
  harm: string[];
  /** How it cost the service more than it may: a measure of this machine too, so only where nothing else runs on it. */
  excesses: string[];
}

/** Processors that the service uses by itself and for who is honest, whatever is sent to it: a sandbox makes blocks, and indexes them. */
const ownProcessors = 0.6;

/** Pause between two requests of the honest application: below the limits of production. */
const honestPauseMs = 250;

/** Rare enough that to read the figures of all processes leaves the processor to what is measured. */
const samplingMs = 500;

const noGas: GasSpent = { transactions: 0, gas: 0n, wei: 0n };

/** Runs a row, and measures. What is honest comes from another address of this machine. */
export async function judge(target: Target, row: Row, times: number): Promise<Figures> {
  const { clientId, clientSecret } = target.application;
  const authorization = `Bearer ${await clientToken(target.apiUrl, clientId, clientSecret)}`;
  const senderTo = (url = target.apiUrl) => createSender(url, rows.indexOf(row) + 1);
  const [api, console, readers] = [senderTo(), senderTo(target.consoleUrl), senderTo(target.readersUrl)];
  const gasSpent = target.network ? await createGasMeter(target.network.rpc, target.network.operators) : () => Promise.resolve(noGas);
  const before = measure(target);
  let most = before.megabytes;
  const honest = new Map<number, number>();
  let slowest = 0;
  const startedAt = Date.now();
  const end = new AbortController();
  const work = async () => {
    do {
      const askedAt = Date.now();
      const { status } = await fetch(`${target.apiUrl}/auth/context`, { headers: { authorization } });
      honest.set(status, (honest.get(status) ?? 0) + 1);
      slowest = Math.max(slowest, Date.now() - askedAt);
      await delay(honestPauseMs);
    } while (!end.signal.aborted);
  };
  const sampling = setInterval(() => (most = Math.max(most, measure(target).megabytes)), samplingMs);
  const attack = row.run({ target, api, console, readers, authorization, gasSpent }, times).finally(() => end.abort());
  const [harm] = await Promise.all([attack, work()]).finally(() => clearInterval(sampling));
  const after = measure(target);
  const senders = [api, console, readers];
  const statuses = senders.flatMap(({ statuses: each }) => [...each]);
  const requests = senders.reduce((sum, sender) => sum + sender.requests, 0);
  const seconds = (Date.now() - startedAt) / 1_000;
  const processorSeconds = after.processorSeconds - before.processorSeconds;
  const megabytes = Math.round(most - before.megabytes);
  const mostSeconds = (requests * row.bound.processorMs) / 1_000 + seconds * ownProcessors;
  return {
    row: row.name,
    target: target.name,
    requests,
    kilobytes: Math.round(senders.reduce((sum, sender) => sum + sender.bytes, 0) / 1_000),
    seconds,
    processorSeconds: Math.round(processorSeconds * 10) / 10,
    megabytes,
    gas: await gasSpent(),
    answers: Object.fromEntries(statuses),
    honest: Object.fromEntries(honest),
    slowestHonestMs: slowest,
    harm: harm ?? [],
    excesses: [
      ...(processorSeconds > mostSeconds
        ? [`it cost ${processorSeconds.toFixed(1)} s of processors, more than ${mostSeconds.toFixed(1)}`]
        : []),
      ...(megabytes > row.bound.megabytes ? [`it cost ${megabytes} MB, more than ${row.bound.megabytes}`] : []),
    ],
  };
}

/** One line for a row. */
export function renderFigures(figures: Figures): string {
  const { row, target, requests, kilobytes, seconds, processorSeconds, megabytes, gas, answers, honest, slowestHonestMs } = figures;
  return `${target}: ${row}: ${requests} requests, ${kilobytes} kB, ${seconds.toFixed(1)} s cost ${processorSeconds} s of processors and ${megabytes} MB${gasText(gas)}; answers ${countsText(answers)}; honest ${countsText(honest)}, slowest ${slowestHonestMs} ms`;
}

function gasText({ transactions, gas, wei }: GasSpent): string {
  return transactions === 0 ? '' : `, ${transactions} transactions with ${gas} gas, for which the operator paid ${formatEther(wei)}`;
}

function countsText(byStatus: Record<string, number>): string {
  return Object.entries(byStatus)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
}

function measure(target: Target) {
  const pids = new Set(target.pids());
  const processes = processesBelow(process.pid).filter(({ pid }) => pids.has(pid));
  return {
    processorSeconds: processes.reduce((sum, { cpu }) => sum + cpu, 0),
    // What processes share counts once: each of PostgreSQL's has its cache of pages mapped.
    megabytes: processes.reduce((sum, { pid }) => sum + proportionalMegabytes(pid), 0),
  };
}
