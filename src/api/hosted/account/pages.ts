import type { Pages } from '../page-request.ts';
import { proven, signedIn } from '../signed-in.ts';
import { showAddPasskey, showPasskeys, submitAddPasskey, submitPasskeys } from './passkeys.ts';
import { showAddresses, submitAddresses } from './addresses.ts';
import { showApplications, submitApplications } from './applications.ts';
import { showAuthenticator, submitAuthenticator } from './authenticator.ts';
import { showFactors } from './factors.ts';
import { showRecoveryCodes, submitRecoveryCodes } from './recovery-codes.ts';
import { showOverview } from './overview.ts';
import { showPassword, submitPassword } from './password.ts';
import { showSessions, submitSessions } from './sessions.ts';

/** The pages on which users look after their account. They are mounted below `/account` only. */
export const accountPages: Pages = {
  overview: { show: signedIn(showOverview) },
  addresses: { show: signedIn(showAddresses), submit: proven('addresses', submitAddresses) },
  applications: { show: signedIn(showApplications), submit: signedIn(submitApplications) },
  factors: { show: signedIn(showFactors) },
  passkeys: { show: signedIn(showPasskeys), submit: proven('passkeys', submitPasskeys) },
  'add-passkey': { show: proven('add-passkey', showAddPasskey), submit: proven('add-passkey', submitAddPasskey) },
  authenticator: { show: proven('authenticator', showAuthenticator), submit: proven('authenticator', submitAuthenticator) },
  'recovery-codes': { show: proven('recovery-codes', showRecoveryCodes), submit: proven('recovery-codes', submitRecoveryCodes) },
  password: { show: signedIn(showPassword), submit: signedIn(submitPassword) },
  sessions: { show: signedIn(showSessions), submit: signedIn(submitSessions) },
};
