import type { z } from 'zod';
import { matchUnmatched } from './bank/unmatched/match.ts';
import { repeatUnmatched } from './bank/unmatched/repeat.ts';
import { returnUnmatched } from './bank/unmatched/return.ts';
import { settleUnmatched } from './bank/unmatched/settle.ts';
import { acceptStatementGap, explain, recover, undoClaim, writeOff } from './bank/debits.ts';
import { importUpload } from './bank/import-upload.ts';
import { notBooked } from './bank/not-booked.ts';
import { rejectPayment } from './bank/payments.ts';
import { decideAddress, releaseAddressOf } from './customers/addresses.ts';
import { approve, askForMore, reject } from './customers/reviews.ts';
import {
  approveApplicationVerb,
  changeOriginsVerb,
  disableApplicationVerb,
  registerApplicationVerb,
  rotateSecretVerb,
} from './applications/applications.ts';
import { addOperatorVerb, changeRoleVerb, disableOperatorVerb, enableOperatorVerb, resetOperatorVerb } from './operators/operators.ts';
import { acceptRecall, refuseRecall, undoAcceptedRecall } from './bank/recalls.ts';
import { prepareSafeTransaction } from './networks/prepare.ts';
import { signSafeTransaction } from './networks/sign.ts';
import { withdrawSafeTransaction } from './networks/withdraw.ts';
import { replayWebhooks } from './webhooks/replay.ts';
import { giveBack } from './orders/give-back.ts';
import { releaseHeld } from './orders/release.ts';
import { acknowledge } from './reserve/acknowledge-breach.ts';
import { acceptOutcomeVerb, applyRecovery, beginRecoveryVerb, setAsideVerb } from './recovery/recovery.ts';
import { resetUserFactors, signOutUser } from './users/access.ts';
import { StopError } from '../platform/errors.ts';
import type { Verb } from './verb.ts';

/** Every change that operators make in the console. */
export const verbs = [
  giveBack,
  releaseHeld,
  acknowledge,
  matchUnmatched,
  returnUnmatched,
  repeatUnmatched,
  settleUnmatched,
  notBooked,
  rejectPayment,
  importUpload,
  explain,
  acceptStatementGap,
  recover,
  writeOff,
  undoClaim,
  acceptRecall,
  refuseRecall,
  undoAcceptedRecall,
  approve,
  reject,
  askForMore,
  decideAddress,
  releaseAddressOf,
  registerApplicationVerb,
  approveApplicationVerb,
  rotateSecretVerb,
  disableApplicationVerb,
  changeOriginsVerb,
  addOperatorVerb,
  resetOperatorVerb,
  changeRoleVerb,
  disableOperatorVerb,
  enableOperatorVerb,
  prepareSafeTransaction,
  signSafeTransaction,
  withdrawSafeTransaction,
  replayWebhooks,
  resetUserFactors,
  signOutUser,
  beginRecoveryVerb,
  applyRecovery,
  acceptOutcomeVerb,
  setAsideVerb,
] as const;

/** Name of a verb. */
export type VerbName = (typeof verbs)[number]['name'];

type VerbOf<Name extends VerbName> = Extract<(typeof verbs)[number], { name: Name }>;

/** What the browser sends for a verb. */
export type VerbInput<Name extends VerbName> = z.input<VerbOf<Name>['input']>;

/** What a verb answers when it was carried out. */
export type VerbResult<Name extends VerbName> = Awaited<ReturnType<VerbOf<Name>['carryOut']>>;

const byName: ReadonlyMap<string, Verb> = new Map(verbs.map((verb) => [verb.name, verb as unknown as Verb]));

/** A verb by its name; `undefined` when there is none. */
export function findVerb(name: string): Verb | undefined {
  return byName.get(name);
}

/** A verb by its name. Throws `not_found`. */
export function requireVerb(name: string): Verb {
  const verb = findVerb(name);
  if (verb) return verb;
  throw new StopError({ code: 'not_found', message: `The console has no action ${name}: load it again, it may be of another version` });
}
