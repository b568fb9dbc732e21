import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** What a name server says of a name: addresses, or that there is no such name, or that it fails; or nothing at all. */
export type Say = (name: string, query: number) => string[] | 'unknown' | 'failure' | 'silence';

const codes = { failure: 2, unknown: 3 };
const types: Record<number, 4 | 6> = { 1: 4, 28: 6 };

/** A name server on loopback (RFC 1035, section 4), whose answers hold for no time at all. */
export async function startNameServer(say: Say) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 1;
    const name = nameOf(query.subarray(12, end));
    const version = types[query.readUInt16BE(end)];
    const key = `${name} ${version}`;
    asked.push(key);
    const said = say(name, asked.filter((one) => one === key).length);
    if (said === 'silence') return;
    const addresses = typeof said === 'string' ? [] : said.filter((one) => isIP(one) === version);
    const code = typeof said === 'string' ? codes[said] : 0;
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 + code, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...addresses.map(record)]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function nameOf(labels: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; labels[at]; at += 1 + (labels[at] ?? 0)) parts.push(labels.toString('latin1', at + 1, at + 1 + (labels[at] ?? 0)));
  return parts.join('.').toLowerCase();
}

/** Of the question's name, for zero seconds. */
function record(address: string): Buffer {
  const data = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : sixteenBytes(address);
  const type = data.length === 4 ? 1 : 28;
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

function sixteenBytes(address: string): Buffer {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = left.concat(Array<string>(8 - left.length - right.length).fill('0'), right);
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
