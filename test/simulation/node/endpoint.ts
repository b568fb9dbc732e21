import { createPublicClient, custom, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import type { Rpc } from '../../../src/chain/endpoints/rpc.ts';
import type { FaultCounts } from '../faults.ts';
import type { Random } from '../random.ts';
import { type Block, blockAt, type BlockOptions, type Chain } from './chain.ts';
import { type EndpointFault, endpointFaults, type Spoiled } from './endpoint-faults.ts';
import { answerRequest, type JsonRpcAnswer } from './json-rpc.ts';

/** A time in which an endpoint fails in one way. Ticks are the blocks that would be made without stalls. */
export interface FaultWindow {
  fault: EndpointFault;
  fromTick: number;
  /** The first tick after it. */
  toTick: number;
  /** Of a single call. */
  probability: number;
}

/** A way to the chain: its own view of the tip, and its own faults. */
export interface SimulatedEndpoint {
  /** A client of this endpoint; `guard` stands before each request and after each answer, and may throw. */
  connect(guard: RequestGuard): { name: string; request: Request };
  /** Moves its view on. Called after each tick's blocks. */
  follow(tick: number, options: BlockOptions): void;
}

/** Sends a JSON-RPC request. */
export type Request = (request: { method: string; params?: unknown }) => Promise<unknown>;

/** Stands around each request of a process: `before` it reaches the node, and `after` the node has carried it out. */
export interface RequestGuard {
  before(label: string): Promise<void>;
  after(label: string): Promise<void>;
}

type Body = { method: string; params: unknown };

interface EndpointOptions {
  name: string;
  chain: Chain;
  /** A chain that this endpoint shows instead while it is connected to the wrong one. */
  otherChain: Chain;
  windows: readonly FaultWindow[];
  random: Random;
  faults: FaultCounts;
}

/** A viem client over one request function, as `createEndpoints` makes it over HTTP. */
export function clientOf(request: Request): Rpc {
  return createPublicClient({ transport: custom({ request: request as never }, { retryCount: 0 }), cacheTime: 0 });
}

/** Creates an endpoint of a chain. */
export function createSimulatedEndpoint({ name, chain, otherChain, windows, random, faults }: EndpointOptions): SimulatedEndpoint {
  const url = `http://${name}.invalid`;
  let tick = 0;
  let branch: Block | undefined;
  let frozen: Block | undefined;
  const repetitions = new Map<string, number>();

  const isOpen = ({ fromTick, toTick }: FaultWindow) => fromTick <= tick && tick < toTick;
  const isActive = (fault: EndpointFault) => windows.some((window) => window.fault === fault && isOpen(window));

  const view = (drawn: ReadonlySet<EndpointFault>): Block => {
    const tip = chain.tip();
    if (branch) return branch;
    if (frozen) return frozen;
    if (!drawn.has('stale view')) return tip;
    const behind = BigInt(random.integer(`behind at ${tick}`, 1, 5));
    return blockAt(tip, tip.number > behind ? tip.number - behind : 0n) ?? tip;
  };

  /** The faults that hit a call: by its content and how often it was sent in this tick, never by the order of calls. */
  const draw = (method: string, label: string): Set<EndpointFault> => {
    const repeated = repetitions.get(label) ?? 0;
    repetitions.set(label, repeated + 1);
    const drawn = new Set<EndpointFault>();
    for (const window of windows) {
      const { fault, probability } = window;
      if (!isOpen(window) || endpointFaults[fault].methods?.test(method) === false) continue;
      if (random.chance(`${fault} ${tick} ${label} ${repeated}`, probability)) drawn.add(fault);
    }
    for (const fault of drawn) if (endpointFaults[fault].spoil) faults.note(`endpoint: ${fault}`);
    return drawn;
  };

  const fail = (body: Body, spoiled: Exclude<Spoiled, { result: unknown }>): never => {
    if ('error' in spoiled) throw new RpcRequestError({ body, error: spoiled.error, url });
    if (spoiled.outage === 'timeout') throw new TimeoutError({ body, url });
    throw new HttpRequestError({ body, url, status: 503, details: 'Service Unavailable' });
  };

  const settle = (body: Body, answer: JsonRpcAnswer | Spoiled): unknown => ('result' in answer ? answer.result : fail(body, answer));

  return {
    connect: (guard) => ({
      name,
      async request({ method, params = [] }) {
        const body = { method, params };
        const label = `${method} ${JSON.stringify(params)}`;
        await guard.before(method);
        const drawn = draw(method, label);
        const spoilers = [...drawn].map((fault) => endpointFaults[fault]);
        for (const { spoil, isBefore } of spoilers) {
          const spoiled = isBefore
            ? spoil?.({ method, params: params as unknown[], random: random.of(`${tick} ${label}`), chain })
            : undefined;
          if (spoiled) return settle(body, spoiled);
        }
        const isElsewhere = isActive('other chain');
        if (isElsewhere) faults.note('endpoint: other chain');
        let answer: JsonRpcAnswer | Spoiled = isElsewhere
          ? answerRequest(otherChain, otherChain.tip(), method, params as unknown[])
          : answerRequest(chain, view(drawn), method, params as unknown[]);
        await guard.after(method);
        for (const { spoil, isBefore } of spoilers) {
          if (isBefore) continue;
          answer = spoil?.({ method, params: params as unknown[], random: random.of(`${tick} ${label}`), chain, answer }) ?? answer;
        }
        return settle(body, answer);
      },
    }),
    follow(newTick, options) {
      tick = newTick;
      repetitions.clear();
      if (!isActive('own fork')) branch = undefined;
      else {
        const tip = chain.tip();
        branch = chain.fork(branch ?? blockAt(tip, tip.number - BigInt(random.integer(`fork at ${tick}`, 1, 2))) ?? tip, {
          ...options,
          fork: name,
          isEmpty: random.chance(`empty at ${tick}`, 0.5),
        });
        faults.note('endpoint: own fork');
      }
      if (!isActive('frozen')) frozen = undefined;
      else {
        frozen ??= chain.tip();
        faults.note('endpoint: frozen');
      }
    },
  };
}
