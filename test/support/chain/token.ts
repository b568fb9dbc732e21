import { type Address, encodeDeployData, encodeFunctionData, type PrivateKeyAccount, zeroAddress } from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode } from '../../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../../abis/erc1967Proxy.ts';
import { fundedAccount, type LocalChain, transact } from './local-chain.ts';

export type TokenOptions = {
  currency?: string;
  admin?: PrivateKeyAccount;
  operator?: Address;
  mintAllowance?: bigint;
  signatureGas?: number;
};

/** Deploys a token behind its proxy and lets the operator mint; returns the proxy's address. */
export async function deployToken(chain: LocalChain, options: TokenOptions = {}): Promise<Address> {
  const { currency = 'EUR', admin = fundedAccount(0), operator = admin.address, signatureGas = 500_000 } = options;
  const { mintAllowance = (2n ** 80n - 1n) * 10n ** 16n } = options;
  const implementation = await deployed(transact(chain, { from: admin, data: eMoneyTokenBytecode }));
  const setup = {
    name: `Mintrail ${currency}`,
    symbol: `${currency}e`,
    currency,
    admin: admin.address,
    timelock: zeroAddress,
    adminDelay: 0,
    signatureGas,
    operators: [{ account: operator, mintAllowance, dailyMintLimit: mintAllowance }],
    blockers: [],
  };
  const initialize = encodeFunctionData({
    abi: eMoneyTokenAbi,
    functionName: 'initialize',
    args: [setup],
  });
  const args = [implementation, initialize] as const;
  return deployed(transact(chain, { from: admin, data: encodeDeployData({ abi: erc1967ProxyAbi, bytecode: erc1967ProxyBytecode, args }) }));
}

async function deployed(receipt: ReturnType<typeof transact>): Promise<Address> {
  const { contractAddress } = await receipt;
  if (!contractAddress) throw new Error('The transaction deployed nothing');
  return contractAddress;
}
