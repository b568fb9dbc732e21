import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDeployer, openSigners } from '../../../src/cli/token/open-signers.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';
import { quickKeystore } from '../../chain/signers/vectors.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();
const write = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const reference = `keystore:${write('keystore.json', JSON.stringify(quickKeystore))}`;

const openAsDeployer = (env: Record<string, string>) => {
  const variables = { GNOSIS_DEPLOYER: reference, ...env };
  return openDeployer(loadNetwork('gnosis', variables), variables);
};

it("an owner's keystore, which the password of the network's signers does not open, is opened with --password-file, as the error says", async () => {
  const network = loadNetwork('gnosis', { GNOSIS_KEYSTORE_PASSWORD: "that of the signers'" });
  const open = (passwordFile?: string) => openSigners([reference], { environment: 'production', network }, passwordFile);
  await expect(open()).rejects.toMatchObject({
    code: 'wrong_keystore_password',
    message: expect.stringMatching(
      /It was the password of GNOSIS_KEYSTORE_PASSWORD: name the file of another with --password-file$/,
    ) as string,
  });
  expect(await open(write('password', 'foobar'))).toHaveLength(1);
});

it("the deployer's keystore has a password of its own, and not that of the signers", async () => {
  await expect(openAsDeployer({ GNOSIS_KEYSTORE_PASSWORD: 'foobar' })).rejects.toMatchObject({
    code: 'invalid_settings',
    message: 'A keystore needs a password: set GNOSIS_DEPLOYER_PASSWORD, best to file:PATH of a file that holds it',
  });
  const signer = await openAsDeployer({ GNOSIS_KEYSTORE_PASSWORD: "that of the signers'", GNOSIS_DEPLOYER_PASSWORD: 'foobar' });
  expect(signer.address).toBe(`0x${quickKeystore.address}`);
});

it('without a deployer the message names the variable, and what to put there', async () => {
  await expect(openAsDeployer({ GNOSIS_DEPLOYER: '' })).rejects.toMatchObject({
    code: 'invalid_settings',
    message: expect.stringMatching(/set GNOSIS_DEPLOYER to a signer .* such as keystore:PATH of mintrail signer create/) as string,
  });
});
