import { isAddressEqual } from 'viem';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { safeVersion } from '../../chain/deploy/safe-contracts.ts';
import { addressUrl, chainFacts } from '../../platform/chains.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { type CreatedSafe, type CreateSafeOptions, createSafeOnce, type SafeIntention } from './creation.ts';

/** `mintrail safe create`. Throws what `createSafeOnce` throws, and `not_confirmed`. */
export async function createSafe(options: CreateSafeOptions): Promise<void> {
  const { chain, json = false, yes = false } = options;
  requireYesWithJson({ json, yes });
  const { name } = chainFacts(chain);
  const confirmOnTerminal = async (intention: SafeIntention) => {
    if (!json) print(announcement(options, intention).join('\n'));
    if (yes) return;
    if (intention.step === 'deploy contracts') return confirmOrStop("Deploy Safe's contracts on this local chain?");
    if (!intention.exists) await confirmOrStop(`Create this Safe on ${name}?`);
  };
  const created = await translateRpcErrors(() => createSafeOnce(options, process.env, confirmOnTerminal));
  if (json) return print(renderJson({ chain, safe: created.address, created: created.created, block: created.block, ...created.safe }));
  print(outcome(options, created).join('\n'));
}

function announcement({ chain, owner, threshold }: CreateSafeOptions, intention: SafeIntention): string[] {
  const { name, id } = chainFacts(chain);
  if (intention.step === 'deploy contracts')
    return [
      `This chain has no contracts of Safe. The endpoint ${intention.endpoint} is a local chain (Anvil), so they will be deployed at their canonical addresses first.`,
      '',
    ];
  const { address, payer, exists } = intention;
  return [
    `network    ${name}, chain id ${id}`,
    `Safe       ${address} ${exists ? 'exists already' : 'will be created'}`,
    `version    ${exists?.version ?? safeVersion}`,
    ...owner.map((account) => `owner      ${account}`),
    `threshold  ${threshold} of ${owner.length} must sign`,
    `payer      ${payer}, which gets no right in the Safe`,
    ...(threshold === 1 ? ['note       a single owner decides alone: consider a higher threshold'] : []),
    ...(threshold === owner.length && threshold > 1
      ? ['note       all owners must sign: a lost key would end the administration for good, so consider one owner more']
      : []),
  ];
}

function outcome({ chain, owner, threshold }: CreateSafeOptions, { address, created, safe }: CreatedSafe): string[] {
  const hasChanged =
    safe.threshold !== threshold ||
    safe.owners.length !== owner.length ||
    !owner.every((account) => safe.owners.some((present) => isAddressEqual(present, account)));
  return [
    '',
    created ? 'The Safe is created, with these owners.' : 'The Safe was created before; nothing was sent.',
    ...(hasChanged
      ? [
          `Its owners have changed it since: ${safe.threshold} of ${safe.owners.length} must sign now, and its owners are ${safe.owners.join(', ')}.`,
        ]
      : []),
    addressUrl(chain, address),
    `It can administer a token: mintrail token deploy --chain ${chain} --currency eur --admin ${address} --operator 0xSIGNER --mint-allowance 1000000`,
  ];
}
