import { RetryError } from '../../platform/errors.ts';

/** Longest time that a remote signer may take, with all attempts: shorter than the grace time in which a process closes. */
const remoteDeadlineMs = 5_000;

/** Runs a call to a remote signer, named by `keeper`. Throws `signer_unreachable` when it takes too long, and does not wait for it any longer. */
export async function withDeadline<T>(keeper: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unreachable(keeper, `no answer within ${remoteDeadlineMs / 1000} s`));
      controller.abort();
    }, remoteDeadlineMs);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of a signer that does not answer. `reason` must not contain texts of a service or library, which may quote secrets. */
export function unreachable(keeper: string, reason: string): RetryError {
  return new RetryError({
    code: 'signer_unreachable',
    message: `${keeper} does not sign at present (${reason}): nothing was sent, and signing is tried again`,
  });
}
