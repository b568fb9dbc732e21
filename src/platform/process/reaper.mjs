// Ends the processes that its parent has registered when the parent has ended. Its standard input is a pipe from the parent, which closes
// even when the parent is killed by SIGKILL. See guarded-process.ts.
//
// Lines on standard input: `+PID SIGNAL GRACE_MS` registers, `-PID` unregisters.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const guarded = new Map();

// Ctrl-C and hang-up of the terminal are for the parent, which needs this guard while it shuts down.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [pid, signal, graceMs] = line.slice(1).split(' ');
    if (line.startsWith('+')) guarded.set(Number(pid), { signal, graceMs: Number(graceMs), born: birthOf(pid) });
    else guarded.delete(Number(pid));
  })
  .on('close', () => void endAll().then(() => process.exit(0)));

// Processes that stop by themselves when their channel closes are only woken. They end first, because they use the others.
async function endAll() {
  const bySelf = [...guarded].filter(([, { signal }]) => signal === 'SIGCONT');
  await Promise.all(bySelf.map(end));
  await Promise.all([...guarded].filter((entry) => !bySelf.includes(entry)).map(end));
}

async function end([pid, { signal, graceMs, born }]) {
  const alive = () => birthOf(pid) === born && send(pid, 0);
  if (!alive()) return;
  send(pid, signal);
  for (const deadline = Date.now() + graceMs; alive();) {
    if (Date.now() > deadline) return void (send(-pid, 'SIGKILL') || send(pid, 'SIGKILL'));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

// A pid alone may belong to another process by now; pid and start time do not. Only Linux provides the time.
function birthOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
