import type { PageName, Visit } from './visit.ts';

/** The page that comes after a user has signed in. */
export async function nextPage(_visit: Visit, _user: string): Promise<PageName> {
  return 'consent';
}
