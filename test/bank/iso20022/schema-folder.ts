import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The schemas and public samples are no part of the repository: `MINTRAIL_ISO20022_DIR` says where they are. */
export const schemaFolder =
  process.env['MINTRAIL_ISO20022_DIR'] ?? fileURLToPath(new URL('../../../../shared/data/iso20022', import.meta.url));

/** Whether the folder is there; when not, says so, as the tests that need it are skipped. */
export function schemasPresent(): boolean {
  const present = existsSync(schemaFolder);
  if (!present) console.warn(`skipped: no ISO 20022 schemas in ${schemaFolder}; set MINTRAIL_ISO20022_DIR to their folder`);
  return present;
}
