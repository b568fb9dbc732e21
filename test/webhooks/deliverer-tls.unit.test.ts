import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { selfSigned } from './certificate.ts';
import { delivery } from './raw-server.ts';
import { patienceMs } from '../support/patience.ts';

const trusted = selfSigned();
const expired = selfSigned({ from: -2, to: -1 });
const ofAnother = selfSigned({ name: 'example.com' });

// As an operator would by NODE_EXTRA_CA_CERTS.
beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), trusted.cert, expired.cert, ofAnother.cert]));

const deliver = createDeliverer({ environment: 'sandbox', timeoutMs: patienceMs, resolve: async () => ['127.0.0.1'] });

let close: (() => void) | undefined;
afterEach(() => close?.());

async function tell(certificate: { cert: string; key: string }, host = 'localhost') {
  const requests: string[] = [];
  const server = createServer(certificate, (request, response) => {
    requests.push(`${request.httpVersion} ${request.headers.host}`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => server.close();
  const { port } = server.address() as AddressInfo;
  return { requests, port, outcome: await deliver({ ...delivery, url: `https://${host}:${port}/` }) };
}

describe('the certificate of a receiver', () => {
  it('that is trusted, in time and of its name lets a delivery through', async () => {
    const { outcome, requests, port } = await tell(trusted);
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(requests).toEqual([`1.1 localhost:${port}`]);
  });

  it('is checked against the name of the URL, not the address behind it', async () => {
    const { outcome, requests } = await tell(trusted, 'hooks.test');
    expect(outcome).toMatchObject({ ok: false, reason: 'its certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)' });
    expect(requests).toEqual([]);
    expect((await tell(ofAnother, 'example.com')).outcome).toMatchObject({ ok: true });
  });

  it('is checked where the URL names an address, too', async () => {
    const { outcome, requests } = await tell(trusted, '127.0.0.1');
    expect(outcome.reason).toBe('its certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(requests).toEqual([]);
  });

  it('that nobody trusts lets nothing through', async () => {
    const { outcome, requests } = await tell(selfSigned());
    expect(outcome).toMatchObject({ ok: false, reason: 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)' });
    expect(requests).toEqual([]);
  });

  it('that has expired lets nothing through', async () => {
    const { outcome, requests } = await tell(expired);
    expect(outcome).toMatchObject({ ok: false, reason: 'its certificate is not trusted (CERT_HAS_EXPIRED)' });
    expect(requests).toEqual([]);
  });
});
