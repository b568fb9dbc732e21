/** Which entries are shown. */
export interface AuditSearch {
  actor?: string;
  subject?: string;
  action?: string;
}

const names = ['actor', 'subject', 'action'] as const;

/** What an address of the page says of them; what it says otherwise is left out. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    names.filter((name) => typeof search[name] === 'string' && search[name] !== '').map((name) => [name, search[name]]),
  );
}
