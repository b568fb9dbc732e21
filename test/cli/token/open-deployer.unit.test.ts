import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hexToBytes } from 'viem';
import { expect, it } from 'vitest';
import { encryptKeystore } from '../../../src/chain/signers/keystore-v3.ts';
import { openDeployer } from '../../../src/cli/token/open-deployer.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';
import { quickCost } from '../../chain/signers/vectors.ts';
import { fundedAccount } from '../../support/chain/local-chain.ts';

const deployer = fundedAccount(4);
const keystore = path.join(mkdtempSync(path.join(tmpdir(), 'mintrail-deployer-')), 'deployer.json');

const open = (env: Record<string, string>) => {
  const variables = { GNOSIS_DEPLOYER: `keystore:${keystore}`, ...env };
  return openDeployer(loadNetwork('gnosis', variables), variables);
};

it("the deployer's keystore has a password of its own, and not that of the signers", async () => {
  writeFileSync(keystore, await encryptKeystore(hexToBytes(deployer.privateKey), lowerAddress(deployer.address), 'its own', quickCost));
  await expect(open({ GNOSIS_KEYSTORE_PASSWORD: 'its own' })).rejects.toMatchObject({
    code: 'no_keystore_password',
    message: 'A keystore needs a password: set GNOSIS_DEPLOYER_PASSWORD, best to file:PATH of a file that holds it',
  });
  const signer = await open({ GNOSIS_KEYSTORE_PASSWORD: "that of the signers'", GNOSIS_DEPLOYER_PASSWORD: 'its own' });
  expect(signer.address).toBe(deployer.address.toLowerCase());
});

it('without a deployer the message names the variable, and what to put there', async () => {
  await expect(open({ GNOSIS_DEPLOYER: '' })).rejects.toMatchObject({
    code: 'no_deployer',
    message: expect.stringMatching(/set GNOSIS_DEPLOYER to a signer .* such as keystore:PATH of mintrail signer create/) as string,
  });
});
