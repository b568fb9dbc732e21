import { translateRpcErrors } from '../../chain/node-answer.ts';
import { formatTokens } from '../../chain/token/amounts.ts';
import { addressUrl, chainFacts } from '../../platform/chains.ts';
import { toTokenUnits } from '../../platform/money.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { formatDuration, renderJson } from '../output.ts';
import { print } from '../print.ts';
import { type DeployOptions, deployToken, type Intention } from './deployment.ts';
import { tokenStateJson } from './show.ts';

/** `mintrail token deploy`. Throws what `deployToken` throws, and `not_confirmed`. */
export async function deploy(options: DeployOptions): Promise<void> {
  const { chain, currency, admin, json = false, yes = false } = options;
  requireYesWithJson({ json, yes });
  const confirmOnTerminal = async (intention: Intention) => {
    if (!json) print(announcement(options, intention).join('\n'));
    if (!intention.isDeployed.token && !yes) await confirmOrStop(`Deploy on ${chainFacts(chain).name}?`);
  };
  const { token, deployed, block, state, settings } = await translateRpcErrors(() => deployToken(options, process.env, confirmOnTerminal));
  if (json) return print(renderJson({ chain, currency, token, deployed, block, state: tokenStateJson(state), settings }));
  print(
    [
      '',
      deployed ? 'The token is deployed, and its state is as planned.' : 'The token was deployed before; nothing was sent.',
      addressUrl(chain, token),
      `Its admin is ${admin}; the deployer holds no role, and nothing has to be accepted.`,
      '',
      'Set:',
      '',
      ...settings,
    ].join('\n'),
  );
}

function announcement(
  { chain, currency, admin, mintAllowance, dailyMintLimit = mintAllowance, adminDelay, timelockDelay }: DeployOptions,
  { setup, safe, deployer, plan, isDeployed }: Intention,
): string[] {
  return [
    `network         ${chainFacts(chain).name}, chain id ${chainFacts(chain).id}`,
    `implementation  ${plan.implementation.address} ${statusOf(isDeployed.implementation)}`,
    `token           ${plan.token.address} ${statusOf(isDeployed.token)}`,
    `admin           ${admin}, ${safe ? `a Safe ${safe.version}, ${safe.threshold} of ${safe.owners.length}` : 'not a Safe'}; its role can be handed over after ${formatDuration(adminDelay)}`,
    ...(plan.timelock
      ? [
          `timelock        ${plan.timelock.address} ${statusOf(isDeployed.timelock)}: upgrades and mint limits wait ${formatDuration(timelockDelay ?? 0)}`,
        ]
      : []),
    ...setup.operators.map(
      ({ account }) =>
        `operator        ${account}, may issue ${formatTokens(toTokenUnits(mintAllowance), currency)}, ${formatTokens(toTokenUnits(dailyMintLimit), currency)} a day`,
    ),
    ...setup.blockers.map((account) => `blocker         ${account}`),
    `deployer        ${deployer}, pays and holds no role`,
    ...(setup.operators.length === 0
      ? [
          'There is no operator: afterwards the admin gives one the role and an allowance, by mintrail token grant operator and mintrail token allowance.',
        ]
      : []),
    ...(safe?.threshold === 1 ? ['A single owner of this Safe decides alone: consider a higher threshold.'] : []),
  ];
}

function statusOf(isDeployed: boolean): string {
  return isDeployed ? 'is deployed already' : 'will be deployed';
}
