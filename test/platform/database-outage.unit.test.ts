import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { isDatabaseOutage } from '../../src/platform/database.ts';

it('a server that takes the connection and says nothing is an outage', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new Client({ host: '127.0.0.1', port, user: 'nobody', connectionTimeoutMillis: 20 });
  const error = await client.connect().catch((reason: unknown) => reason);
  server.close();
  expect(String(error)).toBe('Error: timeout expired');
  expect(isDatabaseOutage(error)).toBe(true);
});
