import { describe, expect, it } from 'vitest';
import { permittedAddresses, TargetError, targetUrl } from '../../src/webhooks/target.ts';

const production = (url: string) => () => targetUrl(url, 'production').href;
const sandbox = (url: string) => () => targetUrl(url, 'sandbox').href;

describe('the URL of a subscription', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://Example.COM:443/a/../b?c=d&e#part', 'https://example.com/b?c=d&e'],
    ['https://example.com:8443/hooks', 'https://example.com:8443/hooks'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['  https://example.com/\n', 'https://example.com/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://0x08080808/', 'https://8.8.8.8/'],
    ['https://[2606:4700:4700:0::1111]/', 'https://[2606:4700:4700::1111]/'],
  ])('%j is kept as %s', (given, kept) => {
    expect(production(given)()).toBe(kept);
    expect(sandbox(given)()).toBe(kept);
  });

  it.each([
    ['', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['example.com', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['/webhooks', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['https://', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['https://exa mple.com/', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['https://example.com:65536/', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['https://[fe80::1%25eth0]/', 'must be an absolute URL, such as https://example.com/webhooks'],
    ['https://example.com:0/', 'must not name port 0'],
    ['https://user@example.com/', 'must not contain a user name or a password: deliveries are signed'],
    ['https://:word@example.com/', 'must not contain a user name or a password: deliveries are signed'],
    [`https://example.com/${'a'.repeat(2_000)}`, 'must be at most 2000 characters long'],
    [`https://example.com/${'ä'.repeat(500)}`, 'must be at most 2000 characters long'],
  ])('%.60j is refused everywhere: %s', (given, reason) => {
    expect(production(given)).toThrow(new TargetError(reason));
    expect(sandbox(given)).toThrow(new TargetError(reason));
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)'])('is HTTP, which %j is not', (text) => {
    expect(production(text)).toThrow(new TargetError('must begin with https://'));
    expect(sandbox(text)).toThrow(new TargetError('must begin with https:// or http://'));
  });

  it('is https in production', () => {
    expect(production('http://example.com/')).toThrow(new TargetError('must begin with https://'));
    expect(production('http://127.0.0.1/')).toThrow(new TargetError('must begin with https://'));
  });

  it('may be http in the sandbox, where a name is judged by what it leads to', async () => {
    expect(sandbox('http://hooks.test/')()).toBe('http://hooks.test/');
    expect(sandbox('http://127.0.0.1:8080/')()).toBe('http://127.0.0.1:8080/');
    expect(sandbox('http://8.8.8.8/')).toThrow(new TargetError('must begin with https:// unless it leads to a loopback address'));
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
  ])('https://%s is a loopback address: refused in production, good in the sandbox', (host) => {
    expect(production(`https://${host}/`)).toThrow(new TargetError('leads to a loopback address, which webhooks do not go to'));
    expect(sandbox(`https://${host}/`)()).toMatch(/^https:\/\/(127\.0\.0\.1|\[::1\])\/$/);
  });

  it.each([
    ['0xa010203', 'a private'],
    ['012.1.2.3', 'a private'],
    ['192.168.257', 'a private'],
    ['2852039166', 'a link-local'],
    ['100.100.100.200', "a carrier's private"],
    ['0', 'an unspecified'],
    ['[::ffff:127.0.0.1]', 'a reserved'],
    ['[::ffff:7f00:1]', 'a reserved'],
    ['[64:ff9b::10.0.0.1]', 'a private'],
    ['[2002:7f00:1::]', 'a reserved'],
  ])('https://%s leads to %s address, even in the sandbox', (host, place) => {
    const refused = new TargetError(`leads to ${place} address, which webhooks do not go to`);
    expect(production(`https://${host}/`)).toThrow(refused);
    expect(sandbox(`https://${host}/`)).toThrow(refused);
  });
});

const ask = (url: string, environment: 'production' | 'sandbox', answer: string[]) =>
  permittedAddresses(new URL(url), environment, async () => answer);

describe('the addresses that a delivery may connect to', () => {
  it('are all that the name has', async () => {
    expect(await ask('https://hooks.test/', 'production', ['1.1.1.1', '2606:4700:4700::1111'])).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:1.1.1.1', '0.0.0.0', '2002:a00:1::', 'nonsense'])(
    'are none when one of them is %s',
    async (bad) => {
      await expect(ask('https://hooks.test/', 'production', ['1.1.1.1', bad])).rejects.toThrow(TargetError);
      await expect(ask('https://hooks.test/', 'production', [bad, '1.1.1.1'])).rejects.toThrow(TargetError);
    },
  );

  it('are loopback alone for http', async () => {
    expect(await ask('http://hooks.test/', 'sandbox', ['127.0.0.1'])).toHaveLength(1);
    await expect(ask('http://hooks.test/', 'sandbox', ['127.0.0.1', '1.1.1.1'])).rejects.toThrow('must begin with https://');
  });

  it('are none when the name has none', async () => {
    await expect(ask('https://hooks.test/', 'production', [])).rejects.toThrow('its host name has no address');
  });
});
