import { describe, expect, it } from 'vitest';
import { InvalidForkOption, parseForks } from '../../../src/cli/sandbox/fork/fork-options.ts';

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
    expect(parseForks(['gnosis=http://node'], [`EUR=${token.toLowerCase()}`])[0]?.tokens).toEqual({ eur: token });
  });

  it.each([
    [['rpc.example'], [], 'of the form CHAIN=URL'],
    [[`solana=${url}`], [], 'unknown chain "solana": it must be one of ethereum, gnosis'],
    [[`gnosis=${url}`, `gnosis=http://other`], [], 'names gnosis twice'],
    [[`gnosis=rpc.example/${secret}`], [], 'has no scheme: write it as https://HOST'],
    [[`gnosis=ws://rpc.example/${secret}`], [], 'must be one of http or https'],
    [[`gnosis=${url}@99999999999999999999`], [], 'is too large'],
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
