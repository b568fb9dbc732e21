import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { InvalidForkOption, parseForks } from '../../sandbox/fork/fork-options.ts';

const token = '0x00000000000000000000000000000000000000AA';
const secret = 'SECRET';
const url = `https://user:${secret}@rpc.example/v3/${secret}?key=${secret}`;

describe('parseForks', () => {
  it('reads a network, its endpoint, a block and tokens', () => {
    expect(parseForks([`gnosis=${url}`], [])).toEqual([{ chain: 'gnosis', url, tokens: {} }]);
    expect(parseForks([`Ethereum=${url}@123`, 'base=http://127.0.0.1:8545'], [`base:eur=${token}`])).toEqual([
      { chain: 'ethereum', url, block: 123, tokens: {} },
      { chain: 'base', url: 'http://127.0.0.1:8545', tokens: { eur: token } },
    ]);
    // A user name and a password are those of the URL, and a password may be digits.
    for (const plain of ['https://user:8545@rpc.example', 'http://user:1@10.0.0.1:8545', 'http://user:8545@node/', 'http://user:pass@node'])
      expect(parseForks([`gnosis=${plain}`], [])).toEqual([{ chain: 'gnosis', url: plain, tokens: {} }]);
    expect(parseForks(['gnosis=http://node'], [`EUR=${token.toLowerCase()}`])[0]?.tokens).toEqual({ eur: token });
  });

  it('reads the URL from a file, so that no list of processes shows it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-fork-'));
    const file = path.join(folder, 'gnosis.url');
    writeFileSync(file, `${url}@123\n`);
    expect(parseForks([`gnosis=file:${file}`], [])).toEqual([{ chain: 'gnosis', url, block: 123, tokens: {} }]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['rpc.example'], [], 'of the form CHAIN=URL'],
    [[`solana=${url}`], [], 'unknown chain "solana": it must be one of ethereum, gnosis'],
    [[`gnosis=${url}`, `gnosis=http://other`], [], 'names gnosis twice'],
    [[`gnosis=rpc.example/${secret}`], [], 'has no scheme: write it as https://HOST'],
    [[`gnosis=ws://rpc.example/${secret}`], [], 'must be one of http or https'],
    [[`gnosis=${url}@99999999999999999999`], [], 'is too large'],
    [['gnosis=http://127.0.0.1:8545@latest'], [], 'must be decimal digits after the @'],
    [[`gnosis=https://rpc.example:8545/${secret}@latest`], [], 'must be decimal digits after the @'],
    [['gnosis=http://127.0.0.1:8545@-1'], [], 'must be decimal digits after the @'],
    [['gnosis=http://127.0.0.1:8545@0x10'], [], 'must be decimal digits after the @'],
    [['gnosis=http://[::1]:8545@latest'], [], 'must be decimal digits after the @'],
    [['gnosis=http://node@latest'], [], 'must be decimal digits after the @'],
    [['gnosis=http://127.0.0.1:8545@1.5'], [], 'must be decimal digits after the @'],
    [['gnosis=http://127.0.0.1:8545@latest@5'], [], 'must be decimal digits after the @'],
    [['gnosis=file:/nowhere/gnosis.url'], [], 'cannot be read: /nowhere/gnosis.url'],
    [['gnosis=http://node@'], [], 'must be decimal digits after the @'],
    [[`gnosis=${url}@`], [], 'must be decimal digits after the @'],
    [[`gnosis=${url}`], ['eur'], 'not of the form'],
    [[`gnosis=${url}`], [`chf=${token}`], 'not of the form'],
    [[`gnosis=${url}`], ['eur=0x12'], 'not of the form'],
    [[], [`eur=${token}`], 'needs a --fork'],
    [[`gnosis=${url}`], [`base:eur=${token}`], 'needs a --fork of base'],
    [[`gnosis=${url}`, `base=${url}`], [`eur=${token}`], `write gnosis:eur=${token}`],
    [[`gnosis=${url}`], [`eur=${token}`, `gnosis:eur=${token}`], 'names eur of gnosis twice'],
  ])('refuses %j %j, and repeats no URL', (forks, tokens, text) => {
    const error = thrown(() => parseForks(forks, tokens));
    expect(error).toBeInstanceOf(InvalidForkOption);
    expect(error.message).toContain(text);
    expect(error.message).not.toContain(secret);
  });
});

function thrown(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
