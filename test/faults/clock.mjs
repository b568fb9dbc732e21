// Loaded into a process (`--import`): the time of day that it reads is off by the seconds in the file that CLOCK_FILE names. Timers go on as they do when a
// clock is set. libfaketime would do it for the local chain, too, whose Rust ends under it.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let milliseconds = 0;
const read = () => {
  try {
    milliseconds = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) * 1_000;
  } catch {
    // The file is being written, or the test is over.
  }
};
read();
setInterval(read, 500).unref();

const now = () => RealDate.now() + milliseconds;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, newTarget) => Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
});
