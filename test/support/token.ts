import { type Address, encodeDeployData, encodeFunctionData, keccak256, maxUint128, type PrivateKeyAccount, stringToHex } from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode } from '../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../abis/erc1967Proxy.ts';
import { execute, fundedAccount, type LocalChain, transact } from './local-chain.ts';

const OPERATOR_ROLE = keccak256(stringToHex('OPERATOR_ROLE'));

export type TokenOptions = { currency?: string; admin?: PrivateKeyAccount; operator?: Address; mintAllowance?: bigint };

/** Deploys a token behind its proxy and lets the operator mint; returns the proxy's address. */
export async function deployToken(chain: LocalChain, options: TokenOptions = {}): Promise<Address> {
  const { currency = 'EUR', admin = fundedAccount(0), operator = admin.address, mintAllowance = maxUint128 } = options;
  const implementation = await deployed(transact(chain, { from: admin, data: eMoneyTokenBytecode }));
  const initialize = encodeFunctionData({
    abi: eMoneyTokenAbi,
    functionName: 'initialize',
    args: [`Mintrail ${currency}`, `${currency}e`, currency, admin.address, 0],
  });
  const token = await deployed(
    transact(chain, {
      from: admin,
      data: encodeDeployData({ abi: erc1967ProxyAbi, bytecode: erc1967ProxyBytecode, args: [implementation, initialize] }),
    }),
  );
  await execute(chain, token, eMoneyTokenAbi, 'grantRole', [OPERATOR_ROLE, operator], { from: admin });
  await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', [operator, mintAllowance], { from: admin });
  return token;
}

async function deployed(receipt: ReturnType<typeof transact>): Promise<Address> {
  const { contractAddress } = await receipt;
  if (!contractAddress) throw new Error('The transaction deployed nothing');
  return contractAddress;
}
