import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSigners } from '../../../src/cli/token/open-signers.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';
import { quickKeystore } from '../../chain/signers/vectors.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-owners-'));
const write = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

it("an owner's keystore, which the password of the network's signers does not open, is opened with --password-file, as the error says", async () => {
  const reference = `keystore:${write('owner.json', JSON.stringify(quickKeystore))}`;
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
