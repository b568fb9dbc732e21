import { concat, encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem';
import { uuidToHex } from '../../platform/uuid.ts';
import { tokenRoles } from './roles.ts';

/** Where OpenZeppelin's AccessControl keeps its roles (ERC-7201, `openzeppelin.storage.AccessControl`). */
const accessControlStorage: Hex = '0x02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800';

/** Whether the token is paused (ERC-7201, `openzeppelin.storage.Pausable`). */
const pausedSlot: Hex = '0xcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300';

/** The token's own storage (ERC-7201, `mintrail.storage.EMoneyToken`); its decisions are the third word. */
const tokenStorage = 0x4fd518f0c73cafe337b2fad2b4b50d0a2f88a8d007981d651734b73e9619b700n;
const decisionsSlot: Hex = numberToHex(tokenStorage + 2n, { size: 32 });

/** An item of a redemption, as the token reads it. */
export interface RedeemedItem {
  orderId: string;
  account: Hex;
  messageHash: Hex;
  signature: Hex;
}

/** The storage slot that says whether an account has a role. */
export function roleSlot(role: Hex, account: Hex): Hex {
  return addressEntry(account, wordEntry(role, accessControlStorage));
}

/** The slots that `redeem` has read by the time at which it asks the account of an item, beside those that `isApproved` reads too (contracts/src/EMoneyToken.sol). */
export function slotsReadBeforeAsking(operator: Hex, { orderId, account, messageHash, signature }: RedeemedItem): Hex[] {
  const words = [{ type: 'bytes16' }, { type: 'bytes32' }, { type: 'bytes32' }];
  const itemHash = keccak256(encodeAbiParameters(words, [`0x${uuidToHex(orderId)}`, messageHash, keccak256(signature)]));
  const decisions = addressEntry(account, decisionsSlot);
  return [roleSlot(tokenRoles.OPERATOR_ROLE, operator), pausedSlot, wordEntry(messageHash, decisions), wordEntry(itemHash, decisions)];
}

/** Of a mapping by addresses. */
function addressEntry(key: Hex, mapping: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [key, mapping]));
}

/** Of a mapping by words. */
function wordEntry(key: Hex, mapping: Hex): Hex {
  return keccak256(concat([key, mapping]));
}
