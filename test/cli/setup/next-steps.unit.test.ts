import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { calledAs } from '../../../src/cli/setup/called-as.ts';
import { deploymentByCompose, deploymentByHand } from '../../../src/cli/setup/deployment.ts';
import { nextSteps } from '../../../src/cli/setup/next-steps.ts';
import type { Chain } from '../../../src/platform/chains.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-steps-'));
afterAll(() => rmSync(folder, { recursive: true }));

const token = { GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}` };
const keys = { GNOSIS_SIGNERS: `keystore:${folder}/keystore.json`, GNOSIS_KEYSTORE_PASSWORD: `file:${folder}/password` };
const steps = (chains: readonly Chain[], env: Record<string, string>) =>
  nextSteps(chains, env, deploymentByHand(chains, 'secrets', '.env'), '.env');

describe('the next steps of a set-up', () => {
  it('make Safe and token for a network that has none, and start its processes', () => {
    const lines = steps(['chiado'], { ...token, ...keys });
    for (const command of [
      'migrate',
      'safe create --chain chiado',
      'token deploy --chain chiado',
      'chain add chiado --token',
      'worker --chain chiado',
      'indexer --chain chiado',
    ])
      expect(lines).toContain(` --settings .env ${command}`);
    expect(lines).not.toContain('gnosis');
  });

  it('make no second Safe or token for a network that is served, and find where its index begins', () => {
    const lines = steps(['gnosis'], { ...token, ...keys, GNOSIS_DEPLOYER: 'keystore:none', GNOSIS_DEPLOYER_PASSWORD: 'file:none' });
    expect(lines).not.toMatch(/safe create|token deploy|--keystore none/);
    expect(lines).toContain(`signer create --keystore ${folder}/keystore.json`);
    expect(lines).toContain('chain add gnosis --write .env');
    writeFileSync(path.join(folder, 'keystore.json'), '{}');
    expect(steps(['gnosis'], { ...token, ...keys, GNOSIS_START_BLOCK: '1' })).not.toMatch(/signer create|chain add/);
  });

  it('are words of a shell, whatever the paths are', () => {
    const file = "/srv/e 5/it's.env";
    const spaced = { GNOSIS_SIGNERS: 'keystore:/srv/e 5/keystore.json', GNOSIS_KEYSTORE_PASSWORD: 'file:/srv/e 5/password' };
    const lines = nextSteps(['gnosis'], { ...token, ...spaced }, deploymentByHand(['gnosis'], 'secrets', file), file);
    const word = String.raw`'/srv/e 5/it'\''s.env'`;
    expect(lines).toContain(` --settings ${word} migrate\n`);
    expect(lines).toContain("signer create --keystore '/srv/e 5/keystore.json' --password-file '/srv/e 5/password'\n");
    expect(lines).toContain(`chain add gnosis --write ${word}\n`);
  });

  it('are those of compose where that starts the processes', () => {
    const lines = nextSteps(['gnosis'], {}, deploymentByCompose(['gnosis']), '.env');
    expect(lines).toContain('docker compose run --rm cli safe create');
    expect(lines).toContain('docker compose up -d');
    expect(lines).not.toContain('worker --chain');
  });
});

it('the program is called as it was started', () => {
  expect(calledAs({ npm_command: 'exec', PATH: '/usr/bin' })).toBe('npx mintrail');
  expect(calledAs({ PATH: '/usr/bin' })).toBe('node src/cli/mintrail.mjs');
  symlinkSync(path.resolve('src/cli/mintrail.mjs'), path.join(folder, 'mintrail'));
  expect(calledAs({ PATH: folder })).toBe('mintrail');
});
