import { concat, type Hex, padHex, toHex } from 'viem';

/** What a contract account answers to `isValidSignature`, and what that costs. */
export interface ContractAnswer {
  valid: boolean;
  /** Of the gas it was given. */
  gasUsed: number;
}

/** A kind of contract account: its code, and what that code does. */
export interface ContractAccountKind {
  code: Hex;
  /** `gasPrice` in wei is 0 in an estimate without fees, by which an account can tell it from a transaction. */
  answer(gas: number, gasPrice: bigint): ContractAnswer;
}

/** PUSH4 of the magic value, shifted to the left end of a word, which is returned (ERC-1271). */
const approve: Hex = '0x631626ba7e60e01b5f5260205ff3';
const approveGas = 22;
/** Returns a word of zeros. */
const refuse: Hex = '0x60205ff3';
const refuseGas = 8;

/** JUMPDEST, INVALID: uses up all gas. */
const burn: Hex = '0x5bfe';

/** GASPRICE, then a jump behind `estimated` where there is a price. */
function unlessEstimated(estimated: Hex, mined: Hex): Hex {
  const target = 4 + (estimated.length - 2) / 2;
  return concat(['0x3a', '0x60', toHex(target, { size: 1 }), '0x57', estimated, mined]);
}

/** JUMPDEST; spins until less than 2,000 gas is left. */
const spin: Hex = '0x5b6107d05a115f57';

/** Spins until `need` gas was used, if it has as much; approves in any case. */
function spinFor(need: number): Hex {
  // PUSH3 need, GAS, SUB: the gas at which to stop. JUMPDEST at 6: DUP1, GAS, GT, PUSH1 6, JUMPI.
  return concat(['0x62', padHex(toHex(need), { size: 3 }), '0x5a', '0x03', '0x5b', '0x80', '0x5a', '0x11', '0x6006', '0x57']);
}

const approves: ContractAccountKind = { code: approve, answer: () => ({ valid: true, gasUsed: approveGas }) };
const refuses: ContractAccountKind = { code: refuse, answer: () => ({ valid: false, gasUsed: refuseGas }) };

/** Gas that the thorough account needs: less than its stipend. */
const thoroughGas = 300_000;

/** Contract accounts, sound and hostile, by name. */
export const contractAccountKinds = {
  /** Approves everything, cheaply. */
  approves,
  /** Approves nothing. */
  refuses,
  /** Approves everything, with much work. */
  thorough: {
    code: concat([spinFor(thoroughGas), approve]),
    answer: () => ({ valid: true, gasUsed: thoroughGas }),
  },
  /** Uses up all that it is given, and fails. */
  burns: { code: burn, answer: (gas) => ({ valid: false, gasUsed: gas }) },
  /** Uses up nearly all that it is given, and approves. */
  burnsAndApproves: { code: concat([spin, approve]), answer: (gas) => ({ valid: true, gasUsed: gas - 2_000 }) },
  /** Approves cheaply in an estimate at gas price 0; uses up everything in a transaction. */
  burnsUnlessEstimated: {
    code: unlessEstimated(approve, burn),
    answer: (gas, gasPrice) => (gasPrice === 0n ? approves.answer(gas, gasPrice) : { valid: false, gasUsed: gas }),
  },
  /** Approves in an estimate at gas price 0; refuses in a transaction. */
  refusesUnlessEstimated: {
    code: unlessEstimated(approve, concat(['0x5b', refuse])),
    answer: (gas, gasPrice) => (gasPrice === 0n ? approves : refuses).answer(gas, gasPrice),
  },
} satisfies Record<string, ContractAccountKind>;
