import { MintrailError } from '../../../platform/errors.ts';
import { type MinorUnits, minorUnits, tokenUnits, toMinorUnits } from '../../../platform/money.ts';
import { mayActOn, type ProfileOwnership } from '../../access/permissions.ts';
import type { NewRedemption, RedemptionDraft } from './insert-redemptions.ts';
import { messageUsed, orderConflict, requireBalance, requireDocument, requireRedeemer } from '../redemption-rules.ts';
import type { ExistingOrder, Holdings, RequestFacts } from './read-facts.ts';
import { holderKey, messageKey, type PlacementResult, type RedemptionRequest } from './redemption-request.ts';

/**
 * What is decided of a request: its result, or that it is placed with the others, or that it is identical to one before it that is, or that it is to be
 * decided alone.
 */
export type Decision = PlacementResult | { kind: 'place'; redemption: NewRedemption } | { kind: 'same as'; id: string } | { kind: 'alone' };

/** What decisions rest on: facts of each request, in their order, and what several of them share. */
export interface DecisionFacts {
  ofRequests: readonly RequestFacts[];
  holdings: Holdings;
  /** By id. */
  existing: ReadonlyMap<string, ExistingOrder>;
}

/**
 * Decides of requests in the order of their arrival, as if each were placed before the next one is looked at: two of one holder cannot spend the same
 * tokens, and of two with one id or one message only the first is placed. What is not placed reserves nothing: the signature of a contract account is
 * requested afterwards, and reserves then ({@link requestRedemption}). A lost redemption among several is to be decided alone.
 */
export function decideRequests(requests: readonly RedemptionRequest[], { ofRequests, holdings, existing }: DecisionFacts): Decision[] {
  const placed = new Map<string, Placed>();
  const usedMessages = new Set<string>();
  const spent = new Map<string, bigint>();

  const decideNew = (request: RedemptionRequest, facts: RequestFacts): Decision => {
    const { caller, actor, problems, isSignedByKey } = request;
    const problem = facts.isLost ? problems.ofLost : problems.ofNew;
    if (problem !== undefined) throw problem;
    if (facts.isIdIssued) throw orderConflict();
    const profile = requireRedeemer(caller, request.draft.chain, facts.linked);
    requireDocument(caller, request.draft, facts.file);
    const draft: RedemptionDraft = { ...request.draft, profile };
    const available = facts.isLost ? undefined : availableTo(request, holdings, spent);
    if (facts.isMessageUsed || usedMessages.has(messageKey(draft))) throw messageUsed();
    if (available !== undefined) requireBalance(draft, available);
    if (!isSignedByKey && !facts.isLost) return { kind: 'to be signed', draft };
    placed.set(draft.id, { request, profile: facts.linked });
    usedMessages.add(messageKey(draft));
    spent.set(holderKey(draft), (spent.get(holderKey(draft)) ?? 0n) + BigInt(draft.amount));
    return { kind: 'place', redemption: { draft, actor, signature: isSignedByKey ? 'by key' : 'by contract' } };
  };

  return requests.map((request, index): Decision => {
    const facts = ofRequests[index] as RequestFacts;
    const { id } = request.draft;
    const [before, earlier] = [existing.get(id), placed.get(id)];
    if (before !== undefined) return repeatOf(request, before.requestHash, before.profile) ?? { kind: 'order', ...before, isNew: false };
    if (earlier !== undefined) return repeatOf(request, earlier.request.draft.requestHash, earlier.profile) ?? { kind: 'same as', id };
    if (facts.isLost && requests.length > 1) return { kind: 'alone' };
    try {
      return decideNew(request, facts);
    } catch (error) {
      if (error instanceof MintrailError) return { kind: 'error', error, hasSignatureRequest: facts.hasSignatureRequest };
      throw error;
    }
  });
}

interface Placed {
  request: RedemptionRequest;
  profile: ProfileOwnership | undefined;
}

/** What a holder may still spend. Throws when it cannot be known. */
export function availableTo(
  { draft, openingBalance }: Pick<RedemptionRequest, 'draft' | 'openingBalance'>,
  holdings: Holdings,
  spent: ReadonlyMap<string, bigint>,
): MinorUnits {
  const holding = holdings.get(holderKey(draft));
  if (holding === undefined) throw new Error(`Nothing was read of what ${holderKey(draft)} holds`);
  if (holding instanceof MintrailError) throw holding;
  if (openingBalance instanceof MintrailError) throw openingBalance;
  const held = toMinorUnits(tokenUnits(openingBalance + holding.units));
  return minorUnits(held - holding.reserved - (spent.get(holderKey(draft)) ?? 0n));
}

/** The error of a request whose id is taken; undefined for a repetition of the request that has taken it, by a caller who may see its order. */
function repeatOf(
  { caller, draft }: RedemptionRequest,
  requestHash: string | null,
  profile: ProfileOwnership | undefined,
): Decision | undefined {
  const isRepetition = requestHash === draft.requestHash && profile !== undefined && mayActOn(caller, profile);
  return isRepetition ? undefined : { kind: 'error', error: orderConflict(), hasSignatureRequest: false };
}
