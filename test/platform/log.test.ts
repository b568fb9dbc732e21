import { expect, it } from 'vitest';
import { withoutUrlSecrets } from '../../src/platform/url-secrets.ts';

it.each([
  ['URL: https://rpc.example.com/v3/0123456789abcdef?key=s3cret', 'URL: https://rpc.example.com'],
  ['cannot connect to postgresql://mintrail:s3cret@db.internal:5432/mintrail', 'cannot connect to postgresql://db.internal:5432'],
  ['wss://user:s3cret@node.example.com/ws, then gave up', 'wss://node.example.com, then gave up'],
  ['"http://127.0.0.1:8545/s3cret" (two) and http://b.example/s3cret', '"http://127.0.0.1:8545" (two) and http://b.example'],
  ['no address at all', 'no address at all'],
])('an error text %s loses what may be a key', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
});
