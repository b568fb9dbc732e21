import type { MintrailError } from '../../platform/errors.ts';
import { StopError } from '../../platform/errors.ts';
import { unreachable } from './deadline.ts';

/** Errors with a status of 4xx that pass: too many requests, expired credentials, a wrong clock. */
const passing =
  /^(ThrottlingException|Throttling|TooManyRequestsException|RequestLimitExceeded|LimitExceededException|ExpiredTokenException|RequestExpired|RequestTimeout|RequestTimeoutException|RequestTimeTooSkewed)$/;

/** Errors of the SDK before it sends a request: it is not configured. */
const unconfigured = /^(CredentialsProviderError|TokenProviderError|InvalidConfigurationError)$/;

/**
 * Translates an error of the AWS SDK: into the RetryError `signer_unreachable` for an outage, or the StopError `signer_refused` when a key,
 * permission or setting must be corrected. Only the name of the error is kept: its text may quote the request with the session token.
 */
export function kmsError(keeper: string, error: unknown): MintrailError {
  const {
    name = 'Error',
    code,
    $metadata,
    message = '',
  } = error as Partial<Error> & { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (message === 'Region is missing') return refused(keeper, 'no region: set AWS_REGION');
  if (unconfigured.test(name)) return refused(keeper, "no credentials were found in AWS's usual places");
  if (status >= 400 && status < 500 && status !== 408 && status !== 429 && !passing.test(name)) return refused(keeper, name);
  return unreachable(keeper, code ?? name);
}

function refused(keeper: string, reason: string): StopError {
  return new StopError({
    code: 'signer_refused',
    message: `${keeper} refuses to sign (${reason}): check the key's state and policy, and the credentials and region of this process`,
  });
}
