import { randomBytes, randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { createSandboxRail } from '../../src/bank/sandbox-rail.ts';
import { type ApplicationRegistration, registerApplication } from '../../src/ledger/access/applications/register-application.ts';
import { approveApplication } from '../../src/ledger/access/applications/approve-application.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { takePaymentBatch } from '../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { assignIbans } from '../support/assign-ibans.ts';
import { decideProfile, type Decision } from '../../src/ledger/customers/profile-review.ts';
import { fillShares } from '../../src/ledger/customers/profile-shares.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { defaultMemo } from '../../src/platform/settings.ts';
import { createLog } from '../../src/platform/log.ts';
import { createWebhookMetrics } from '../../src/workers/webhooks/metrics.ts';
import { startWebhookSender } from '../../src/workers/webhooks/sender.ts';
import { creditTo } from '../support/credits.ts';
import { testSealer } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';
import type { Service } from './service.ts';

/** What the specification leaves to an operator, as its commands do it, and to banks, networks and the workers of the service. */
export function createOperator({ api, environment, deliver }: Service) {
  const { ledger } = api;
  return {
    /** `mintrail app create`. */
    register: (registration: Partial<ApplicationRegistration> & Pick<ApplicationRegistration, 'kind' | 'owner'>) =>
      registerApplication(ledger, { name: 'Corner Shop', redirectUris: [], origins: [], permission: 'read', ...registration }, environment),
    /** `mintrail app approve`. */
    approveApplication: (id: string) => approveApplication(ledger, id),
    /** `mintrail profile review`. */
    review: (profile: string, decision: Decision = { decision: 'approved' }) =>
      decideProfile(ledger, profile, decision, { by: 'operator' }),
    /** The identity provider tells what it knows of customers that were shared. */
    fillShares: () => fillShares(ledger, 100),
    /** The bank gives the numbers of IBANs that were requested. */
    async assignIbans() {
      await assignIbans(ledger);
    },
    /** Money arrives at an IBAN, in cents. Returns the id of its order. */
    async credit(iban: string, amount: bigint, chain: Chain): Promise<string> {
      const options = { source: 'bank', defaultMemo: defaultMemo(api.deps.settings), tokens: [`${chain}:eur`] };
      const [recorded] = await recordCredits(ledger, [creditTo(iban, amount)], options);
      return recorded?.orderId ?? '';
    },
    /** Networks and banks carry out all that is due, until nothing is; networks refuse it with a reason. */
    async carryOut(refused: string | null = null): Promise<void> {
      for (;;) {
        const legs = await ledger
          .selectFrom('legs')
          .where('state', '=', 'ready')
          .where('kind', 'in', ['redeem', 'issue'])
          .select('id')
          .execute();
        const outcome = () => ({ txHash: `0x${randomBytes(32).toString('hex')}` as const, blockNumber: 9n, refused });
        await settleLegs(
          ledger,
          legs.map(({ id }) => ({ legId: id, ...outcome() })),
        );
        const { made } = await makePaymentsOfLegs(ledger, 100);
        await takePaymentBatch(ledger, createSandboxRail());
        if (legs.length + made === 0) break;
      }
    },
    /** The webhook worker hands the events that happened so far to the subscriptions that are active now. */
    dispatch: () => dispatchEvents(ledger, 1_000),
    /** Lets it send until the receiver has what is asked for. */
    async tell(isTold: () => boolean): Promise<void> {
      await dispatchEvents(ledger, 1_000);
      const metrics = createWebhookMetrics(new Registry());
      const sender = startWebhookSender({ ledger, sealer: testSealer, log: createLog('silent'), deliver, metrics });
      await until('the receiver is told', async () => isTold() || undefined);
      await sender.close();
    },
    newEmail: () => `${randomUUID()}@example.com`,
  };
}
