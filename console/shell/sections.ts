import type { IconName } from '../design/icon.tsx';

/** An entry of the navigation. `key` is what is typed after `g` to go there. */
export interface Section {
  to:
    | '/'
    | '/orders'
    | '/customers'
    | '/bank'
    | '/networks'
    | '/webhooks'
    | '/approvals'
    | '/applications'
    | '/operators'
    | '/audit'
    | '/settings';
  name: string;
  icon: IconName;
  key: string;
}

/** What operators work on, then what the console itself needs. */
export const sectionGroups: readonly { name: string; sections: readonly Section[] }[] = [
  {
    name: 'Work',
    sections: [
      { to: '/', name: 'Overview', icon: 'overview', key: 'h' },
      { to: '/orders', name: 'Orders', icon: 'orders', key: 'o' },
      { to: '/customers', name: 'Customers', icon: 'customers', key: 'c' },
      { to: '/bank', name: 'Bank', icon: 'bank', key: 'b' },
      { to: '/networks', name: 'Networks', icon: 'networks', key: 'n' },
      { to: '/webhooks', name: 'Webhooks', icon: 'webhooks', key: 'w' },
      { to: '/approvals', name: 'Approvals', icon: 'approvals', key: 'a' },
    ],
  },
  {
    name: 'Administration',
    sections: [
      { to: '/applications', name: 'Applications', icon: 'applications', key: 'p' },
      { to: '/operators', name: 'Operators', icon: 'operators', key: 'u' },
      { to: '/audit', name: 'Audit', icon: 'audit', key: 'l' },
      { to: '/settings', name: 'Settings', icon: 'settings', key: 's' },
    ],
  },
];

/** All sections. */
export const sections: readonly Section[] = sectionGroups.flatMap((group) => group.sections);
