import type { z } from 'zod';
import { matchUnmatched, repeatUnmatched, returnUnmatched, settleUnmatched } from '../bank/credit-actions.ts';
import { acceptStatementGap, explain, recover, undoClaim, writeOff } from '../bank/debit-actions.ts';
import { importUpload } from '../bank/import-upload.ts';
import { rejectPayment } from '../bank/payment-actions.ts';
import { decideAddress, releaseAddressOf } from '../customers/address-actions.ts';
import { approve, askForMore, reject } from '../customers/review-actions.ts';
import {
  approveApplicationAction,
  changeOriginsAction,
  disableApplicationAction,
  registerApplicationAction,
  rotateSecretAction,
} from '../applications/actions.ts';
import {
  addOperatorAction,
  changeRoleAction,
  disableOperatorAction,
  enableOperatorAction,
  resetOperatorAction,
} from '../operators/actions.ts';
import { acceptRecall, refuseRecall } from '../bank/recall-actions.ts';
import { prepareSafeTransaction } from '../networks/prepare.ts';
import { signSafeTransaction } from '../networks/sign.ts';
import { withdrawSafeTransaction } from '../networks/withdraw.ts';
import { replayFailedWebhooks, replayWebhooks } from '../webhooks/replay.ts';
import { giveBack } from '../orders/give-back.ts';
import { acknowledge } from '../overview/acknowledge-breach.ts';
import type { Action } from './action.ts';

/** Every change that the console can make. */
export const actions = [
  giveBack,
  acknowledge,
  matchUnmatched,
  returnUnmatched,
  repeatUnmatched,
  settleUnmatched,
  rejectPayment,
  importUpload,
  explain,
  acceptStatementGap,
  recover,
  writeOff,
  undoClaim,
  acceptRecall,
  refuseRecall,
  approve,
  reject,
  askForMore,
  decideAddress,
  releaseAddressOf,
  registerApplicationAction,
  approveApplicationAction,
  rotateSecretAction,
  disableApplicationAction,
  changeOriginsAction,
  addOperatorAction,
  resetOperatorAction,
  changeRoleAction,
  disableOperatorAction,
  enableOperatorAction,
  prepareSafeTransaction,
  signSafeTransaction,
  withdrawSafeTransaction,
  replayWebhooks,
  replayFailedWebhooks,
] as const;

/** Name of an action. */
export type ActionName = (typeof actions)[number]['name'];

type ActionOf<Name extends ActionName> = Extract<(typeof actions)[number], { name: Name }>;

/** What the browser sends for an action. */
export type ActionInput<Name extends ActionName> = z.input<ActionOf<Name>['input']>;

/** What an action answers when it was carried out. */
export type ActionResult<Name extends ActionName> = Awaited<ReturnType<ActionOf<Name>['carryOut']>>;

const byName: ReadonlyMap<string, Action> = new Map(actions.map((action) => [action.name, action as unknown as Action]));

/** An action by its name; `undefined` when there is none. */
export function findAction(name: string): Action | undefined {
  return byName.get(name);
}
