import { randomInt } from 'node:crypto';
import { freePort } from '../../../src/platform/process/free-port.ts';

/** Below the ports that Linux gives to whoever asks for any: nobody is given one of the range before it is used. */
const [lowest, highest] = [20_000, 32_000];

/** The first of `count` free ports of the loopback address that follow each other. */
export async function freePortRange(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(lowest, highest - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.map((port) => freePort(port)));
    if (free.every((port, index) => port === ports[index])) return first;
  }
}
