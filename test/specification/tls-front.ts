import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { selfSigned } from '../webhooks/certificate.ts';

/** A TLS proxy before a port of this machine, by a certificate that this process trusts from now on, as an operator would have it by NODE_EXTRA_CA_CERTS. */
export async function startTlsFront(host: string, port: number): Promise<{ url: string; close(): void }> {
  const certificate = selfSigned({ name: host });
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  const server = createServer(certificate, (secure) => {
    const plain = connect(port, '127.0.0.1');
    for (const socket of [secure, plain])
      socket
        .on('error', () => {})
        .on('close', () => {
          secure.destroy();
          plain.destroy();
        });
    secure.pipe(plain).pipe(secure);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://${host}:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
