import { buildContractSignature, buildSignatureBytes, EthSafeSignature } from '@safe-global/protocol-kit';
import { createRequire } from 'node:module';
import {
  type Address,
  concat,
  encodeDeployData,
  type Hex,
  hashMessage,
  hashTypedData,
  pad,
  serializeErc6492Signature,
  size,
  toHex,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { fundedAccount, type LocalAccount, localAccount, type LocalChain, transact } from './local-chain.ts';
import { ownerMessage, type PredictedSafe, safeMessage, type SafeSuite, signSafeMessage } from './safe.ts';

/** The signature of one owner of a Safe. */
export type OwnerSignature = { key: LocalAccount; by: 'eip712' | 'ethSign' } | { safe: Address; owners: readonly LocalAccount[] };

/** A Safe's signature whose owners sign in different ways: typed data, an Ethereum message, as another Safe. */
export async function signMixed(suite: SafeSuite, safe: Address, parts: readonly OwnerSignature[], text: string): Promise<Hex> {
  const message = safeMessage(suite, safe, hashMessage(text));
  const ownersMessage = ownerMessage(suite, safe, text);
  const signatures = parts.map(async (part) => {
    if ('key' in part) {
      const { key, by } = part;
      if (by === 'eip712') return new EthSafeSignature(key.address, await key.signTypedData(message));
      const signature = await key.signMessage({ message: { raw: hashTypedData(message) } });
      // A Safe recognises this kind by a recovery id that is greater by 4.
      return new EthSafeSignature(key.address, concat([`0x${signature.slice(2, 130)}`, toHex(Number(`0x${signature.slice(130)}`) + 4)]));
    }
    const inner = safeMessage(suite, part.safe, ownersMessage);
    const keys = part.owners.map(async (owner) => new EthSafeSignature(owner.address, await owner.signTypedData(inner)));
    return buildContractSignature(await Promise.all(keys), part.safe);
  });
  return buildSignatureBytes(await Promise.all(signatures)) as Hex;
}

/** The signature of a Safe that is not deployed yet, which carries its deployment (ERC-6492). */
export async function signWithPredictedSafe(
  suite: SafeSuite,
  { address, factory, deployment }: PredictedSafe,
  owners: readonly LocalAccount[],
  text: string,
): Promise<Hex> {
  const signature = await signSafeMessage(safeMessage(suite, address, hashMessage(text)), owners);
  return serializeErc6492Signature({ address: factory, data: deployment, signature });
}

/** A new key whose account carries the code of a contract (EIP-7702). */
export async function delegatedAccount(chain: LocalChain, contract: Address): Promise<LocalAccount> {
  const account = localAccount(generatePrivateKey());
  const authorization = await account.signAuthorization({ address: contract, chainId: chain.chain.id, nonce: 0 });
  await chain.sendTransaction({ account: fundedAccount(0), to: fundedAccount(0).address, authorizationList: [authorization] });
  await chain.mine({ blocks: 1 });
  if ((await chain.getCode({ address: account.address })) !== concat(['0xef0100', contract]).toLowerCase())
    throw new Error('The account carries no code');
  return account;
}

/** Contract accounts that are no Safe. */
const source = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Signed by its owner's key.
contract OwnerWallet {
    address private immutable owner;
    constructor(address owner_) { owner = owner_; }
    function isValidSignature(bytes32 hash, bytes calldata signature) public view virtual returns (bytes4) {
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Signed by its owner's key, from when somebody has made it ready.
contract DormantWallet is OwnerWallet {
    bool private ready;
    constructor(address owner_) OwnerWallet(owner_) {}
    function wake() external { ready = true; }
    function isValidSignature(bytes32 hash, bytes calldata signature) public view override returns (bytes4) {
        require(ready, "not ready");
        return super.isValidSignature(hash, signature);
    }
}

/// Approves hashes on chain, and takes them back.
contract ApprovingWallet {
    mapping(bytes32 => bool) private approved;
    function approve(bytes32 hash, bool approves) external { approved[hash] = approves; }
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        require(signature.length == 0 && approved[hash], "not approved");
        return this.isValidSignature.selector;
    }
}

/// Sound, but needs much gas; says no when it has less.
contract ThoroughWallet {
    uint256 private immutable need;
    constructor(uint256 need_) { need = need_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (gasleft() < need) return 0;
        uint256 end = gasleft() - need;
        while (gasleft() > end) {}
        return this.isValidSignature.selector;
    }
}

/// Approves everything for nothing in an estimate, which nodes execute at a gas price of zero. In a transaction it burns all the gas it is given.
contract BurningWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (tx.gasprice != 0) while (true) {}
        return this.isValidSignature.selector;
    }
}

/// Approves in transactions that pay for their gas alone.
contract PricedWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return tx.gasprice == 0 ? bytes4(0) : this.isValidSignature.selector;
    }
}

/// Approves in transactions with a certain tip alone.
contract TippedWallet {
    uint256 private immutable tip;
    constructor(uint256 tip_) { tip = tip_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return tx.gasprice - block.basefee == tip ? this.isValidSignature.selector : bytes4(0);
    }
}

/// Approves when a certain account asks, such as a token.
contract AskedWallet {
    address private immutable asker;
    constructor(address asker_) { asker = asker_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return msg.sender == asker ? this.isValidSignature.selector : bytes4(0);
    }
}

/// Approves in transactions of a certain account.
contract OriginWallet {
    address private immutable origin;
    constructor(address origin_) { origin = origin_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return tx.origin == origin ? this.isValidSignature.selector : bytes4(0);
    }
}

/// Approves where an account that no transaction has created is touched before, as a call that creates a contract does with its address.
contract CreatedWallet {
    address private immutable looked;
    constructor(address looked_) { looked = looked_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 before = gasleft();
        uint256 held = looked.balance;
        return before - gasleft() < 2000 && held == 0 ? this.isValidSignature.selector : bytes4(0);
    }
}

interface IToken {
    function messageUsed(address account, bytes32 messageHash) external view returns (bool);
}

/// Approves where nobody has read before whether the token has decided the message.
contract FirstReaderWallet {
    IToken private immutable token;
    constructor(address token_) { token = IToken(token_); }
    function isValidSignature(bytes32 hash, bytes calldata) external view returns (bytes4) {
        uint256 first = read(hash);
        uint256 second = read(hash);
        return first > second + 1500 ? this.isValidSignature.selector : bytes4(0);
    }
    function read(bytes32 hash) private view returns (uint256) {
        uint256 before = gasleft();
        token.messageUsed(address(this), hash);
        return before - gasleft();
    }
}

/// Asks the reader to fetch the answer from a server (EIP-3668).
contract LookupWallet {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);
    string private url;
    constructor(string memory url_) { url = url_; }
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        string[] memory urls = new string[](1);
        urls[0] = url;
        revert OffchainLookup(address(this), urls, "", this.isValidSignature.selector, "");
    }
}`;

type WalletName =
  | 'OwnerWallet'
  | 'DormantWallet'
  | 'ApprovingWallet'
  | 'ThoroughWallet'
  | 'BurningWallet'
  | 'PricedWallet'
  | 'TippedWallet'
  | 'AskedWallet'
  | 'OriginWallet'
  | 'CreatedWallet'
  | 'FirstReaderWallet'
  | 'LookupWallet';

interface Compiled {
  contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

/** Compiles with solc. Returns the creation code of each contract, by name, or of one: the optimizer takes most of the time. */
export function compile(language: 'Solidity' | 'Yul', content: string, evmVersion = 'prague', contract = '*'): Record<string, Hex> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const settings = { evmVersion, optimizer: { enabled: true }, outputSelection: { '*': { [contract]: ['evm.bytecode.object'] } } };
  const output = JSON.parse(solc.compile(JSON.stringify({ language, sources: { it: { content } }, settings }))) as Compiled;
  const contracts = Object.entries(output.contracts.it ?? {});
  if (contracts.length === 0) throw new Error(`Nothing was compiled: ${JSON.stringify(output)}`);
  return Object.fromEntries(contracts.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]));
}

const compiled: Record<string, Hex> = {};

/** Deploys one of the contract accounts; its constructor's only argument is an address, a number or a text. */
export async function deployWallet(chain: LocalChain, name: WalletName, argument?: bigint | string): Promise<Address> {
  compiled[name] ??= compile('Solidity', source, 'prague', name)[name] as Hex;
  const type = typeof argument === 'bigint' ? 'uint256' : argument?.startsWith('0x') ? 'address' : 'string';
  const inputs = argument === undefined ? [] : [{ name: 'argument', type }];
  const abi = [{ type: 'constructor', stateMutability: 'nonpayable', inputs }];
  const data = encodeDeployData({ abi, bytecode: compiled[name], args: argument === undefined ? [] : [argument] });
  return (await transact(chain, { data })).contractAddress as Address;
}

/** Puts a contract at a new address. It returns `answer` from every call, or reverts with it if it `fails`; or it has this `code`. */
export async function deployStub(chain: LocalChain, behaviour: { answer: Hex; fails?: boolean } | { code: Hex }): Promise<Address> {
  const { address } = localAccount(generatePrivateKey());
  await chain.setCode({ address, bytecode: 'code' in behaviour ? behaviour.code : answering(behaviour.answer, behaviour.fails) });
  return address;
}

/** CODECOPY(0, 13, length), then RETURN or REVERT(0, length); the answer follows the code. */
function answering(answer: Hex, fails = false): Hex {
  const length = pad(toHex(size(answer)), { size: 2 });
  return concat(['0x61', length, '0x600d5f39', '0x61', length, '0x5f', fails ? '0xfd' : '0xf3', '0x00', answer]);
}
