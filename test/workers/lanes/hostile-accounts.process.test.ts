import { type Address, parseEventLogs } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';
import { deployWallet } from '../../support/chain/wallets.ts';
import { createRedeemer, giveTokens, placeTestRedemption, type Redeemer } from '../../support/redemptions.ts';

let lane: SteppedLane;

beforeAll(async () => {
  lane = await startSteppedLane();
});

afterAll(() => lane.close());

/** Signs by a wallet: of its owner's key, or one that burns all the gas it is given. */
async function byWallet(wallet: 'OwnerWallet' | 'BurningWallet'): Promise<Redeemer> {
  const owner = await createRedeemer(lane.ledger);
  const address = await deployWallet(lane.network.rpc, wallet, wallet === 'OwnerWallet' ? owner.address : undefined);
  return { ...owner, address, signature: 'by contract' };
}

const addresses = (accounts: Redeemer[]) => accounts.map(({ address }) => address.toLowerCase()).toSorted();

it('accounts that burn their gas hold up nobody: honest orders are carried out within 10 blocks, and of theirs one each is tried', async () => {
  const honest = await Promise.all(Array.from({ length: 20 }, () => createRedeemer(lane.ledger)));
  honest.push(await byWallet('OwnerWallet'), await byWallet('OwnerWallet'));
  const hostile = [await byWallet('BurningWallet'), await byWallet('BurningWallet'), await byWallet('BurningWallet')];
  const { rpc, tokens } = lane.network;
  const token = tokens.eur as Address;
  await giveTokens(
    rpc,
    token,
    [...honest, ...hostile].map(({ address }) => address),
  );
  for (const [index, account] of honest.entries()) {
    await placeTestRedemption(lane.ledger, 'chiado', account);
    const burner = hostile[index % 7];
    if (burner) await placeTestRedemption(lane.ledger, 'chiado', burner);
  }
  const fromBlock = await rpc.getBlockNumber();
  await lane.turn();
  await lane.blocks(10);
  const logs = parseEventLogs({ abi: eMoneyTokenAbi, logs: await rpc.getLogs({ address: token, fromBlock }) });
  const accountsOf = (event: string) =>
    logs.flatMap(({ eventName, args }) => (eventName === event && 'account' in args ? [args.account.toLowerCase()] : [])).toSorted();
  expect(accountsOf('Redeemed')).toEqual(addresses(honest));
  // One of each was burnt: the others wait until it is settled.
  expect(accountsOf('RedemptionRefused')).toEqual(addresses(hostile));
  expect((await lane.transactions()).filter(({ state }) => state === 'reverted')).toEqual([]);
});
