import { RetryError } from '../../platform/errors.ts';

/** Time that a node has for an answer that a person waits for. */
const nodeTimeoutMs = 3_000;

/** Work with a node that ends after {@link nodeTimeoutMs}. Throws `rpc_unreachable` then. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs = nodeTimeoutMs): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RetryError({ code: 'rpc_unreachable', message: `no answer within ${timeoutMs / 1_000} s` })),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
