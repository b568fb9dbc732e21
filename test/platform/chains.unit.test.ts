import { isAddress } from 'viem';
import * as definitions from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { issueGasBound, recoveriesBound, redeemGasBound } from '../../src/chain/gas-bounds.ts';
import { addressUrl, chainFacts, chainNames, chains, largestTransactionGas, transactionUrl } from '../../src/platform/chains.ts';
import { loadNetworks, networkDefaults } from '../../src/platform/settings.ts';

const token = `0x${'1'.repeat(40)}`;
const known = Object.values(definitions) as unknown as {
  id: number;
  nativeCurrency: { symbol: string; decimals: number };
  blockTime?: number;
  testnet?: boolean;
  blockExplorers?: { default: { url: string } };
}[];

/** A redemption by a key to an IBAN, with a time of microseconds and an offset. */
const redemption = {
  messageBytes: 'Send EUR 1234567.89 to DE68500105178297336485 at 2026-11-20T17:03:00.123456+01:00'.length,
  signatureBytes: 65,
};
const redemptionBytes = 48 + redemption.messageBytes + redemption.signatureBytes;

/** The implementation's deployment, with some room. */
const deploymentGas = 4_800_000n;

describe('the table of chains', () => {
  it('has every EVM network of the enumeration, and no Cosmos chain', () => {
    expect([...chainNames].sort()).toEqual([...chains, 'grand', 'noble'].sort());
    expect(chains).toHaveLength(14);
  });

  describe.each(chains)('%s', (chain) => {
    const facts = chainFacts(chain);
    const definition = known.find(({ id }) => id === facts.id);

    it('agrees with what is published: id, currency, explorer, block time, test network or not', () => {
      expect(definition?.nativeCurrency.symbol.toLowerCase()).toBe(facts.currency.symbol.toLowerCase());
      expect(definition?.nativeCurrency.decimals).toBe(facts.currency.decimals);
      expect(definition?.blockExplorers?.default.url).toBe(facts.explorer);
      expect(definition?.testnet ?? false).toBe(facts.isTestnet);
      if (definition?.blockTime !== undefined) expect(facts.blockTimeSeconds * 1000).toBe(definition.blockTime);
    });

    it('waits for finality where money is real', () => {
      if (!facts.isTestnet) expect(facts.confirmations).toBe('finalized');
      else expect(facts.confirmations).toBeGreaterThanOrEqual(3);
    });

    it('has batches that fit into a transaction, and transactions that fit into half a block', () => {
      const gas = largestTransactionGas(chain);
      expect(gas).toBeLessThanOrEqual(16_777_216n);
      expect(gas * 2n).toBeLessThanOrEqual(facts.blockGas);
      const { maxBatch, transactionBytes, blockRecoveries = Number.POSITIVE_INFINITY } = facts;
      const redemptions = Array.from({ length: maxBatch }, () => ({ ...redemption, signedByContract: false }));
      expect(redeemGasBound(redemptions, 500_000n)).toBeLessThanOrEqual(gas);
      expect(maxBatch * redemptionBytes).toBeLessThanOrEqual(transactionBytes);
      expect(recoveriesBound(redemptions, 500_000n)).toBeLessThanOrEqual(blockRecoveries / 2);
      const issues = Array.from({ length: maxBatch }, (_, sequence) => BigInt(sequence));
      expect(issueGasBound(issues)).toBeLessThanOrEqual(gas);
      expect(deploymentGas).toBeLessThanOrEqual(gas);
    });

    it('has room for the redemptions of two contract accounts that spend all they may', () => {
      const { signatureGas = 500_000, blockRecoveries = Number.POSITIVE_INFINITY } = facts;
      const two = Array.from({ length: 2 }, () => ({ ...redemption, signedByContract: true }));
      expect(redeemGasBound(two, BigInt(signatureGas))).toBeLessThanOrEqual(largestTransactionGas(chain));
      expect(recoveriesBound(two, BigInt(signatureGas))).toBeLessThanOrEqual(blockRecoveries);
    });

    it('has a ceiling on fees, for a transaction below what nodes refuse to send', () => {
      const nodesRefuse = facts.currency.symbol === 'POL' ? 5 : 1;
      expect(facts.transactionFeeCeiling).toBeLessThan(nodesRefuse);
      expect(facts.feeCeilingGwei).toBeGreaterThan(1);
    });

    it('gives a network its defaults when nothing but tokens is set, and its variables come before them', () => {
      const name = chain.toUpperCase();
      const tokens = { [`${name}_TOKENS`]: `eur:${token}` };
      const { confirmations, blockTimeSeconds, feeCeilingGwei, transactionFeeCeiling, maxBatch, gasBudget } = facts;
      const defaults = { confirmations, blockTimeSeconds, feeCeilingGwei, transactionFeeCeiling, maxBatch, gasBudget };
      expect(loadNetworks(tokens)[chain]).toMatchObject(defaults);
      const own = { [`${name}_CONFIRMATIONS`]: 'safe', [`${name}_BLOCK_TIME`]: '7', [`${name}_MAX_BATCH`]: '' };
      expect(loadNetworks({ ...tokens, ...own })[chain]).toMatchObject({ confirmations: 'safe', blockTimeSeconds: 7, maxBatch });
      expect(networkDefaults(chain)).toEqual(defaults);
    });
  });

  it('links to explorers', () => {
    expect(isAddress(token)).toBe(true);
    expect(transactionUrl('gnosis', '0xabc')).toBe('https://gnosisscan.io/tx/0xabc');
    expect(addressUrl('linea', token)).toBe(`https://lineascan.build/address/${token}`);
  });
});
