/**
 * Files that take far longer than others of their group (or far less), in milliseconds on a quiet machine: for the order on a clean clone,
 * where nothing has been measured yet.
 */
export const longFilesMs: Record<string, number> = {
  'test/scenarios/operations-tour.test.ts': 250_000,
  'test/workers/signatures-outage.test.ts': 30_000,
  'test/cli/token/safe.test.ts': 18_000,
  'test/cli/token/change.test.ts': 25_000,
  'test/contracts/contracts.test.ts': 20_000,
  'test/workers/lanes/lane.test.ts': 20_000,
  'test/workers/lanes/signers.test.ts': 20_000,
  'test/platform/queue/postgres-outages.test.ts': 20_000,
  'test/platform/queue/postgres.test.ts': 16_000,
  'test/platform/queue/redis.test.ts': 16_000,
  'test/chain/signatures/verify-outage.test.ts': 16_000,
  'test/simulation/simulation.test.ts': 25_000,
  'test/workers/webhooks/sender.test.ts': 12_000,
  'test/api/orders/order-stream.test.ts': 9_000,
  'test/scenarios/mixed-orders-under-fire.test.ts': 60_000,
  'test/scenarios/fork.test.ts': 70_000,
  'test/scenarios/sandbox.test.ts': 36_000,
  'test/scenarios/newcomers.test.ts': 25_000,
  'test/scenarios/hosted.test.ts': 4_000,
  'test/scenarios/passkeys.test.ts': 6_000,
};
