import { custom } from 'viem';
import { createBlockHeights } from '../../../src/chain/endpoints/block-heights.ts';
import { createEndpointHealth } from '../../../src/chain/endpoints/endpoint-health.ts';
import { createHead } from '../../../src/chain/head.ts';
import { rpcOver } from '../../../src/chain/endpoints/rpc.ts';
import type { Signer } from '../../../src/chain/signers/signer.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { chainIds } from '../../../src/platform/chains.ts';
import { RetryError } from '../../../src/platform/errors.ts';
import { createLog, type Log } from '../../../src/platform/log.ts';
import type { NetworkSettings } from '../../../src/platform/settings.ts';
import { createNetworkAlarms } from '../../../src/workers/network-alarms.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { createLane } from '../../../src/workers/lanes/lane.ts';
import { createSettler } from '../../../src/workers/settler.ts';
import { createEndpointAnswers } from '../../../src/chain/evidence/endpoint-answers.ts';
import { createEvidence } from '../../../src/chain/evidence/evidence.ts';
import { clientOf, type Request, type SimulatedEndpoint } from '../node/endpoint.ts';
import type { MortalProcess } from './mortal-process.ts';

/** The worker of a network, whose parts take their turns when the simulation lets them. */
export interface SimulatedWorker {
  process: MortalProcess;
  /** Asks for the newest block. */
  poll(): Promise<void>;
  /** Gives each lane and the settler a turn. What a turn throws is what its loop would log. */
  turn(): Promise<void>;
  /** Writes the heartbeat. */
  beat(): Promise<void>;
}

interface WorkerOptions {
  process: MortalProcess;
  /** Names this run of the worker. */
  instance: string;
  network: NetworkSettings;
  endpoints: readonly SimulatedEndpoint[];
  signerKeys: readonly string[];
  /** Whether the service that keeps the keys answers. */
  signs: () => boolean;
  now: () => number;
  log: Log;
  /** Called with what a turn of a living process threw. */
  onError: (part: string, error: unknown) => void;
}

/** Turns of a lane, in one of which it looks for what is ready without having left anything: nothing wakes it. */
const turnsPerLook = 3;

/** No time passes in a run, which then counts as 500 ms: all sent legs are looked at again after 20 seconds, and new outcomes meanwhile. */
const restFactor = 40;

/** Starts the real lanes and the real settler in a process that may die, as `runChainWorker` does without timers. */
export function startSimulatedWorker({
  process,
  instance,
  network,
  endpoints,
  signerKeys,
  signs,
  now,
  log,
  onError,
}: WorkerOptions): SimulatedWorker {
  const pool = process.createPool(signerKeys.length + 4);
  const ledger: Ledger = createLedger(pool, wakesNobody);
  const connected = endpoints.map((endpoint) => endpoint.connect(process));
  const heights = createBlockHeights(network.blockTimeSeconds, now);
  const named = connected.map(({ name, request }) => {
    const blockNumber = () => request({ method: 'eth_blockNumber' });
    const chainId = async () => Number(await request({ method: 'eth_chainId' }));
    const health = createEndpointHealth({
      name,
      probe: { blockNumber, chainId },
      chainId: chainIds[network.chain],
      heights,
      rests: false,
      isAlone: connected.length === 1,
      now,
    });
    const send: Request = (call) => health.send(call, () => request(call));
    return { name, health, rpc: clientOf(send), transport: custom({ request: send as never }, { retryCount: 0 }) };
  });
  const rpc = rpcOver(named);
  const alarms = createAlarms(log, now);
  const head = createHead(rpc, log, {
    endpoints: named,
    blockTimeSeconds: network.blockTimeSeconds,
    now,
    onDoubt: (doubt) => {
      if (doubt === undefined) alarms.clear('endpoints_disagree', 'newest block');
      else alarms.raise('endpoints_disagree', 'newest block', doubt);
    },
  });
  const answers = createEndpointAnswers(head, { isOnlyEndpoint: named.length === 1 });
  const evidence = createEvidence(network, named, answers);
  const shared = { ledger, directPool: pool, rpc, endpoints: named, answers, evidence, network, head, log, alarms, now };
  const lanes = signerKeys.map((key) => createLane({ ...shared, signer: mayFail(createKeySigner(key), signs) }));
  const settler = createSettler({ ...shared, restFactor });
  const checkNetwork = createNetworkAlarms({ ...shared, lanes: () => lanes.map((lane) => lane.facts()) });

  let turns = 0;
  const attempt = async (part: string, work: () => Promise<unknown>) => {
    if (!process.isAlive()) return;
    try {
      await work();
    } catch (error) {
      if (process.isAlive()) onError(part, error);
    }
    await process.settleConnections();
  };

  return {
    process,
    poll: () => attempt('head', () => head.poll()),
    async turn() {
      turns += 1;
      // Most blocks only have a running lane track its transactions.
      for (const lane of lanes) await attempt('lane', () => lane.turn(lane.hasLeft() || turns % turnsPerLook === 0));
      await attempt('settler', () => settler.turn());
    },
    async beat() {
      await attempt('heartbeat', async () => {
        checkNetwork();
        const outage = head.outage() ?? null;
        const number = head.number();
        const ok = outage === null && number !== undefined;
        const facts = { ok, head: number?.toString() ?? null, outage, lanes: lanes.map((lane) => lane.facts()), alarms: alarms.list() };
        await recordHeartbeat(ledger, { component: 'worker', chain: network.chain, instance, facts });
      });
    },
  };
}

function mayFail(signer: Signer, signs: () => boolean): Signer {
  const check = () => {
    if (!signs()) throw new RetryError({ code: 'signer_unreachable', message: 'the key service does not answer' });
  };
  return {
    ...signer,
    async sign(transaction) {
      check();
      return signer.sign(transaction);
    },
    async signTypedData(typedData) {
      check();
      return signer.signTypedData(typedData);
    },
  };
}

/** The log of a simulation: silent, or shown when `SIMULATION_LOG` names a level. */
export function simulationLog(): Log {
  return createLog(globalThis.process.env.SIMULATION_LOG ?? 'silent');
}
