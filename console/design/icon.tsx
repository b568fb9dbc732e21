import type { ReactNode } from 'react';

/** Drawn on a grid of 16 by 16, with strokes. */
const drawings = {
  overview: <path d="M2.5 8.5h3v5h-3zM6.5 2.5h3v11h-3zM10.5 5.5h3v8h-3z" />,
  orders: <path d="M3 5h9.5M10 2.5 12.5 5 10 7.5M13 11H3.5M6 8.5 3.5 11 6 13.5" />,
  customers: (
    <>
      <circle cx="8" cy="5.25" r="2.75" />
      <path d="M2.75 13.5c.6-2.6 2.7-4 5.25-4s4.65 1.4 5.25 4" />
    </>
  ),
  bank: <path d="M2.5 6 8 2.5 13.5 6v.5h-11zM4 6.5v5M8 6.5v5M12 6.5v5M2.5 13.5h11" />,
  networks: (
    <>
      <circle cx="8" cy="3.5" r="1.75" />
      <circle cx="3.5" cy="12" r="1.75" />
      <circle cx="12.5" cy="12" r="1.75" />
      <path d="m7.2 5-2.8 5.4M8.8 5l2.8 5.4M5.3 12h5.4" />
    </>
  ),
  webhooks: <path d="M2.5 8h7M7 5l3 3-3 3M8 2.5h5.5v11H8" />,
  approvals: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  applications: <path d="M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z" />,
  operators: (
    <>
      <circle cx="5.5" cy="10.5" r="3" />
      <path d="m7.7 8.3 5.8-5.8M11 5l2 2" />
    </>
  ),
  audit: <path d="M3.5 1.75h6l3 3v9.5h-9zM9.5 1.75v3h3M5.75 8h4.5M5.75 11h4.5" />,
  settings: <path d="M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M9 2.75v3.5h3v-3.5zM4 9.75v3.5h3v-3.5z" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.5 3.5" />
    </>
  ),
  menu: <path d="M2.5 4h11M2.5 8h11M2.5 12h11" />,
  close: <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  copy: <path d="M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1" />,
  check: <path d="m2.75 8.5 3.5 3.5 7-7.5" />,
  external: <path d="M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13.25 2.75 7.5 8.5" />,
  up: <path d="M8 12.5v-9M4.5 7 8 3.5 11.5 7" />,
  down: <path d="M8 3.5v9M4.5 9 8 12.5 11.5 9" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  chevron: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1" />
    </>
  ),
  moon: <path d="M13 9.6A5.5 5.5 0 1 1 6.4 3a4.4 4.4 0 0 0 6.6 6.6z" />,
  screen: <path d="M2 3h12v8H2zM5.5 13.5h5M8 11v2.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.5V8l2.5 1.75" />
    </>
  ),
  person: (
    <>
      <circle cx="8" cy="8" r="6" />
      <circle cx="8" cy="6.5" r="2" />
      <path d="M4.2 12.4c.8-1.6 2.1-2.4 3.8-2.4s3 .8 3.8 2.4" />
    </>
  ),
  warning: <path d="M8 2.25 14.5 13.5h-13zM8 6.5V10M8 11.6v.4" />,
} satisfies Record<string, ReactNode>;

/** The name of a drawing. */
export type IconName = keyof typeof drawings;

/** A drawing beside a text that says the same: assistive technology skips it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {drawings[name]}
    </svg>
  );
}
