import { RetryError } from '../../platform/errors.ts';

/** Longest wait for who keeps a key, with all attempts, in milliseconds: below the grace in which a process must have closed. */
const remoteDeadline = 5_000;

/** Runs a call to a remote signer. Throws `signer_unreachable` when it takes too long, whatever becomes of the call. */
export async function withDeadline<T>(keeper: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unreachable(keeper, `no answer within ${remoteDeadline / 1000} s`));
      controller.abort();
    }, remoteDeadline);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An outage of who keeps a key. `reason` is ours, or a name or code: what a service or a library writes may quote secrets. */
export function unreachable(keeper: string, reason: string): RetryError {
  return new RetryError({
    code: 'signer_unreachable',
    message: `${keeper} does not sign now (${reason}): nothing was sent, and it is tried again`,
  });
}
